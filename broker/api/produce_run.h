#pragma once

#include <boost/system/error_code.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "broker/api/loop_tools.h"
#include "broker/api/node.h"
#include "broker/api/request.h"
#include "protocol/messages/00_produce.h"
#include "protocol/records/batch_validation.h"

namespace braid::broker {

/// One partition's part of a Produce: what came, and what becomes of it.
struct ProducePart {
  std::uint32_t topic = 0;  // its place in the request, and the partition's in the topic
  std::uint32_t place = 0;
  const TopicImage* image = nullptr;
  Partition* partition = nullptr;  // once it was looked for; within a turn of the lane
  protocol::MutableBytes batch;
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  boost::system::error_code fault;  // of the batch, as it was found; unset: none
  std::string_view error_message;   // empty: none
  std::span<const protocol::ProduceResponseBatchIndexAndErrorMessage> record_errors;
  std::int64_t base_offset = -1;
  std::int64_t log_append_time_ms = -1;
  std::int64_t log_start_offset = -1;

  bool good() const { return error == protocol::ErrorCode::kNone; }
  void refuse(protocol::ErrorCode why) { error = why; }
};

/// A Produce on its way: checked on the connection's loop, appended on the lane, answered when it is as durable as it
/// asks. It borrows the request's frame until keep() gives it a copy of its own.
class ProduceRun {
 public:
  ProduceRun(const RequestContext& context, const protocol::ProduceRequest& request);
  explicit ProduceRun(Node& node, std::unique_ptr<KeptRequest<protocol::ProduceRequest>> kept);
  ProduceRun(ProduceRun&&) = default;
  ProduceRun& operator=(ProduceRun&&) = delete;

  /// Judges every part, and puts right what the broker writes into batches. Any loop.
  void check(LoopTools& tools);
  /// Reserves, appends what is good, answers or waits. False: there is no room now, and nothing has happened. Lane.
  bool append();
  /// Nothing borrowed is used any more.
  protocol::Result<void> keep(const RequestContext& context);

 private:
  void find_parts();
  void find_topic(std::uint32_t topic, std::span<ProducePart> parts);
  bool lacks_transactional_id() const;
  void check_part(ProducePart& part, LoopTools& tools);
  void recompress(ProducePart& part, const TopicSettings& settings, LoopTools& tools);
  void list_record_errors(ProducePart& part, const protocol::RecordErrors& errors);
  void refuse_all(protocol::ErrorCode why);
  Partition* find_partition(const ProducePart& part) const;
  void count() const;

  struct Awaited {
    storage::LogPosition written;
    storage::LogPosition synced;
    void add(storage::Durability durability, storage::LogPosition position);
  };
  void append_part(ProducePart& part, storage::Reservation& room, Awaited& awaited);
  void answer(const Awaited& awaited);
  Reply make_reply() const;

  Node* node_;
  ReplyHead head_;
  ReplyPromise promise_;
  std::unique_ptr<KeptRequest<protocol::ProduceRequest>> kept_;
  bool from_admin_ = false;
  std::shared_ptr<const MetadataImage> image_;
  const protocol::ProduceRequest* request_;
  protocol::MutableBytes body_;
  protocol::Arena* arena_;
  std::span<ProducePart> parts_;
  std::vector<protocol::Bytes> recompressed_;
  protocol::WallTime now_;
};

}  // namespace braid::broker
