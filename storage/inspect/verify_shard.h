#pragma once

#include <string_view>

#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"

namespace braid::storage {

/// Checks all that a data directory or a shard's holds ("" is the root of `files`): identity, superblocks, every entry
/// with its CRCs, both checkpoints, and every unit of every queue against its entry. Damage is a finding; the one row
/// says how much was checked. Of a folder of log files or of one file only the log is checked.
///
/// A torn end of the log is no damage: the next start cuts it. Units beyond a queue's end are none either. Without a
/// checkpoint that counts nothing says where queues end: they are built anew by the next start, and not checked.
///
/// Memory: the state of the partitions, the units behind the checkpoint (40 bytes a batch), and the largest entry.
InspectSummary verify_shard(FileSystem& files, std::string_view path, InspectFormat format, InspectSink& sink);

}  // namespace braid::storage
