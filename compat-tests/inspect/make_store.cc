// make_store DIR [--batches N] [--file-bytes N] [--kill | --serve]: a data directory with the same contents each time,
// for tests that look at it from outside. Prints nothing; with --serve it says "ready", and goes on appending in the
// directory that it holds open until standard input ends.
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/records/record_batch_builder.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/posix_file_system.h"
#include "storage/small_store.h"

namespace braid::storage {
namespace {

constexpr std::int64_t kFirstTime = 1'700'000'000'000;  // 2023-11-14T22:13:20Z

struct Options {
  std::string directory;
  int batches = 400;
  std::int64_t file_bytes = 128 * 1024;
  bool killed = false;
  bool serves = false;
};

/// The story of one store; nothing in it is random.
class Story {
 public:
  Story(FileSystem& files, const Options& options) : store_options_(small_store_options()) {
    store_options_.tags = {};
    store_options_.new_store.file_bytes = options.file_bytes;
    if (options.file_bytes > 1 << 20) store_options_ = with_real_sizes(store_options_);
    auto opened = CommitLogStore::open(files, store_options_, protocol::WallTime{kFirstTime});
    protocol::check(opened.has_value(), "the store opens");
    store_ = *std::move(opened);
  }

  void tell(int batches) {
    orders_ = {create("orders", 1, 0), create("orders", 1, 1)};
    const PartitionId payments = create("payments", 2, 0);
    const PartitionId drafts = create("drafts", 3, 0);
    for (int i = 0; i < batches; ++i) append(i % 4 == 3 ? payments : orders_[static_cast<std::size_t>(i % 2)]);
    append(drafts);
    settle();
    protocol::check(store_->trim(orders_[0], Offset{5}).has_value(), "it is trimmed");
    protocol::check(store_->truncate(payments, Offset{store_->view(payments).end.value - 3}).has_value(), "it is cut");
    protocol::check(store_->remove(drafts).has_value(), "it is removed");
    append(payments, protocol::Codec::kZstd);
    settle();
  }

  void go_on() {
    std::cout << "ready\n" << std::flush;
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (::poll(&input, 1, 0) == 0) {
      append(orders_[0]);
      append(orders_[1]);
      settle();
    }
  }

  void close() { protocol::check(store_->close().has_value(), "the store closes"); }

 private:
  static CommitLogOptions with_real_sizes(const CommitLogOptions& small) {
    CommitLogOptions options;
    options.new_store = small.new_store;
    return options;
  }

  PartitionId create(const std::string& name, std::uint64_t topic, std::int32_t queue) {
    const auto created = store_->create({.topic = protocol::uuid_from_halves(topic, 1),
                                         .name = name,
                                         .queue = QueueId{queue},
                                         .start = {},
                                         .indexing = 0});
    protocol::check(created.has_value(), "the partition is made");
    return created->partition;
  }

  void append(PartitionId to, protocol::Codec codec = protocol::Codec::kNone) {
    const std::string number = std::to_string(++appended_);
    const std::string key = "key-" + number;
    const std::string value = "value " + number + " " + std::string(300, 'x');
    const protocol::RecordHeader header{.key = protocol::as_bytes("source"), .value = protocol::as_bytes("make_store")};
    const std::int64_t time = kFirstTime + appended_ * 1000;
    const std::vector<protocol::NewRecord> records = {
        {.timestamp = time,
         .key = protocol::as_bytes(key),
         .value = protocol::as_bytes(value),
         .headers = {&header, 1}},
        {.timestamp = time + 1, .key = protocol::as_bytes(key), .value = {}},
    };
    const auto batch = build_batch({.codec = codec}, records, compressor_, 64 * 1024);
    auto room = store_->reserve(store_->entry_bytes(batch->size()), Purpose::kProduce);
    if (room.has_error()) {
      settle();
      room = store_->reserve(store_->entry_bytes(batch->size()), Purpose::kProduce);
    }
    protocol::check(room.has_value(), "there is room");
    store_->append(to,
                   {.bytes = *batch,
                    .epoch = {},
                    .tag_hashes = {},
                    .durability = Durability::kSynced,
                    .now = protocol::WallTime{time}},
                   *room);
  }

  void settle() {
    const protocol::Instant now{};
    for (bool busy = true; busy;) {
      store_->request_sync();
      const auto step = store_->write_out(now);
      protocol::check(step.has_value(), "the disk takes it");
      busy = *step == Step::kWorked;
      if (std::unique_ptr<Chore> chore = store_->next_chore(now)) {
        chore->run();
        protocol::check(store_->finish(std::move(chore)).has_value(), "the disk takes it");
        busy = true;
      }
    }
  }

  CommitLogOptions store_options_;
  std::unique_ptr<CommitLogStore> store_;
  std::vector<PartitionId> orders_;
  std::int64_t appended_ = 0;
  protocol::Compressor compressor_;
};

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--batches" && i + 1 < count)
      options.batches = std::atoi(arguments[++i]);
    else if (argument == "--file-bytes" && i + 1 < count)
      options.file_bytes = std::atoll(arguments[++i]);
    else if (argument == "--kill")
      options.killed = true;
    else if (argument == "--serve")
      options.serves = true;
    else
      options.directory = argument;
  }
  protocol::check(!options.directory.empty(),
                  "usage: make_store DIR [--batches N] [--file-bytes N] [--kill | --serve]");
  return options;
}

}  // namespace
}  // namespace braid::storage

int main(int count, char** arguments) {
  using namespace braid::storage;
  const Options options = parse(count, arguments);
  const std::filesystem::path shard = std::filesystem::path(options.directory) / "shard-0";
  std::filesystem::create_directories(shard);
  const auto files = open_posix_file_system(shard.string());
  braid::protocol::check(files.has_value(), "the directory opens");
  Story story(**files, options);
  story.tell(options.batches);
  if (options.serves) story.go_on();
  if (options.killed) ::_exit(0);
  story.close();
  return 0;
}
