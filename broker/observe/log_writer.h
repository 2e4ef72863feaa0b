#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace braid::broker {

/// Hands lines to a descriptor that may be slow or stuck, without ever holding up whoever has a line: a thread of its
/// own writes, from a bounded queue. A line for which the queue has no room is left out and counted; the count is
/// written where the lines would have been. Lines that the descriptor refuses are lost.
class LogWriter {
 public:
  /// `describe_gap` makes the line that says how many are missing; on the writer's thread.
  LogWriter(int descriptor, std::size_t queued_bytes_max, std::function<std::string(std::int64_t lines)> describe_gap);
  /// What is queued is still written, as long as the descriptor takes it, whether or not anybody waits for that.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Queues a line, its newline included. Any thread; never waits for the descriptor.
  void add(std::string_view line);

  /// Waits until all that was added is written. False: not within `patience`.
  bool flush(std::chrono::milliseconds patience);

 private:
  struct Queue;
  static void write_all(Queue& queue);

  const std::shared_ptr<Queue> queue_;  // also the thread's, which may be stuck when this is gone
};

}  // namespace braid::broker
