#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/types.h"

namespace braid::storage {

/// What a recovery found that somebody should know. A value.
struct RecoveryFinding {
  enum class Kind {
    kBadEntry,          // below the synced position: was whole once. Its offsets answer `corrupt`
    kMissingFile,       // a log file that nothing says was freed
    kTornTail,          // cut off and kept aside: what was being written when the power went
    kBadSuperblock,     // written again
    kBadCheckpoint,     // damaged, or beyond the end of the log: not used
    kBadIdentitySlot,   // written again
    kLostEnd,           // the log ends before what was once synced
    kUnknownPartition,  // batches of a partition of which nothing else is known
    kBadQueue,          // a queue's files don't hold what they should: it is built anew from the log
  };
  Kind kind = Kind::kBadEntry;
  std::string path;
  LogPosition position = {};
  std::int64_t bytes = 0;

  bool operator==(const RecoveryFinding&) const = default;
};

struct RecoveryReport {
  std::vector<RecoveryFinding> findings;  // the first kRecoveryFindingsMax
  std::int64_t findings_count = 0;
  LogPosition scanned_from = {};
  std::int64_t scanned_bytes = 0;
  LogPosition end = {};
  LogPosition synced = {};  // proven
  bool was_cut = false;

  void add(RecoveryFinding finding);
  bool has(RecoveryFinding::Kind kind) const;
};

const char* name_of(RecoveryFinding::Kind kind);

}  // namespace braid::storage
