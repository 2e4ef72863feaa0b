#pragma once

#include <boost/system/errc.hpp>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "protocol/base/bytes.h"
#include "protocol/base/check.h"
#include "protocol/base/result.h"

namespace braid::storage {

/// What direct I/O asks of file offset, length and memory address. 4096 satisfies every device and file system that we
/// accept direct I/O from; PosixFile falls back to buffered where more is needed.
inline constexpr std::size_t kDirectAlignmentBytes = 4096;

/// What a disk writes wholly or not at all.
inline constexpr std::size_t kSectorBytes = 512;

/// Memory that may be handed to a direct read or write. Owns it; moves, never copies. One thread at a time.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : memory_(std::move(other.memory_)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
    return *this;
  }

  /// `size_bytes`, a multiple of kDirectAlignmentBytes, all zero, so that every page has been touched before it is
  /// needed. not_enough_memory when there is none.
  static protocol::Result<AlignedBuffer> allocate(std::size_t size_bytes) {
    protocol::check(size_bytes % kDirectAlignmentBytes == 0, "an aligned buffer is whole blocks");
    AlignedBuffer buffer;
    if (size_bytes == 0) return buffer;
    buffer.memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kDirectAlignmentBytes, size_bytes)));
    if (buffer.memory_ == nullptr) return make_error_code(boost::system::errc::not_enough_memory);
    buffer.size_bytes_ = size_bytes;
    std::memset(buffer.memory_.get(), 0, size_bytes);
    return buffer;
  }

  /// Valid as long as the buffer itself, also after it was moved from into another.
  protocol::MutableBytes bytes() { return {memory_.get(), size_bytes_}; }
  protocol::ByteView bytes() const { return {memory_.get(), size_bytes_}; }
  std::size_t size() const { return size_bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_bytes_ = 0;
};

}  // namespace braid::storage
