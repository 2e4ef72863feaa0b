#pragma once

#include "protocol/base/clock.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"

namespace braid::storage {

/// Builds all that is derived from a shard's log anew: queues, their times, and the checkpoint. `files` is rooted in
/// the shard's directory, which nobody has open: else it is a finding, and nothing is changed.
///
/// First the store is opened and closed, so that the log says itself how far it was synced. Then the checkpoints go,
/// and only then what they speak for: killed at any point, the next open finds either the old state, or no checkpoint
/// and builds from the log. A rebuild of partitions with tags (`indexing`) needs options.tags: without it nothing is
/// changed.
///
/// Memory: the state of the partitions, 4 KiB a queue, and the units of 64 MiB of log.
InspectSummary rebuild_shard(FileSystem& files, const CommitLogOptions& options, InspectFormat format,
                             protocol::WallTime now, InspectSink& sink);

}  // namespace braid::storage
