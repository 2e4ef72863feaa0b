#include "storage/commitlog/superblock.h"

#include "protocol/base/crc32c.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/log_geometry.h"

namespace braid::storage {
namespace {

constexpr std::uint32_t kMagic = 0x42525342;  // "BRSB"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kCoveredFrom = 8;
constexpr std::size_t kCoveredEnd = 64;

/// Not seeded: a superblock of another store must be seen to be whole.
std::uint32_t block_crc(protocol::ByteView block) {
  return protocol::crc32c(block.subspan(kCoveredFrom, kCoveredEnd - kCoveredFrom));
}

}  // namespace

protocol::Bytes encode(const Superblock& superblock, std::uint32_t seed, bool is_recycled) {
  protocol::Bytes block(kSuperblockBytes);
  protocol::Writer out(block);
  out.u32(kMagic);
  out.u32(0);
  out.u32(kVersion);
  out.u32(seed);
  out.uuid(superblock.store);
  out.i64(superblock.file.value);
  out.i64(superblock.file_bytes);
  out.u32(is_recycled ? 1 : 0);
  protocol::Writer(protocol::MutableBytes(block).subspan(4)).u32(block_crc(block));
  return block;
}

SuperblockState judge_superblock(protocol::ByteView block, std::uint32_t seed, const Superblock& expected) {
  if (block.size() < kCoveredEnd) return SuperblockState::kDamaged;
  protocol::Reader in(block);
  if (in.u32() != kMagic || in.u32() != block_crc(block)) return SuperblockState::kDamaged;
  const auto found = read_superblock(block);
  if (!found) return SuperblockState::kForeign;
  const Superblock& of = found->superblock;
  if (of.store != expected.store || found->seed != seed || of.file_bytes != expected.file_bytes)
    return SuperblockState::kForeign;
  return of == expected ? SuperblockState::kOurs : SuperblockState::kDamaged;
}

std::optional<StoredSuperblock> read_superblock(protocol::ByteView block) {
  if (block.size() < kCoveredEnd) return std::nullopt;
  protocol::Reader in(block);
  if (in.u32() != kMagic || in.u32() != block_crc(block) || in.u32() != kVersion) return std::nullopt;
  StoredSuperblock found;
  found.seed = in.u32();
  found.superblock.store = in.uuid();
  found.superblock.file.value = in.i64();
  found.superblock.file_bytes = in.i64();
  found.is_recycled = in.u32() != 0;
  return found;
}

}  // namespace braid::storage
