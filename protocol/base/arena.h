#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/base/bytes.h"

namespace braid::protocol {

/// Memory for the arrays of one request: handed out in a row, freed all at once, never item by item. One thread at a
/// time.
///
/// Views into it live until reset() or the arena's end. After the first requests of a kind it has the chunks it needs
/// and no longer touches the heap. Past `bytes_max` it hands out empty spans and says so in exhausted(): the decoder
/// turns that into Errc::too_large.
class Arena {
 public:
  /// Bounded by kArenaBytesMax. (Not a default argument: every message includes this header, and a new bound in
  /// limits.h should not compile them all again.)
  Arena();
  explicit Arena(std::size_t bytes_max);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// `count` value-initialised items, or an empty span when the bound would be passed.
  template <class T>
  std::span<T> array(std::size_t count);

  /// A copy that lives as long as the arena's other items; empty when the bound would be passed.
  std::string_view copy(std::string_view text);
  ByteView copy(ByteView bytes);

  /// An array did not fit since the last reset().
  bool exhausted() const { return exhausted_; }

  /// Bytes handed out since the last reset(), padding included.
  std::size_t used_bytes() const { return used_bytes_; }

  /// Ends the life of everything handed out and keeps chunks of up to kArenaKeptBytesMax in all.
  void reset();

 private:
  struct Chunk;

  /// Null when the bound would be passed.
  void* allocate(std::size_t bytes, std::size_t alignment);
  bool next_chunk(std::size_t bytes);

  const std::size_t bytes_max_;
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;  // index of the chunk in use; chunks_.size() when there is none
  std::size_t at_ = 0;       // first free byte in it
  std::size_t used_bytes_ = 0;
  bool exhausted_ = false;
};

template <class T>
std::span<T> Arena::array(std::size_t count) {
  static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
  static_assert(alignof(T) <= alignof(std::max_align_t));
  if (count == 0) return {};
  if (count > bytes_max_ / sizeof(T)) {
    exhausted_ = true;
    return {};
  }
  void* const memory = allocate(count * sizeof(T), alignof(T));
  if (memory == nullptr) return {};
  T* const first = static_cast<T*>(memory);
  // Not uninitialized_value_construct_n: every message includes this header, and <memory> doubles what that costs.
  for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(first + i)) T();
  return {first, count};
}

}  // namespace braid::protocol
