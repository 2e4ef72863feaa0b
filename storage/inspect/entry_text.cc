#include "storage/inspect/entry_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include "protocol/base/crc32c.h"
#include "protocol/base/printable.h"
#include "protocol/records/record_batch.h"
#include "storage/commitlog/control_entry.h"
#include "storage/inspect/json_row.h"

namespace braid::storage {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

bool has_partition(EntryType type) {
  switch (type) {
    case EntryType::kBatch:
    case EntryType::kCreated:
    case EntryType::kRemoved:
    case EntryType::kStartMoved:
    case EntryType::kTruncated:
    case EntryType::kEpochStarted:
      return true;
    case EntryType::kFiller:
    case EntryType::kIncarnation:
    case EntryType::kSyncMark:
    case EntryType::kSnapshot:
    case EntryType::kFileFreed:
      return false;
  }
  return false;
}

std::string batch_words(const EntryHeader& header) {
  return "offsets " + number(header.base.value) + " to " + number(header.base.value + header.count - 1) + ", epoch " +
         number(header.epoch.value) + ", newest record " + time_text(header.timestamp_max);
}

/// None of an entry that is cut off.
ByteView payload_in(const LogScan::Found& found) {
  const bool is_whole = static_cast<std::int64_t>(found.entry.size()) >= found.header.size_bytes;
  return is_whole ? payload_of(found.header, found.entry) : ByteView();
}

std::string created_words(const LogScan::Found& found) {
  const auto created = decode_created(payload_in(found));
  std::string words = "partition created, its first offset is " + number(found.header.base.value);
  if (created && created->indexing != 0) words += ", indexing " + number(created->indexing);
  return words;
}

std::string snapshot_words(const LogScan::Found& found) {
  const bool last = found.header.count == 1;
  const auto piece = decode_snapshot_piece(payload_in(found), last);
  std::string words = "piece " + number(found.header.base.value) + (last ? " and last" : "") + " of a state snapshot";
  if (!piece) return words + " that can't be read";
  words += ": " + std::to_string(piece->partitions.size()) + " partitions";
  return last ? words + ", " + std::to_string(piece->files.size()) + " log files kept" : words;
}

/// Of a control entry, or a filler.
std::string control_words(const LogScan::Found& found) {
  const EntryHeader& header = found.header;
  switch (header.type) {
    case EntryType::kBatch:
      return batch_words(header);
    case EntryType::kFiller:
      return "nothing up to the file's end";
    case EntryType::kCreated:
      return created_words(found);
    case EntryType::kRemoved:
      return "partition removed";
    case EntryType::kStartMoved:
      return "log start moved to offset " + number(header.base.value);
    case EntryType::kTruncated:
      return "truncated to end at offset " + number(header.base.value);
    case EntryType::kEpochStarted:
      return "leader epoch " + number(header.epoch.value) + " started at offset " + number(header.base.value);
    case EntryType::kIncarnation:
      return header.epoch.value == 1 ? "the store was opened after a cut: all leader epochs raised by one"
                                     : "the store was opened";
    case EntryType::kSyncMark:
      return "the log was synced up to here";
    case EntryType::kSnapshot:
      return snapshot_words(found);
    case EntryType::kFileFreed:
      return "log file " + number(header.base.value) + " freed";
  }
  return {};
}

std::string json_row(const LogScan::Found& found, std::string_view path, std::int64_t at, const TopicNames& names) {
  const EntryHeader& header = found.header;
  const bool is_batch = header.type == EntryType::kBatch;
  JsonRow row;
  row.number("position", header.position.value);
  row.text("file", path);
  row.number("at", at);
  row.text("type", name_of(header.type));
  row.number("size", header.size_bytes);
  row.number("payload_size", header.type == EntryType::kFiller ? 0 : header.payload_bytes());
  if (has_partition(header.type)) {
    const std::string_view name = names.name_of(header.topic);
    if (name.empty())
      row.null("topic");
    else
      row.text("topic", name);
    row.text("topic_id", protocol::to_text(header.topic));
    row.number("partition", header.queue.value);
    row.number("offset", header.base.value);
    row.number("count", header.count);
    row.number("leader_epoch", header.epoch.value);
  }
  if (is_batch) row.number("max_timestamp", header.timestamp_max);
  row.number("append_time", header.append_time);
  row.number("incarnation", header.incarnation);
  if (header.synced)
    row.number("synced", header.synced->value);
  else
    row.null("synced");
  row.flag("crc_matches", found.verdict == LogScan::Verdict::kEntry);
  row.text("meaning", meaning_of(found, names));
  return row.line();
}

}  // namespace

void TopicNames::add(const TopicId& id, std::string_view name) {
  if (!name.empty()) names_.insert_or_assign(id, std::string(name));
}

void TopicNames::learn(const LogScan::Found& found) {
  if (found.verdict != LogScan::Verdict::kEntry) return;
  if (found.header.type == EntryType::kCreated) {
    if (const auto created = decode_created(payload_in(found))) add(found.header.topic, created->name);
  } else if (found.header.type == EntryType::kSnapshot) {
    const auto piece = decode_snapshot_piece(payload_in(found), found.header.count == 1);
    if (!piece) return;
    for (const PartitionRecord& record : piece->partitions) add(record.topic, record.name);
  }
}

std::string_view TopicNames::name_of(const TopicId& id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

std::string TopicNames::partition(const TopicId& id, QueueId queue) const {
  const std::string_view name = name_of(id);
  return (name.empty() ? protocol::to_text(id) : protocol::printable(name)) + "-" + number(queue.value);
}

std::string_view name_of(EntryType type) {
  switch (type) {
    case EntryType::kBatch:
      return "batch";
    case EntryType::kFiller:
      return "filler";
    case EntryType::kCreated:
      return "created";
    case EntryType::kRemoved:
      return "removed";
    case EntryType::kStartMoved:
      return "start moved";
    case EntryType::kTruncated:
      return "truncated";
    case EntryType::kEpochStarted:
      return "epoch started";
    case EntryType::kIncarnation:
      return "incarnation";
    case EntryType::kSyncMark:
      return "sync mark";
    case EntryType::kSnapshot:
      return "snapshot";
    case EntryType::kFileFreed:
      return "file freed";
  }
  return "unknown";
}

std::string payload_fault(const LogScan::Found& found) {
  const EntryHeader& header = found.header;
  if (static_cast<std::int64_t>(found.entry.size()) < header.size_bytes) return "the entry is cut off";
  const ByteView payload = payload_of(header, found.entry);
  if (header.type != EntryType::kBatch)
    return protocol::crc32c(payload) == header.payload_crc ? "the padding is not zero"
                                                           : "the payload's CRC does not match";
  if (payload.size() < protocol::kBatchHeaderBytes) return "the payload is too short for a batch";
  const protocol::RecordBatch batch(payload);
  if (batch.computed_crc() != header.payload_crc) return "the batch's CRC does not match";
  const bool is_padded =
      std::ranges::any_of(found.entry.last(header.padding_bytes), [](std::byte byte) { return byte != std::byte{0}; });
  return is_padded ? "the padding is not zero" : "the batch does not say what the entry's header says";
}

std::string meaning_of(const LogScan::Found& found, const TopicNames& names) {
  const EntryHeader& header = found.header;
  std::string words = control_words(found);
  if (has_partition(header.type)) words = names.partition(header.topic, header.queue) + " " + words;
  return words;
}

std::string time_text(std::int64_t milliseconds) {
  constexpr std::int64_t kYear9999End = 253'402'300'800'000;
  if (milliseconds == protocol::kNoTimestamp) return "none";
  if (milliseconds < 0 || milliseconds >= kYear9999End) return number(milliseconds);
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(milliseconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

std::string entry_heading() { return "      position  type           bytes  incarnation  what"; }

std::string entry_row(InspectFormat format, const LogScan::Found& found, std::string_view path, std::int64_t at,
                      const TopicNames& names) {
  if (format == InspectFormat::kJson) return json_row(found, path, at, names);
  const EntryHeader& header = found.header;
  std::array<char, 120> columns{};
  std::snprintf(columns.data(), columns.size(), "%14lld  %-13s %6d  %11u  ",
                static_cast<long long>(header.position.value), std::string(name_of(header.type)).c_str(),
                header.size_bytes, header.incarnation);
  std::string line = columns.data() + meaning_of(found, names) + ", appended " + time_text(header.append_time);
  if (header.synced) line += ", synced " + number(header.synced->value);
  if (found.verdict != LogScan::Verdict::kEntry) line += ", DAMAGED: " + payload_fault(found);
  return line;
}

}  // namespace braid::storage
