#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/base/uuid.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/shard_state.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

/// How far everything derived from the log is complete: docs/formats/checkpoint.md.
namespace braid::storage {

struct CheckpointHeader {
  std::uint64_t sequence = 0;
  LogPosition position = {};
  std::int64_t append_time = 0;
  std::uint32_t incarnation = 0;

  bool operator==(const CheckpointHeader&) const = default;
};

/// The whole of a slot: the state as it is, `header` saying up to where. Lane.
protocol::Bytes encode_checkpoint(const CheckpointHeader& header, const protocol::Uuid& store, const ShardState& state);

/// What is wrong with a slot, looked for in this order.
enum class CheckpointFault {
  kNone,
  kShort,       // shorter than a header
  kNoMagic,     // no checkpoint
  kHeaderCrc,   // the header is damaged
  kNewer,       // of a version that we don't know
  kForeign,     // of another store
  kCut,         // shorter than its header says
  kPayloadCrc,  // the payload is damaged
};

struct ReadCheckpoint {
  CheckpointFault fault = CheckpointFault::kShort;
  CheckpointHeader header;  // true from kForeign on
};
ReadCheckpoint read_checkpoint(protocol::ByteView slot, const protocol::Uuid& store);

/// Header of a whole, undamaged slot of this store; nullopt for anything else.
std::optional<CheckpointHeader> read_checkpoint_header(protocol::ByteView slot, const protocol::Uuid& store);
/// The state; nullopt when the payload makes no sense though its CRC matches.
std::optional<ShardState> decode_checkpoint(protocol::ByteView slot, const LogGeometry& geometry);

/// What the header of slot 0 or 1 says, kNone though its payload may be damaged: that is not read. nullopt when the
/// slot is missing, empty, unreadable, or larger than kCheckpointBytesMax.
std::optional<ReadCheckpoint> look_at_checkpoint_slot(FileSystem& files, int slot, const protocol::Uuid& store);
/// Slot 0 or 1 as it lies there; empty when it is missing or unreadable, or larger than kCheckpointBytesMax.
protocol::Bytes load_checkpoint_slot(FileSystem& files, int slot);
/// Writes the slot and syncs it. no_space_on_device: the other slot still counts.
Result<void> store_checkpoint(FileSystem& files, int slot, protocol::ByteView bytes);

}  // namespace braid::storage
