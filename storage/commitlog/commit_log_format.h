#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/base/bytes.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/types.h"

/// The bytes of an entry: docs/formats/commit_log.md has the table and a hex example. Pure; any thread.
namespace braid::storage {

using protocol::ByteView;
using protocol::MutableBytes;

enum class EntryType : std::uint8_t {
  kBatch = 1,
  kFiller,
  kCreated,
  kRemoved,
  kStartMoved,
  kTruncated,
  kEpochStarted,
  kIncarnation,
  kSyncMark,
  kSnapshot,
  kFileFreed,
};
inline constexpr std::uint8_t kEntryTypeLast = static_cast<std::uint8_t>(EntryType::kFileFreed);

struct EntryHeader {
  std::int32_t size_bytes = 0;  // the whole entry; a filler's reaches to the file's end
  EntryType type = EntryType::kFiller;
  std::uint8_t padding_bytes = 0;
  LogPosition position = {};
  std::uint32_t incarnation = 0;
  std::uint32_t payload_crc = 0;
  TopicId topic = {};
  QueueId queue = {};
  LeaderEpoch epoch = {};
  Offset base = {};
  std::int32_t count = 0;
  std::optional<LogPosition> synced = {};  // the log was synced up to here before this was written
  std::int64_t timestamp_max = 0;
  std::int64_t append_time = 0;

  LogPosition end() const { return LogPosition{position.value + size_bytes}; }
  std::size_t payload_bytes() const { return static_cast<std::size_t>(size_bytes - kEntryHeaderBytes - padding_bytes); }
  bool operator==(const EntryHeader&) const = default;
};

using EntryHeaderBytes = std::array<std::byte, kEntryHeaderBytes>;

/// Writes what only a header has: magic and CRC too.
EntryHeaderBytes encode(const EntryHeader& header, std::uint32_t seed);

enum class HeaderFault {
  kNone,
  kNotAnEntry,   // no magic, a wrong CRC or position, sizes that can't be
  kUnknownType,  // a whole header of a type that we don't know: the log of a newer program
};

struct ReadHeader {
  HeaderFault fault = HeaderFault::kNotAnEntry;
  EntryHeader header;
};

/// What stands at `position`: `bytes` begin there and hold a header at least, else it is no entry.
ReadHeader read_header(ByteView bytes, std::uint32_t seed, LogPosition position);

/// The first place in [0, end), a multiple of kEntryAlignmentBytes, where an entry's magic stands; `end` or a little
/// behind it where there is none. `bytes` reach at least a header's size beyond the last place. For finding entries
/// where none is known to begin.
std::size_t find_magic(ByteView bytes, std::size_t end);

/// The payload of a whole entry of which the header was read; padding is left out.
inline ByteView payload_of(const EntryHeader& header, ByteView entry) {
  return entry.subspan(kEntryHeaderBytes, header.payload_bytes());
}

/// Payload CRC, zero padding and, of a batch, that it says what the header says. Fillers always match.
bool payload_matches(const EntryHeader& header, ByteView entry);

/// Header fields that the batch itself says, offset and epoch apart.
EntryHeader header_of_batch(ByteView batch);

}  // namespace braid::storage
