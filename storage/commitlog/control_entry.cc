#include "storage/commitlog/control_entry.h"

#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::storage {

using protocol::Bytes;
using protocol::ByteView;

Bytes encode_created(std::uint32_t indexing, std::string_view name) {
  Bytes payload(4 + 2 + name.size());
  protocol::Writer out(payload);
  out.u32(indexing);
  out.u16(static_cast<std::uint16_t>(name.size()));
  out.bytes(protocol::as_bytes(name));
  return payload;
}

std::optional<CreatedPayload> decode_created(ByteView payload) {
  protocol::Reader in(payload);
  CreatedPayload created;
  created.indexing = in.u32();
  const std::uint16_t name_bytes = in.u16();
  created.name = protocol::as_text(in.bytes(name_bytes));
  return in.ok() && in.remaining() == 0 && is_topic_name(created.name) ? std::optional(created) : std::nullopt;
}

Bytes encode(const SnapshotPiece& piece, bool last) {
  std::size_t size = 8 + 4 + (last ? 4 + 8 * piece.files.size() : 0);
  for (const PartitionRecord& record : piece.partitions) size += encoded_size(record);
  Bytes payload(size);
  protocol::Writer out(payload);
  out.i64(piece.first_piece.value);
  out.u32(static_cast<std::uint32_t>(piece.partitions.size()));
  for (const PartitionRecord& record : piece.partitions) encode(record, out);
  if (last) {
    out.u32(static_cast<std::uint32_t>(piece.files.size()));
    for (const LogPosition file : piece.files) out.i64(file.value);
  }
  return payload;
}

std::optional<SnapshotPiece> decode_snapshot_piece(ByteView payload, bool last) {
  protocol::Reader in(payload);
  SnapshotPiece piece;
  piece.first_piece.value = in.i64();
  const std::uint32_t partitions = in.u32();
  for (std::uint32_t i = 0; in.ok() && i < partitions; ++i) piece.partitions.push_back(decode_partition_record(in));
  const std::uint32_t files = last ? in.u32() : 0;
  for (std::uint32_t i = 0; in.ok() && i < files; ++i) piece.files.push_back(LogPosition{in.i64()});
  return in.ok() && in.remaining() == 0 ? std::optional(std::move(piece)) : std::nullopt;
}

}  // namespace braid::storage
