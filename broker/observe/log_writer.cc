#include "broker/observe/log_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace braid::broker {
namespace {

/// What the descriptor refuses is lost: there is nobody who could be told.
void write_text(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // another user of the descriptor made it non-blocking
      pollfd writable{descriptor, POLLOUT, 0};
      static_cast<void>(::poll(&writable, 1, -1));
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

struct LogWriter::Queue {
  Queue(int to, std::size_t most_bytes, std::function<std::string(std::int64_t)> gap)
      : descriptor(to), bytes_max(most_bytes), describe_gap(std::move(gap)) {}

  /// There is something to be written.
  bool waits() const { return !text.empty() || lines_left_out > 0; }

  const int descriptor;
  const std::size_t bytes_max;
  const std::function<std::string(std::int64_t)> describe_gap;

  std::mutex mutex;  // guards what follows; held for a copy, never for a call to the descriptor
  std::condition_variable changed;
  std::string text;
  std::int64_t lines_left_out = 0;
  bool writing = false;
  bool closed = false;
};

LogWriter::LogWriter(int descriptor, std::size_t queued_bytes_max,
                     std::function<std::string(std::int64_t)> describe_gap)
    : queue_(std::make_shared<Queue>(descriptor, queued_bytes_max, std::move(describe_gap))) {
  std::thread([queue = queue_] { write_all(*queue); }).detach();
}

LogWriter::~LogWriter() {
  const std::lock_guard lock(queue_->mutex);
  queue_->closed = true;
  queue_->changed.notify_all();
}

void LogWriter::add(std::string_view line) {
  const std::lock_guard lock(queue_->mutex);
  // Once a line was left out, so are all until the gap is written: lines stay in order.
  if (queue_->lines_left_out > 0 || line.size() > queue_->bytes_max - queue_->text.size()) {
    ++queue_->lines_left_out;
  } else {
    queue_->text += line;
  }
  if (!queue_->writing) queue_->changed.notify_all();
}

bool LogWriter::flush(std::chrono::milliseconds patience) {
  std::unique_lock lock(queue_->mutex);
  return queue_->changed.wait_for(lock, patience, [&] { return !queue_->waits() && !queue_->writing; });
}

void LogWriter::write_all(Queue& queue) {
  std::unique_lock lock(queue.mutex);
  while (true) {
    queue.changed.wait(lock, [&] { return queue.waits() || queue.closed; });
    if (!queue.waits()) return;
    std::string taken = std::exchange(queue.text, {});
    const std::int64_t left_out = std::exchange(queue.lines_left_out, 0);
    queue.writing = true;
    lock.unlock();

    if (left_out > 0) taken += queue.describe_gap(left_out);
    write_text(queue.descriptor, taken);

    lock.lock();
    queue.writing = false;
    queue.changed.notify_all();
  }
}

}  // namespace braid::broker
