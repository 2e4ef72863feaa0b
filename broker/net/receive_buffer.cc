#include "broker/net/receive_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"

namespace braid::broker {

using protocol::check;

void ReceiveBuffer::append(protocol::ByteView bytes) {
  if (bytes.empty()) return;
  make_room(bytes.size());
  std::memcpy(memory_.get() + end_, bytes.data(), bytes.size());
  end_ += bytes.size();
}

protocol::MutableBytes ReceiveBuffer::room(std::size_t wanted_bytes) {
  wanted_bytes = std::max<std::size_t>(wanted_bytes, 1);
  // As much again as was received, and only when what is there is used up: however few bytes come at a time, each is
  // moved once or twice.
  if (capacity_bytes_ == end_) make_room(std::min(wanted_bytes, std::max(size(), protocol::kReceiveFirstBytes)));
  return {memory_.get() + end_, std::min(wanted_bytes, capacity_bytes_ - end_)};
}

void ReceiveBuffer::filled(std::size_t bytes) {
  check(bytes <= capacity_bytes_ - end_, "no more is filled than there was room");
  end_ += bytes;
}

void ReceiveBuffer::consume(std::size_t bytes) {
  check(bytes <= size(), "no more is consumed than there is");
  begin_ += bytes;
  if (!empty()) return;
  memory_.reset();
  capacity_bytes_ = begin_ = end_ = 0;
}

void ReceiveBuffer::make_room(std::size_t bytes) {
  if (capacity_bytes_ - end_ >= bytes) return;
  const std::size_t kept_bytes = size();
  if (capacity_bytes_ - kept_bytes >= bytes) {
    std::memmove(memory_.get(), memory_.get() + begin_, kept_bytes);
  } else {
    const std::size_t needed_bytes = kept_bytes + bytes;
    auto larger = std::make_unique_for_overwrite<std::byte[]>(needed_bytes);
    if (kept_bytes > 0) std::memcpy(larger.get(), memory_.get() + begin_, kept_bytes);
    memory_ = std::move(larger);
    capacity_bytes_ = needed_bytes;
  }
  begin_ = 0;
  end_ = kept_bytes;
}

}  // namespace braid::broker
