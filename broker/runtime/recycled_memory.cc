#include "broker/runtime/recycled_memory.h"

#include <array>
#include <bit>
#include <new>
#include <utility>

#include "broker/limits.h"

namespace braid::broker {
namespace {

constexpr std::size_t kSmallestBytes = 64;
constexpr std::size_t kClasses = std::bit_width(kRecycledBlockBytesMax / kSmallestBytes);

/// Sizes are powers of two.
std::size_t class_of(std::size_t bytes) {
  return bytes <= kSmallestBytes ? 0 : static_cast<std::size_t>(std::bit_width((bytes - 1) / kSmallestBytes));
}
std::size_t bytes_of(std::size_t block_class) { return kSmallestBytes << block_class; }

/// One thread's free blocks, as lists through the blocks themselves.
class FreeBlocks {
 public:
  FreeBlocks() = default;
  FreeBlocks(const FreeBlocks&) = delete;
  FreeBlocks& operator=(const FreeBlocks&) = delete;
  ~FreeBlocks() {
    for (Block* block : first_) {
      while (block != nullptr) ::operator delete(std::exchange(block, block->next));
    }
  }

  void* take(std::size_t block_class) {
    Block* const block = first_[block_class];
    if (block == nullptr) return ::operator new(bytes_of(block_class));
    first_[block_class] = block->next;
    bytes_ -= bytes_of(block_class);
    return block;
  }
  void give(void* memory, std::size_t block_class) noexcept {
    if (bytes_ + bytes_of(block_class) > kRecycledBytesMax) return ::operator delete(memory);
    bytes_ += bytes_of(block_class);
    first_[block_class] = ::new (memory) Block{first_[block_class]};
  }

 private:
  struct Block {
    Block* next;
  };
  std::array<Block*, kClasses> first_{};
  std::size_t bytes_ = 0;
};

FreeBlocks& free_blocks() {
  thread_local FreeBlocks blocks;
  return blocks;
}

}  // namespace

void* take_recycled(std::size_t bytes) {
  return bytes > kRecycledBlockBytesMax ? ::operator new(bytes) : free_blocks().take(class_of(bytes));
}

void give_recycled(void* block, std::size_t bytes) noexcept {
  if (bytes > kRecycledBlockBytesMax) return ::operator delete(block);
  free_blocks().give(block, class_of(bytes));
}

}  // namespace braid::broker
