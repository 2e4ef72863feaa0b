#pragma once

#include <cstddef>
#include <memory>

#include "protocol/base/bytes.h"

namespace braid::broker {

/// Received bytes of one connection that are no whole frame yet. It grows with what was received, never by what a
/// length announces, and holds no memory when it is empty. One thread.
class ReceiveBuffer {
 public:
  bool empty() const { return begin_ == end_; }
  /// Until the next call that is not const.
  protocol::MutableBytes bytes() { return {memory_.get() + begin_, end_ - begin_}; }
  std::size_t capacity_bytes() const { return capacity_bytes_; }
  std::size_t size_bytes() const { return end_ - begin_; }

  void append(protocol::ByteView bytes);
  /// Room behind the bytes for a read, of at most `wanted_bytes` and at least one; filled() says how much was read.
  protocol::MutableBytes room(std::size_t wanted_bytes);
  void filled(std::size_t bytes);
  /// Drops the first ones.
  void consume(std::size_t bytes);

 private:
  void make_room(std::size_t bytes);
  std::size_t size() const { return size_bytes(); }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_bytes_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace braid::broker
