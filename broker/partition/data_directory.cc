#include "broker/partition/data_directory.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "broker/runtime/random_uuid.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/posix_file_system.h"
#include "storage/errors.h"
#include "storage/memory_store.h"

namespace braid::broker {
namespace {

using storage::CommitLogStore;
using storage::StorageErrc;

class MemoryDirectory final : public DataDirectory {
 public:
  storage::LogStore& store() override { return store_; }
  std::vector<std::string> findings() const override { return {}; }
  std::string close() override { return {}; }

 private:
  storage::MemoryStore store_;
};

class ShardDirectory final : public DataDirectory {
 public:
  ShardDirectory(std::unique_ptr<storage::FileSystem> files, std::unique_ptr<CommitLogStore> store)
      : files_(std::move(files)), store_(std::move(store)) {}

  storage::LogStore& store() override { return *store_; }
  std::vector<std::string> findings() const override {
    std::vector<std::string> lines;
    for (const storage::RecoveryFinding& finding : store_->report().findings)
      lines.push_back(std::string(name_of(finding.kind)) + ": " + finding.path + " at " +
                      std::to_string(finding.position.value) + ", " + std::to_string(finding.bytes) + " bytes");
    return lines;
  }
  std::string close() override {
    const auto closed = store_->close();
    return closed.has_error() ? closed.error().message() : std::string{};
  }

 private:
  const std::unique_ptr<storage::FileSystem> files_;
  const std::unique_ptr<CommitLogStore> store_;
};

storage::CommitLogOptions options_from(const StorageSettings& settings) {
  storage::CommitLogOptions options;
  options.new_store.store = random_uuid();
  options.new_store.cluster = random_uuid();
  const protocol::Uuid seed = random_uuid();
  std::memcpy(&options.new_store.seed, seed.bytes.data(), sizeof options.new_store.seed);
  options.new_store.file_bytes = settings.file_bytes;
  options.new_store.unsynced_bytes_max = settings.flush_bytes;
  options.tail_bytes = settings.tail_bytes;
  options.bounds = {settings.flush_interval, settings.flush_bytes};
  return options;
}

std::string explanation(const boost::system::error_code& error, const std::string& directory) {
  std::string what = "the data directory " + directory + " can't be opened: " + error.message();
  if (error == make_error_code(StorageErrc::in_use)) return what + "; is another broker running on it?";
  if (error == make_error_code(StorageErrc::foreign))
    return what + "; set log.dirs to a directory of this broker's, or to an empty one";
  return what;
}

}  // namespace

std::variant<std::unique_ptr<DataDirectory>, std::string> open_data_directory(const StorageSettings& settings,
                                                                              const protocol::Clock& clock) {
  if (settings.in_memory) return std::make_unique<MemoryDirectory>();
  const std::string shard = settings.log_dir + "/shard-0";
  std::error_code looked;
  if (std::filesystem::exists(settings.log_dir + "/meta.properties", looked))
    return "the data directory " + settings.log_dir +
           " is an Apache Kafka broker's: it holds a meta.properties; set log.dirs to another one";
  std::error_code made;
  std::filesystem::create_directories(shard, made);
  if (made) return "the data directory " + shard + " can't be made: " + made.message();
  auto files = storage::open_posix_file_system(shard);
  if (files.has_error()) return explanation(files.error(), shard);
  auto store = CommitLogStore::open(**files, options_from(settings), clock.wall_now());
  if (store.has_error()) return explanation(store.error(), shard);
  return std::make_unique<ShardDirectory>(*std::move(files), *std::move(store));
}

}  // namespace braid::broker
