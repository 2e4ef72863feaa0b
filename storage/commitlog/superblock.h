#pragma once

#include <cstdint>

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

/// A whole block.
protocol::Bytes encode(const Superblock& superblock, std::uint32_t seed);
/// kForeign: whole, but of another store or format; a whole one of ours in the wrong place is kDamaged.
SuperblockState judge_superblock(protocol::ByteView block, std::uint32_t seed, const Superblock& expected);

}  // namespace braid::storage
