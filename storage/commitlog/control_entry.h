#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/commitlog/partition_record.h"
#include "storage/types.h"

/// Payloads of the control entries that have one: docs/formats/commit_log.md. Pure; any thread.
namespace braid::storage {

struct CreatedPayload {
  std::uint32_t indexing = 0;
  std::string name;
};

protocol::Bytes encode_created(std::uint32_t indexing, std::string_view name);
std::optional<CreatedPayload> decode_created(protocol::ByteView payload);

/// A part of a state snapshot: some partitions, and in the last part the log files that are kept.
struct SnapshotPiece {
  LogPosition first_piece;  // the entry that the snapshot begins with
  std::vector<PartitionRecord> partitions;
  std::vector<LogPosition> files;  // of the last piece
};

protocol::Bytes encode(const SnapshotPiece& piece, bool last);
std::optional<SnapshotPiece> decode_snapshot_piece(protocol::ByteView payload, bool last);

}  // namespace braid::storage
