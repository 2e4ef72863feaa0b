#include "storage/commitlog/partition_record.h"

#include <algorithm>

#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {
namespace {

constexpr std::size_t kFixedBytes = 16 + 4 + 4 + 2 + 8 + 8 + 4 + 8 + 4;
constexpr std::size_t kEpochBytes = 4 + 8;

}  // namespace

std::size_t encoded_size(const PartitionRecord& record) {
  return kFixedBytes + record.name.size() + record.epochs.size() * kEpochBytes + record.kept.size();
}

void encode(const PartitionRecord& record, protocol::Writer& out) {
  out.uuid(record.topic);
  out.i32(record.queue.value);
  out.u32(record.indexing);
  out.u16(static_cast<std::uint16_t>(record.name.size()));
  out.bytes(protocol::as_bytes(record.name));
  out.i64(record.start.value);
  out.i64(record.end.value);
  out.u32(static_cast<std::uint32_t>(record.epochs.size()));
  for (const EpochStart& epoch : record.epochs) {
    out.i32(epoch.epoch.value);
    out.i64(epoch.start.value);
  }
  out.i64(record.kept_as_of.value);
  out.u32(static_cast<std::uint32_t>(record.kept.size()));
  out.bytes(record.kept);
}

bool is_topic_name(std::string_view name) {
  constexpr std::size_t kNameBytesMax = 249;
  return !name.empty() && name.size() <= kNameBytesMax && name != "." && name != ".." &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                  c == '-';
         });
}

PartitionRecord decode_partition_record(protocol::Reader& in) {
  PartitionRecord record;
  record.topic = in.uuid();
  record.queue.value = in.i32();
  record.indexing = in.u32();
  const std::uint16_t name_bytes = in.u16();
  record.name = protocol::as_text(in.bytes(name_bytes));
  record.start.value = in.i64();
  record.end.value = in.i64();
  const std::uint32_t epochs = in.u32();
  if (epochs > in.remaining() / kEpochBytes) in.fail();
  for (std::uint32_t i = 0; in.ok() && i < epochs; ++i) {
    const LeaderEpoch epoch{in.i32()};
    record.epochs.push_back({epoch, Offset{in.i64()}});
    if (epoch.value < 0) in.fail();
    if (i > 0 && (epoch <= record.epochs[i - 1].epoch || record.epochs[i].start < record.epochs[i - 1].start))
      in.fail();
  }
  record.kept_as_of.value = in.i64();
  const protocol::ByteView kept = in.bytes(in.u32());
  record.kept.assign(kept.begin(), kept.end());
  if (record.start > record.end || record.start.value < 0 || record.end.value > kQueueOffsetEnd) in.fail();
  if (!record.name.empty() && !is_topic_name(record.name)) in.fail();
  return record;
}

}  // namespace braid::storage
