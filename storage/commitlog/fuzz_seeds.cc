// Seeds for the fuzz targets of the log, from a small store that lives a little: storage_seeds DIRECTORY writes into
// DIRECTORY/commit_log_fuzz, checkpoint_fuzz and identity_fuzz.
#include <algorithm>
#include <cstdio>
#include <string>

#include "protocol/base/check.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/posix_file_system.h"
#include "storage/small_store.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using protocol::check;

constexpr std::size_t kLogBytes = 12 * 1024;

Bytes content_of(MemoryFileSystem& files, const std::string& path, std::uint64_t from, std::size_t bytes_max) {
  const auto file = files.open(path, {});
  if (file.has_error()) return {};
  Bytes bytes(std::min<std::uint64_t>(*(*file)->size() - from, bytes_max));
  check((*file)->read(from, bytes).has_value(), "it can be read");
  return bytes;
}

void put(FileSystem& out, const std::string& target, int number, const Bytes& bytes) {
  static_cast<void>(out.make_directory(target).has_value());
  const std::string path = target + "/seed" + std::to_string(number);
  const auto file = out.open(path, {.mode = OpenMode::kCreate});
  check(file.has_value() && (*file)->truncate(0).has_value() && (*file)->write(0, bytes).has_value(), "it is written");
}

Bytes with_flags(std::byte flags, const Bytes& bytes) {
  Bytes input{flags};
  input.insert(input.end(), bytes.begin(), bytes.end());
  return input;
}

/// One of every control operation, and batches between them.
void live(CommitLogStore& store, int batches) {
  const auto make = [&](std::uint64_t topic, std::int32_t queue) {
    return store
        .create({.topic = protocol::uuid_from_halves(topic, 1),
                 .name = "t",
                 .queue = QueueId{queue},
                 .start = {},
                 .indexing = 1})
        ->partition;
  };
  const PartitionId one = make(1, 0);
  const PartitionId two = make(1, 1);
  for (int i = 0; i < batches; ++i) {
    const PartitionId to = i % 3 == 0 ? two : one;
    const Bytes batch = make_batch({.count = 1 + i % 3, .body_bytes = 40, .seed = static_cast<std::uint64_t>(i)});
    auto room = store.reserve(store.entry_bytes(batch.size()), Purpose::kProduce);
    const auto epochs = store.view(to).epochs;
    const LeaderEpoch epoch = epochs.empty() ? LeaderEpoch{0} : epochs.back().epoch;
    const auto tags = tags_of_test_batch(batch);
    store.append(to, {.bytes = batch, .epoch = epoch, .tag_hashes = tags, .durability = {}, .now = {i}}, *room);
    if (i % 4 == 3) check(store.start_epoch(one, LeaderEpoch{i}).has_value(), "an epoch begins");
    if (i % 5 == 4) check(store.truncate(one, Offset{store.view(one).end.value - 1}).has_value(), "it is cut");
    if (i % 7 == 6) check(store.trim(two, Offset{store.view(two).end.value - 1}).has_value(), "it is trimmed");
    check(store.write_out({}).has_value(), "nothing fails here");
  }
  check(store.remove(two).has_value(), "it is removed");
}

int write_seeds(const std::string& directory) {
  auto out = open_posix_file_system(directory);
  if (out.has_error()) return 1;
  int number = 0;
  for (const int batches : {0, 1, 5, 24}) {
    MemoryFileSystem files;
    auto store = CommitLogStore::open(files, small_store_options(), {});
    live(**store, batches);
    check((*store)->close().has_value(), "it closes");
    const Bytes log = content_of(files, "commitlog/00000000000000000000", 4096, kLogBytes);
    put(**out, "commit_log_fuzz", number, with_flags(std::byte{0}, log));
    put(**out, "commit_log_fuzz", number + 1, with_flags(std::byte{1}, log));
    for (int slot = 0; slot < 2; ++slot) {
      const Bytes checkpoint = content_of(files, "checkpoint/" + std::to_string(slot), 0, kLogBytes);
      if (!checkpoint.empty()) put(**out, "checkpoint_fuzz", number + slot, checkpoint);
    }
    const Bytes identity = content_of(files, "identity", 0, kLogBytes);
    put(**out, "identity_fuzz", number, with_flags(std::byte{0}, identity));
    put(**out, "identity_fuzz", number + 1, with_flags(std::byte{1}, identity));
    number += 2;
  }
  return 0;
}

}  // namespace
}  // namespace braid::storage

int main(int argc, char** argv) { return argc == 2 ? braid::storage::write_seeds(argv[1]) : 2; }
