#pragma once

#include "storage/commitlog/commit_log_store.h"
#include "storage/test_batch.h"

namespace braid::storage {

/// Sizes so small that a short test rolls files, writes queues out and takes checkpoints.
inline CommitLogOptions small_store_options() {
  CommitLogOptions options;
  options.new_store = {.layout = 1,
                       .store = protocol::uuid_from_halves(1, 2),
                       .cluster = protocol::uuid_from_halves(3, 4),
                       .seed = 0x01020304,
                       .file_bytes = 128 * 1024,
                       .unsynced_bytes_max = 0};
  options.tail_bytes = 128 * 1024;
  options.bounds.bytes = 16 * 1024;
  options.tags = [](protocol::ByteView batch, std::uint32_t) { return tags_of_test_batch(batch); };
  options.slab_bytes = 8 * 1024;
  options.prepared_piece_bytes = 16 * 1024;
  options.prepared_bytes_min = 64 * 1024;
  options.prepared_bytes_max = 64 * 1024;
  options.essential_bytes = 24 * 1024;
  options.checkpoint_interval_bytes = 48 * 1024;
  options.queue_memory_bytes = 200;
  options.queue_round_bytes = 1;
  return options;
}

}  // namespace braid::storage
