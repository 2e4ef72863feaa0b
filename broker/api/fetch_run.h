#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "broker/api/node.h"
#include "broker/api/request.h"
#include "broker/partition/fetch_session.h"
#include "broker/runtime/recycled_memory.h"
#include "protocol/messages/01_fetch.h"

namespace braid::broker {

/// How a fetch is bounded, besides each partition's bytes.
struct FetchLimits {
  std::int64_t wait_ms_max = 0;
  std::int64_t bytes_min = 0;
  std::int64_t bytes_max = 0;
  bool committed_only = false;  // isolation level 1
};

/// One Fetch on its way: looks at its session's news, reads, and answers; or waits for more, and looks again. On the
/// lane, but for the reads that wait for the disk.
class FetchRun final : public WaitingFetch, public std::enable_shared_from_this<FetchRun> {
 public:
  /// `complete`: every partition of the session is answered, not only those with something to tell.
  FetchRun(Node& serving, ReplyHead head, ReplyPromise promise, std::shared_ptr<FetchSession> session, bool complete,
           const FetchLimits& limits);

  /// Answers now or later. Lane.
  void start();
  /// What there is, is the answer.
  void end_waiting() override;

 private:
  /// What was found for one partition.
  struct Found {
    FetchedPartition* of = nullptr;
    protocol::ErrorCode error = protocol::ErrorCode::kNone;
    std::int64_t high_watermark = -1;
    std::int64_t start = -1;
    protocol::FetchResponseEpochEndOffset diverging;
    std::optional<storage::ReadPlan> plan;
    protocol::Bytes memory;  // whole batches, one behind the other
    bool held_back = false;  // there is more, but no room for it in this answer
    bool stale = false;      // the partition changed under the read

    bool ends_waiting() const { return error != protocol::ErrorCode::kNone || diverging.epoch >= 0; }
  };

  void look();
  void resolve(FetchedPartition& partition) const;
  Found look_at(FetchedPartition& partition);
  protocol::ErrorCode check(const FetchedPartition& of, const storage::PartitionView& view, Found& found) const;
  /// Takes bytes for a plan from the answer's allowance; false: there are none left.
  bool plan(Found& found);
  /// Takes what there is of the memory for fetches; false: nothing.
  bool take_share();
  void wait_for_memory();
  void forget_found();
  static void read(storage::LogStore& store, Found& found, std::size_t bytes_left, bool first);
  void read_on_a_worker();
  void decide();
  bool may_answer() const;
  void wait();
  void stop_waiting();
  void got_news(std::size_t bytes);
  void answer();
  bool to_be_told(const Found& found) const;
  protocol::FetchResponsePartitionData told(const Found& found) const;
  void settle(const Found& found);
  void count(const Found& found) const;

  Node& node_;
  const ReplyHead head_;
  ReplyPromise promise_;
  const std::shared_ptr<FetchSession> session_;
  const bool complete_;
  const FetchLimits limits_;
  const protocol::Instant deadline_;
  std::vector<Found, RecyclingAllocator<Found>> found_;
  ByteShare share_;               // of the memory for fetches, from the first plan of a look on
  std::int64_t allowance_ = -1;   // bytes that this look may find; negative: not taken yet
  bool short_of_memory_ = false;  // this look had to leave something out for that
  bool waits_for_memory_ = false;
  std::int64_t found_bytes_ = 0;
  std::int64_t planned_bytes_ = 0;
  std::int64_t missing_bytes_ = 0;  // before it is worth looking again
  bool waiting_ = false;
  bool looks_soon_ = false;
  bool must_answer_ = false;
  bool answered_ = false;
  boost::asio::steady_timer timer_;
};

}  // namespace braid::broker
