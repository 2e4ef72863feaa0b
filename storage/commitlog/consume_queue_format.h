#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The bytes of a consume queue, RocketMQ's to the bit: docs/formats/consume_queue.md has the grammar and hex examples.
/// Pure; any thread.
namespace braid::storage {

/// One record in a consume queue, big-endian on disk. Unit i belongs to offset i; all records of a batch carry the same
/// position and size.
struct QueueUnit {
  std::int64_t position = 0;    // first byte of the commit-log entry that holds the record
  std::int32_t size_bytes = 0;  // whole commit-log entry, header included
  std::int64_t tag_hash = 0;    // Java String.hashCode of the tag, sign-extended; 0: no tag

  bool operator==(const QueueUnit&) const = default;
};

/// On disk; encode() and decode() are the only way in and out.
inline constexpr std::size_t kQueueUnitBytes = 20;
inline constexpr std::int64_t kQueueFileUnits = 300'000;
inline constexpr std::uint64_t kQueueFileBytes = 6'000'000;

/// Stands before the first unit of a queue that starts inside a file, as RocketMQ writes it.
inline constexpr QueueUnit kFillerUnit{0, 0x7FFFFFFF, 0};

/// Units whose greatest timestamp is kept as one number (queue_times_format.h); 1,500 pages a file, so that no page
/// lies in two.
inline constexpr std::int64_t kQueuePageUnits = 200;

/// One past the greatest offset: file names are byte offsets that Java keeps in a signed 64-bit integer, and the last
/// file is whole.
inline constexpr std::int64_t kQueueOffsetEnd = INT64_MAX / std::int64_t{kQueueFileBytes} * kQueueFileUnits;

enum class UnitKind {
  kNone,         // all zero: nothing was written here, or the record is lost
  kFiller,       // before the queue's first unit
  kEntry,        // locates an entry of the commit log
  kReclustered,  // the position's top bit, reserved: the entry was moved into a re-clustered file
  kDamaged,      // no such unit is ever written
};

UnitKind kind_of(const QueueUnit& unit);

void encode(const QueueUnit& unit, std::span<std::byte, kQueueUnitBytes> out);
QueueUnit decode(std::span<const std::byte, kQueueUnitBytes> bytes);

/// Where unit `offset` lies.
struct UnitPlace {
  std::int64_t file_number = 0;  // counts whole files from offset 0
  std::uint64_t at_bytes = 0;    // from the file's begin
};

/// 0 <= offset < kQueueOffsetEnd, checked.
UnitPlace place_of(std::int64_t offset);

/// Twenty digits: the byte offset, in the whole queue, of the file's first unit.
std::string queue_file_name(std::int64_t file_number);

/// The number of the file that has this name; nullopt for a name that no queue file has.
std::optional<std::int64_t> queue_file_number(std::string_view name);

}  // namespace braid::storage
