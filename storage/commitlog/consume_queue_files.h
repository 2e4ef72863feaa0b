#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/bytes.h"
#include "storage/commitlog/consume_queue.h"
#include "storage/commitlog/consume_queue_format.h"
#include "storage/commitlog/open_files.h"
#include "storage/commitlog/run_encoder.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

namespace braid::storage {

/// Whose queue it is. `topic` is borrowed for the call.
struct QueueName {
  TopicId topic_id;
  std::string_view topic;
  QueueId queue;
};

/// The files of all consume queues of a shard, as docs/formats/consume_queue.md describes them. It knows no queue by
/// itself: callers say which, and up to where its files count; what lies beyond is never read.
///
/// Reads: any thread. Everything else: maintenance, one call at a time, and only for what the log is synced beyond.
/// Nothing is durable before FileSystem::sync_all (a sync a queue would cost more than all the rest). Errors of the
/// machine come as they are: no_space_on_device from write() leaves the queue as it was, any other is final.
class ConsumeQueueFiles {
 public:
  /// `files` and `open_files` outlive it. `directory` is that of all queues, such as "shard-0/consumequeue"; it exists.
  ConsumeQueueFiles(FileSystem& files, OpenFiles& open_files, std::string directory);

  /// Puts units into the files, making files and directories as needed. A topic's directory that carries another id is
  /// stale: it is removed first, with all its queues.
  Result<void> write(const QueueName& name, const QueueWrite& units);

  /// Fills `into` from `from` on; the caller knows that all these units are in the files. StorageErrc::corrupt when one
  /// is not there, or is no locator of an entry: that queue has to be rebuilt.
  Result<void> read(const QueueName& name, Offset from, std::span<QueueUnit> into);

  /// The begin of the first page at or behind that of `from` that may hold a batch with this timestamp or a later one
  /// (or `from` itself in its own page); nullopt when none below `end` does. `end` is the queue's written_end.
  Result<std::optional<Offset>> find_time_page(const QueueName& name, std::int64_t timestamp, Offset from, Offset end);

  /// Removes the files of which all units are below `begin`.
  Result<void> trim(const QueueName& name, Offset begin);
  /// Removes one queue, or a topic with all its queues; one that is not there is removed already.
  Result<void> remove_queue(const QueueName& name);
  Result<void> remove_topic(std::string_view topic);

  /// Which topics have a directory, and whose each is: for finding stale ones.
  const TopicDirectories& topics() const { return topics_; }

 private:
  std::string queue_directory(const QueueName& name) const;
  std::string unit_path(const QueueName& name, std::int64_t file_number) const;
  std::string time_path(const QueueName& name, std::int64_t file_number) const;

  /// The topic's directory is there and carries its id.
  Result<void> own_directory(const QueueName& name);
  Result<std::shared_ptr<File>> open_to_write(const QueueName& name, const std::string& path);
  Result<void> write_in_one_file(const QueueName& name, Offset first, Offset end, RunEncoder& units);
  Result<void> write_times(const QueueName& name, const QueueWrite& units);
  Result<void> remove_file(const std::string& path);

  FileSystem& files_;
  OpenFiles& open_files_;
  const std::string directory_;
  const TopicDirectories topics_;
  // Maintenance's.
  protocol::Bytes buffer_;   // for units on their way
  std::string owned_topic_;  // whose directory was found, or made, with owned_id_ last; "": of none
  TopicId owned_id_;
};

}  // namespace braid::storage
