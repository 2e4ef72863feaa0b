#include "broker/partition/fetch_session.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace braid::broker {

void FetchedPartition::attach(Partition& partition) {
  partition_ = &partition;
  partition.follow(*this);
}

void FetchedPartition::partition_changed(std::size_t bytes) { session_.got_news(*this, bytes); }

void FetchedPartition::partition_removed() {
  partition_ = nullptr;
  session_.got_news(*this, 0);
}

void FetchSession::count_epoch() {
  next_epoch_ = next_epoch_ == std::numeric_limits<std::int32_t>::max() ? 1 : next_epoch_ + 1;
}

FetchedPartition& FetchSession::ask(const FetchKey& key, const FetchPosition& position) {
  auto found = partitions_.find(key);
  if (found == partitions_.end())
    found = partitions_.emplace(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple(*this, key))
                .first;
  found->second.position = position;
  add_news(found->second);
  return found->second;
}

void FetchSession::forget(const FetchKey& key) { partitions_.erase(key); }

void FetchSession::add_news(FetchedPartition& partition) {
  if (!partition.has_news()) news_.push_back(partition);
}

void FetchSession::to_the_end(FetchedPartition& partition) {
  if (partition.has_news()) news_.erase(News::s_iterator_to(partition));
  news_.push_back(partition);
}

void FetchSession::no_news(FetchedPartition& partition) {
  if (partition.has_news()) news_.erase(News::s_iterator_to(partition));
}

void FetchSession::got_news(FetchedPartition& partition, std::size_t bytes) {
  add_news(partition);
  if (on_news) on_news(bytes);
}

std::shared_ptr<FetchSession> FetchSessions::create(bool by_id, protocol::Instant now) {
  if (!make_place(now)) return nullptr;
  do {
    last_id_ = last_id_ == std::numeric_limits<std::int32_t>::max() ? 1 : last_id_ + 1;
  } while (sessions_.contains(last_id_));
  auto session = std::make_shared<FetchSession>(last_id_, by_id);
  session->used_at = now;
  sessions_.emplace(last_id_, session);
  return session;
}

bool FetchSessions::make_place(protocol::Instant now) {
  if (sessions_.size() < limits_.slots) return true;
  if (sessions_.empty()) return false;
  const auto oldest = std::ranges::min_element(sessions_, {}, [](const auto& each) { return each.second->used_at; });
  if (now - oldest->second->used_at < std::chrono::milliseconds(limits_.evictable_after_ms)) return false;
  sessions_.erase(oldest);
  return true;
}

std::shared_ptr<FetchSession> FetchSessions::find(std::int32_t id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

void FetchSessions::end_waiting() {
  may_wait_ = false;
  while (!waiting_.empty()) {
    WaitingFetch& fetch = waiting_.front();
    waiting_.pop_front();
    fetch.end_waiting();
  }
}

void FetchSessions::remove(std::int32_t id) { sessions_.erase(id); }

}  // namespace braid::broker
