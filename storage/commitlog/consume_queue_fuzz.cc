// Arbitrary bytes as a queue's file and as its times: no look-up hands out what is no entry, none looks outside what it
// was asked, and the inspection shows every unit that a look-up would serve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/check.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/env/memory_file_system.h"
#include "storage/errors.h"
#include "storage/inspect/inspect_consume_queue.h"

namespace braid::storage {
namespace {

using protocol::check;

constexpr std::int64_t kFirstOffset = kQueueFileUnits;  // the second file, so that offsets and places differ
constexpr std::size_t kFileBytesMax = 64 * 1024;

struct RowCounter final : InspectSink {
  bool row(std::string_view line) override {
    check(line.starts_with("{\"index\":") && line.ends_with("}"), "a row is an object");
    ++rows;
    return true;
  }
  bool finding(const InspectFinding& finding) override {
    check(!finding.what.empty(), "a finding says what it found");
    return true;
  }
  void note(std::string_view line) override { check(!line.empty(), "a note says something"); }

  std::uint64_t rows = 0;
};

class Disk {
 public:
  Disk(ByteView units, ByteView times) {
    for (const char* directory : {"cq", "cq/t", "cq/t/0"}) check(files_.make_directory(directory).has_value());
    put("cq/t/0/00000000000006000000", units);
    put("cq/t/0-00000000000006000000.times", times);
  }

  /// Every single unit, and all in one read, agree with the bytes. Returns how many are entries.
  std::uint64_t look_up_all(ByteView units) {
    const std::size_t count = units.size() / kQueueUnitBytes;
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const QueueUnit expected = decode(units.subspan(i * kQueueUnitBytes).first<kQueueUnitBytes>());
      QueueUnit unit;
      const Result<void> read =
          queues_.read(name_, Offset{kFirstOffset + static_cast<std::int64_t>(i)}, std::span(&unit, 1));
      check(read.has_value() == (kind_of(expected) == UnitKind::kEntry), "entries are served, and nothing else");
      check(read.has_error() || unit == expected, "as they stand there");
      entries += read.has_value() ? 1 : 0;
    }
    std::vector<QueueUnit> all(count + 1);
    check(queues_.read(name_, Offset{kFirstOffset}, std::span(all).first(count)).has_value() == (entries == count));
    check(queues_.read(name_, Offset{kFirstOffset}, all).has_error(), "the file ends");
    return entries;
  }

  void look_for_times(std::int64_t timestamp, std::int64_t count) {
    const Offset end{kFirstOffset + count};
    for (Offset from{kFirstOffset}; from < end;) {
      const auto page = queues_.find_time_page(name_, timestamp, from, end);
      check(page.has_value());
      if (!*page) return;
      check(**page >= from && **page < end, "a look-up stays between its bounds");
      from = Offset{((*page)->value / kQueuePageUnits + 1) * kQueuePageUnits};
    }
  }

  std::uint64_t inspected_rows(std::string_view path) {
    RowCounter counter;
    const auto summary = inspect_consume_queue(files_, path, {.format = InspectFormat::kJson}, counter);
    check(summary.rows == counter.rows);
    return counter.rows;
  }

 private:
  void put(std::string_view path, ByteView bytes) {
    const auto file = files_.open(path, {.mode = OpenMode::kCreate});
    check(file.has_value() && (*file)->write(0, bytes).has_value());
  }

  MemoryFileSystem files_;
  OpenFiles open_{files_, 2};
  ConsumeQueueFiles queues_{files_, open_, "cq"};
  const QueueName name_{.topic_id = TopicId{{1}}, .topic = "t", .queue = QueueId{0}};
};

}  // namespace

void fuzz_consume_queue(ByteView input) {
  if (input.size() < 9 || input.size() > kFileBytesMax) return;
  std::int64_t timestamp = 0;
  std::copy_n(input.begin(), sizeof timestamp, std::as_writable_bytes(std::span(&timestamp, 1)).begin());
  // One byte says which part of the rest is times.
  const ByteView rest = input.subspan(9);
  const std::size_t times_bytes = rest.size() * std::to_integer<std::size_t>(input[8]) / 255;
  const ByteView units = rest.subspan(times_bytes);
  Disk disk(units, rest.first(times_bytes));
  const std::uint64_t entries = disk.look_up_all(units);
  disk.look_for_times(timestamp, static_cast<std::int64_t>(units.size() / kQueueUnitBytes));
  disk.look_for_times(timestamp, 1000);
  check(disk.inspected_rows("cq/t/0") >= entries, "what is served is shown");
  check(disk.inspected_rows("cq/t/0-00000000000006000000.times") <= times_bytes / kQueueUnitBytes);
}

}  // namespace braid::storage

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::storage::fuzz_consume_queue(std::as_bytes(std::span(data, size)));
  return 0;
}
