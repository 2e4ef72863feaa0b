#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/base/uuid.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// Who a store is: what nothing else could say again. docs/formats/commit_log.md. A value.
struct Identity {
  std::uint32_t layout = 1;  // 1: commitlog
  protocol::Uuid store;
  protocol::Uuid cluster;
  std::uint32_t seed = 0;               // of the entries' header CRC
  std::int64_t file_bytes = 0;          // of a log file
  std::int64_t unsynced_bytes_max = 0;  // the log is never further ahead of its synced position

  bool operator==(const Identity&) const = default;
};

struct StoredIdentity {
  Identity identity;
  std::uint64_t sequence = 0;
  bool repaired = false;  // a slot was damaged: it was written again
};

/// The identity in the file "identity". nullopt when there is no such file; no_identity when both slots are damaged;
/// foreign for a version or layout that we don't know. Writes a damaged slot again.
Result<std::optional<StoredIdentity>> load_identity(FileSystem& files);

/// Both slots as they are, nullopt for a damaged one; nothing is written. Errors: the file can't be read; foreign.
Result<std::array<std::optional<StoredIdentity>, 2>> read_identity(FileSystem& files);

/// One slot, sync, the other slot, sync; makes the file. After a cut in between one of both is found.
Result<void> store_identity(FileSystem& files, const Identity& identity, std::uint64_t sequence);

}  // namespace braid::storage
