#include "protocol/base/arena.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "protocol/base/limits.h"

namespace braid::protocol {

struct Arena::Chunk {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size_bytes = 0;
};

Arena::Arena() : Arena(kArenaBytesMax) {}
Arena::Arena(std::size_t bytes_max) : bytes_max_(bytes_max) {}
Arena::~Arena() = default;

std::string_view Arena::copy(std::string_view text) { return as_text(copy(as_bytes(text))); }

ByteView Arena::copy(ByteView bytes) {
  if (bytes.empty()) return {};
  void* const memory = allocate(bytes.size(), 1);
  if (memory == nullptr) return {};
  std::memcpy(memory, bytes.data(), bytes.size());
  return {static_cast<const std::byte*>(memory), bytes.size()};
}

void Arena::reset() {
  std::size_t kept_bytes = 0;
  const auto too_much = [&kept_bytes](const Chunk& chunk) {
    if (kept_bytes + chunk.size_bytes > kArenaKeptBytesMax) return true;
    kept_bytes += chunk.size_bytes;
    return false;
  };
  std::erase_if(chunks_, too_much);
  current_ = 0;
  at_ = 0;
  used_bytes_ = 0;
  exhausted_ = false;
}

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  const auto aligned = [alignment](std::size_t at) { return (at + alignment - 1) / alignment * alignment; };
  if (current_ >= chunks_.size() || aligned(at_) + bytes > chunks_[current_].size_bytes) {
    if (!next_chunk(bytes)) return nullptr;
  }
  const std::size_t begin = aligned(at_);
  if (used_bytes_ + (begin - at_) + bytes > bytes_max_) {
    exhausted_ = true;
    return nullptr;
  }
  used_bytes_ += begin - at_ + bytes;
  at_ = begin + bytes;
  return chunks_[current_].memory.get() + begin;
}

/// Moves on to a chunk with room for `bytes`: one that is there already, or a new one of at least twice the last.
bool Arena::next_chunk(std::size_t bytes) {
  if (used_bytes_ + bytes > bytes_max_) {
    exhausted_ = true;
    return false;
  }
  std::size_t next = at_ == 0 ? current_ : current_ + 1;
  while (next < chunks_.size() && chunks_[next].size_bytes < bytes) ++next;
  if (next >= chunks_.size()) {
    const std::size_t doubled = chunks_.empty() ? kArenaFirstChunkBytes : 2 * chunks_.back().size_bytes;
    const std::size_t size_bytes = std::max(bytes, std::min(doubled, bytes_max_));
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size_bytes), size_bytes});
    next = chunks_.size() - 1;
  }
  current_ = next;
  at_ = 0;
  return true;
}

}  // namespace braid::protocol
