#include "storage/commitlog/commit_log_format.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "protocol/base/crc32c.h"
#include "protocol/records/record_batch.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::storage {
namespace {

constexpr std::uint32_t kMagic = 0x42524531;  // "BRE1"
constexpr std::size_t kCoveredFrom = 8;
constexpr std::uint32_t kNotStated = 0xFFFF'FFFF;
constexpr std::uint8_t kPaddingMask = 7;
constexpr std::string_view kPooledEnding = ".free";

std::uint32_t header_crc(ByteView header, std::uint32_t seed) {
  return protocol::crc32c(header.subspan(kCoveredFrom, kEntryHeaderBytes - kCoveredFrom), seed);
}

std::uint32_t synced_distance(const EntryHeader& header) {
  if (!header.synced) return kNotStated;
  const std::int64_t distance = header.position.value - header.synced->value;
  return distance < std::int64_t{kNotStated} ? static_cast<std::uint32_t>(distance) : kNotStated;
}

bool sizes_possible(const EntryHeader& header) {
  return header.size_bytes >= kEntryHeaderBytes + header.padding_bytes && header.position.value % 8 == 0 &&
         (header.type == EntryType::kFiller || header.size_bytes % kEntryAlignmentBytes == 0);
}

bool batch_agrees(const EntryHeader& header, ByteView payload) {
  if (payload.size() < protocol::kBatchHeaderBytes) return false;
  const protocol::RecordBatch batch(payload);
  return batch.base_offset() == header.base.value && batch.partition_leader_epoch() == header.epoch.value &&
         batch.batch_length() == static_cast<std::int64_t>(payload.size() - protocol::kBatchPrefixBytes) &&
         batch.magic() == protocol::kBatchMagic && batch.last_offset_delta() + 1 == header.count &&
         batch.crc() == header.payload_crc && batch.crc_matches();
}

}  // namespace

std::string log_file_path(LogPosition file) {
  char name[40];
  std::snprintf(name, sizeof name, "commitlog/%020lld", static_cast<long long>(file.value));
  return name;
}

std::string pooled_file_path(LogPosition file) { return log_file_path(file) + std::string(kPooledEnding); }

bool is_pooled_file(std::string_view name) {
  return name.ends_with(kPooledEnding) && log_file_position(name.substr(0, name.size() - kPooledEnding.size()));
}

std::optional<LogPosition> log_file_position(std::string_view name) {
  constexpr std::size_t kDigits = 20;
  std::int64_t position = -1;
  const std::string text(name);
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, position);
  if (name.size() != kDigits || parsed.ec != std::errc() || parsed.ptr != end || position < 0) return std::nullopt;
  return LogPosition{position};
}

EntryHeaderBytes encode(const EntryHeader& header, std::uint32_t seed) {
  EntryHeaderBytes bytes;
  protocol::Writer out(bytes);
  out.u32(kMagic);
  out.u32(0);
  out.i32(header.size_bytes);
  out.u8(static_cast<std::uint8_t>(header.type));
  out.u8(header.padding_bytes);
  out.u16(0);
  out.i64(header.position.value);
  out.u32(header.incarnation);
  out.u32(header.payload_crc);
  out.uuid(header.topic);
  out.i32(header.queue.value);
  out.i32(header.epoch.value);
  out.i64(header.base.value);
  out.i32(header.count);
  out.u32(synced_distance(header));
  out.i64(header.timestamp_max);
  out.i64(header.append_time);
  protocol::Writer(MutableBytes(bytes).subspan(4)).u32(header_crc(bytes, seed));
  return bytes;
}

ReadHeader read_header(ByteView bytes, std::uint32_t seed, LogPosition position) {
  ReadHeader read;
  if (bytes.size() < kEntryHeaderBytes) return read;
  protocol::Reader in(bytes);
  if (in.u32() != kMagic || in.u32() != header_crc(bytes, seed)) return read;
  EntryHeader& header = read.header;
  header.size_bytes = in.i32();
  const std::uint8_t type = in.u8();
  header.type = static_cast<EntryType>(type);
  const std::uint8_t flags = in.u8();
  header.padding_bytes = flags & kPaddingMask;
  in.skip(2);
  header.position.value = in.i64();
  header.incarnation = in.u32();
  header.payload_crc = in.u32();
  header.topic = in.uuid();
  header.queue.value = in.i32();
  header.epoch.value = in.i32();
  header.base.value = in.i64();
  header.count = in.i32();
  const std::uint32_t distance = in.u32();
  if (distance != kNotStated) header.synced = LogPosition{header.position.value - std::int64_t{distance}};
  header.timestamp_max = in.i64();
  header.append_time = in.i64();
  if (header.position != position) return read;
  if (type == 0 || type > kEntryTypeLast || flags > kPaddingMask) {
    read.fault = HeaderFault::kUnknownType;
  } else if (sizes_possible(header)) {
    read.fault = HeaderFault::kNone;
  }
  return read;
}

std::size_t find_magic(ByteView bytes, std::size_t end) {
  EntryHeaderBytes magic;
  protocol::Writer(magic).u32(kMagic);
  std::size_t at = 0;
  while (at < end && std::memcmp(bytes.data() + at, magic.data(), sizeof kMagic) != 0) at += kEntryAlignmentBytes;
  return at;
}

bool payload_matches(const EntryHeader& header, ByteView entry) {
  if (header.type == EntryType::kFiller) return true;
  const ByteView padding = entry.last(header.padding_bytes);
  if (std::ranges::any_of(padding, [](std::byte b) { return b != std::byte{0}; })) return false;
  const ByteView payload = payload_of(header, entry);
  return header.type == EntryType::kBatch ? batch_agrees(header, payload)
                                          : protocol::crc32c(payload) == header.payload_crc;
}

EntryHeader header_of_batch(ByteView bytes) {
  const protocol::RecordBatch batch(bytes);
  EntryHeader header;
  header.type = EntryType::kBatch;
  header.payload_crc = batch.crc();
  header.count = batch.last_offset_delta() + 1;
  header.timestamp_max = batch.max_timestamp();
  return header;
}

}  // namespace braid::storage
