#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "storage/types.h"

/// The first block of a log file: whose it is and where it belongs. docs/formats/commit_log.md. Pure.
namespace braid::storage {

struct Superblock {
  protocol::Uuid store;
  LogPosition file;
  std::int64_t file_bytes = 0;

  bool operator==(const Superblock&) const = default;
};

enum class SuperblockState { kOurs, kDamaged, kForeign };

/// What a superblock says of the store that it belongs to.
struct StoredSuperblock {
  Superblock superblock;
  std::uint32_t seed = 0;
  bool is_recycled = false;
};

/// A whole block. `is_recycled`: the file held other entries before, and what is not written yet may still be theirs.
protocol::Bytes encode(const Superblock& superblock, std::uint32_t seed, bool is_recycled = false);
/// kForeign: whole, but of another store or format; a whole one of ours in the wrong place is kDamaged.
SuperblockState judge_superblock(protocol::ByteView block, std::uint32_t seed, const Superblock& expected);

/// A whole one, of whatever store and place; nullopt for anything else.
std::optional<StoredSuperblock> read_superblock(protocol::ByteView block);

}  // namespace braid::storage
