#include "storage/mutants.h"

#include "protocol/base/crc32c.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/control_entry.h"
#include "storage/commitlog/log_scan.h"
#include "storage/commitlog/shard_reading.h"
#include "storage/small_store.h"

namespace braid::storage {

// The store's own, and what its calls reach instead; CMakeLists.txt lists the same names.
bool real_payload_matches(const EntryHeader&, ByteView) asm(
    "__real__ZN5braid7storage15payload_matchesERKNS0_11EntryHeaderESt4spanIKSt4byteLm18446744073709551615EE");
bool mutant_payload_matches(const EntryHeader&, ByteView) asm(
    "__wrap__ZN5braid7storage15payload_matchesERKNS0_11EntryHeaderESt4spanIKSt4byteLm18446744073709551615EE");
ReadHeader real_read_header(ByteView, std::uint32_t, LogPosition) asm(
    "__real__ZN5braid7storage11read_headerESt4spanIKSt4byteLm18446744073709551615EEjNS_8protocol9StrongIntINS0_"
    "14LogPositionTagElEE");
ReadHeader mutant_read_header(ByteView, std::uint32_t, LogPosition) asm(
    "__wrap__ZN5braid7storage11read_headerESt4spanIKSt4byteLm18446744073709551615EEjNS_8protocol9StrongIntINS0_"
    "14LogPositionTagElEE");
EntryHeaderBytes real_encode_entry(const EntryHeader&,
                                   std::uint32_t) asm("__real__ZN5braid7storage6encodeERKNS0_11EntryHeaderEj");
EntryHeaderBytes mutant_encode_entry(const EntryHeader&,
                                     std::uint32_t) asm("__wrap__ZN5braid7storage6encodeERKNS0_11EntryHeaderEj");
protocol::Bytes real_encode_piece(const SnapshotPiece&,
                                  bool) asm("__real__ZN5braid7storage6encodeERKNS0_13SnapshotPieceEb");
protocol::Bytes mutant_encode_piece(const SnapshotPiece&,
                                    bool) asm("__wrap__ZN5braid7storage6encodeERKNS0_13SnapshotPieceEb");
Result<void> real_store_checkpoint(FileSystem&, int, ByteView) asm(
    "__real__ZN5braid7storage16store_checkpointERNS0_10FileSystemEiSt4spanIKSt4byteLm18446744073709551615EE");
Result<void> mutant_store_checkpoint(FileSystem&, int, ByteView) asm(
    "__wrap__ZN5braid7storage16store_checkpointERNS0_10FileSystemEiSt4spanIKSt4byteLm18446744073709551615EE");

namespace {

Mutant active = Mutant::kNone;

/// The end of the whole entries behind `from`, as they lie in the files.
LogPosition newest(FileSystem& files, LogPosition from) {
  const Identity identity = small_store_options().new_store;
  const LogGeometry geometry{identity.file_bytes};
  const auto existing = find_log_files(files, geometry);
  if (existing.has_error()) return from;
  LogScan scan(files, geometry, identity.seed, *existing);
  while (true) {
    const LogScan::Found found = scan.at(geometry.entry_after(from));
    if (found.verdict != LogScan::Verdict::kEntry) return from;
    from = found.header.end();
  }
}

}  // namespace

void switch_on(Mutant mutant) { active = mutant; }

bool mutant_payload_matches(const EntryHeader& header, ByteView entry) {
  return active == Mutant::kNoPayloadCheck || real_payload_matches(header, entry);
}

ReadHeader mutant_read_header(ByteView bytes, std::uint32_t seed, LogPosition position) {
  const ReadHeader read = real_read_header(bytes, seed, position);
  if (active != Mutant::kAnyPosition || read.header.position == position) return read;
  ReadHeader elsewhere = real_read_header(bytes, seed, read.header.position);
  elsewhere.header.position = position;
  return elsewhere;
}

EntryHeaderBytes mutant_encode_entry(const EntryHeader& header, std::uint32_t seed) {
  EntryHeader changed = header;
  if (active == Mutant::kSameIncarnation) changed.incarnation = 1;
  return real_encode_entry(changed, seed);
}

protocol::Bytes mutant_encode_piece(const SnapshotPiece& piece, bool last) {
  return active == Mutant::kEmptySnapshot ? protocol::Bytes() : real_encode_piece(piece, last);
}

Result<void> mutant_store_checkpoint(FileSystem& files, int slot, ByteView bytes) {
  if (active != Mutant::kCheckpointTooNew) return real_store_checkpoint(files, slot, bytes);
  constexpr std::size_t kPositionAt = 24;
  protocol::Bytes changed(bytes.begin(), bytes.end());
  const auto header = read_checkpoint_header(bytes, small_store_options().new_store.store);
  const LogPosition position = newest(files, header ? header->position : LogPosition{0});
  protocol::Writer(protocol::MutableBytes(changed).subspan(kPositionAt)).i64(position.value);
  protocol::Writer(protocol::MutableBytes(changed).subspan(4))
      .u32(protocol::crc32c(ByteView(changed).subspan(8, 64 - 8)));
  return real_store_checkpoint(files, slot, changed);
}

}  // namespace braid::storage
