#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/partition/partition.h"
#include "broker/runtime/recycled_memory.h"
#include "protocol/base/clock.h"
#include "protocol/base/uuid.h"

namespace braid::broker {

class FetchSession;

/// Which partition a fetch means: by its topic's id, or by name where the client's version has no ids.
struct FetchKey {
  protocol::Uuid topic;
  std::string name;
  std::int32_t partition = 0;
  auto operator<=>(const FetchKey&) const = default;
};

/// What a client asks of a partition.
struct FetchPosition {
  storage::Offset from;
  std::int32_t bytes_max = 0;
  std::int32_t leader_epoch = -1;        // that the client knows; -1: not to be checked
  std::int32_t last_fetched_epoch = -1;  // of the record before `from`; -1: not said
};

/// One partition of a session: what is asked, what the client was told last, and whether there may be something to
/// tell. The lane's.
class FetchedPartition final
    : public Follower,
      public boost::intrusive::list_base_hook<boost::intrusive::tag<struct FetchNews>,
                                              boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  FetchedPartition(FetchSession& session, FetchKey key) : session_(session), key_(std::move(key)) {}

  const FetchKey& key() const { return key_; }
  /// Null: it does not exist, as far as was seen.
  Partition* partition() const { return partition_; }
  void attach(Partition& partition);

  void partition_changed(std::size_t bytes) override;
  void partition_removed() override;

  bool has_news() const { return NewsHook::is_linked(); }

  FetchPosition position;
  std::int64_t told_high_watermark = -1;
  std::int64_t told_start = -1;

 private:
  friend class FetchSession;
  using NewsHook = boost::intrusive::list_base_hook<boost::intrusive::tag<FetchNews>,
                                                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  FetchSession& session_;
  const FetchKey key_;
  Partition* partition_ = nullptr;
};

/// The partitions that one consumer follows from fetch to fetch (KIP-227), and which of them have news, so that a fetch
/// of ten thousand quiet partitions costs nothing. Also serves a single fetch without a session. The lane's.
class FetchSession {
 public:
  explicit FetchSession(std::int32_t id, bool by_id) : id_(id), by_id_(by_id) {}
  FetchSession(const FetchSession&) = delete;
  FetchSession& operator=(const FetchSession&) = delete;

  std::int32_t id() const { return id_; }  // 0: no session
  bool by_id() const { return by_id_; }
  bool empty() const { return partitions_.empty(); }
  std::size_t size() const { return partitions_.size(); }

  /// The client's next request must carry this epoch.
  std::int32_t next_epoch() const { return next_epoch_; }
  void count_epoch();

  /// Asked for, anew or at another position: it has news until it is looked at.
  FetchedPartition& ask(const FetchKey& key, const FetchPosition& position);
  void forget(const FetchKey& key);

  /// Those that may have something to tell, longest unanswered first.
  using News = boost::intrusive::list<FetchedPartition, boost::intrusive::base_hook<FetchedPartition::NewsHook>,
                                      boost::intrusive::constant_time_size<false>>;
  News& news() { return news_; }
  void add_news(FetchedPartition& partition);
  /// Answered: others come first next time.
  void to_the_end(FetchedPartition& partition);
  void no_news(FetchedPartition& partition);

  /// Called, until it is set anew, when something gets news.
  std::function<void(std::size_t bytes)> on_news;

  bool busy = false;  // a fetch of it is on its way
  protocol::Instant used_at{};

 private:
  friend class FetchedPartition;
  void got_news(FetchedPartition& partition, std::size_t bytes);

  const std::int32_t id_;
  const bool by_id_;
  std::int32_t next_epoch_ = 1;
  // A fetch without a session has one for itself alone.
  std::map<FetchKey, FetchedPartition, std::less<>, RecyclingAllocator<std::pair<const FetchKey, FetchedPartition>>>
      partitions_;
  News news_;
};

/// A fetch that waits for records; ends its place among them by being destroyed.
class WaitingFetch
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// It answers with what there is.
  virtual void end_waiting() = 0;

 protected:
  ~WaitingFetch() = default;
};

/// The sessions of all consumers, so many at most. The lane's.
class FetchSessions {
 public:
  struct Limits {
    std::size_t slots = 0;            // max.incremental.fetch.session.cache.slots
    std::int64_t evictable_after_ms;  // unused for so long, a session may lose its place to another
  };
  explicit FetchSessions(Limits limits) : limits_(limits) {}

  /// A new session; null when there is no place for one: the client fetches without.
  std::shared_ptr<FetchSession> create(bool by_id, protocol::Instant now);
  std::shared_ptr<FetchSession> find(std::int32_t id) const;
  void remove(std::int32_t id);
  std::size_t size() const { return sessions_.size(); }

  /// From here on no fetch waits.
  void end_waiting();
  bool may_wait() const { return may_wait_; }
  void waits(WaitingFetch& fetch) { waiting_.push_back(fetch); }

 private:
  using Waiting = boost::intrusive::list<WaitingFetch, boost::intrusive::constant_time_size<false>>;

  bool make_place(protocol::Instant now);

  const Limits limits_;
  std::int32_t last_id_ = 0;
  boost::unordered_flat_map<std::int32_t, std::shared_ptr<FetchSession>> sessions_;
  Waiting waiting_;
  bool may_wait_ = true;
};

}  // namespace braid::broker
