#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>

#include "storage/types.h"

namespace braid::broker {

class Partition;

/// Told, on the lane and once, when the log has come as far as was asked for. False: it never will, the store failed.
class AckWaiter {
 public:
  virtual ~AckWaiter() = default;
  virtual void acknowledged(bool reached) = 0;
};

/// What waits for a position of the log, in the log's order: partitions whose high watermark rises there, and waiters.
/// One a durability. The lane's. It grows with what is appended and not yet durable, which the tail bounds.
class AckQueue {
 public:
  struct Entry {
    storage::LogPosition position;
    Partition* partition = nullptr;  // its high watermark becomes `end`
    storage::Offset end;
    std::size_t bytes = 0;        // of the records that become visible
    AckWaiter* waiter = nullptr;  // instead
    bool start_moved = false;     // instead: the partition's log start becomes visible
  };

  /// Positions never fall.
  void push(const Entry& entry);
  bool empty() const { return entries_.empty(); }
  /// The first entry at or below `reached`, taken out; handling it may push others.
  bool pop(storage::LogPosition reached, Entry& out);
  bool pop_any(Entry& out);
  /// The position of the first entry; only when not empty.
  storage::LogPosition front_position() const { return entries_.front().position; }
  /// The position of the last entry; the log's begin when empty.
  storage::LogPosition back_position() const { return empty() ? storage::LogPosition{} : entries_.back().position; }

 private:
  boost::circular_buffer<Entry> entries_{64};
};

}  // namespace braid::broker
