#include "storage/commitlog/identity.h"

#include <memory>

#include "protocol/base/crc32c.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

using protocol::Bytes;

constexpr const char* kPath = "identity";
constexpr std::uint32_t kMagic = 0x42524944;  // "BRID"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kLayoutLast = 1;
constexpr std::size_t kSlotBytes = 4096;
constexpr std::size_t kCoveredFrom = 8;
constexpr std::size_t kCoveredEnd = 80;

std::uint32_t slot_crc(ByteView slot) {
  return protocol::crc32c(slot.subspan(kCoveredFrom, kCoveredEnd - kCoveredFrom));
}

Bytes encode_slot(const Identity& identity, std::uint64_t sequence) {
  Bytes slot(kSlotBytes);
  protocol::Writer out(slot);
  out.u32(kMagic);
  out.u32(0);
  out.u32(kVersion);
  out.u32(identity.layout);
  out.u64(sequence);
  out.uuid(identity.store);
  out.uuid(identity.cluster);
  out.u32(identity.seed);
  out.u32(0);
  out.i64(identity.file_bytes);
  out.i64(identity.unsynced_bytes_max);
  protocol::Writer(MutableBytes(slot).subspan(4)).u32(slot_crc(slot));
  return slot;
}

/// A slot as it was found; nullopt: damaged.
Result<std::optional<StoredIdentity>> decode_slot(ByteView slot) {
  protocol::Reader in(slot);
  if (slot.size() < kCoveredEnd || in.u32() != kMagic || in.u32() != slot_crc(slot))
    return std::optional<StoredIdentity>();
  if (in.u32() != kVersion) return make_error_code(StorageErrc::foreign);
  StoredIdentity found;
  found.identity.layout = in.u32();
  found.sequence = in.u64();
  found.identity.store = in.uuid();
  found.identity.cluster = in.uuid();
  found.identity.seed = in.u32();
  in.skip(4);
  found.identity.file_bytes = in.i64();
  found.identity.unsynced_bytes_max = in.i64();
  if (found.identity.layout == 0 || found.identity.layout > kLayoutLast) return make_error_code(StorageErrc::foreign);
  return std::optional(found);
}

Result<void> write_slot(File& file, std::size_t slot, const StoredIdentity& stored) {
  TRY_DO(file.write(slot * kSlotBytes, encode_slot(stored.identity, stored.sequence)));
  return file.sync();
}

Result<std::optional<StoredIdentity>> read_slot(File& file, std::size_t slot) {
  Bytes bytes(kSlotBytes);
  TRY(const std::size_t read, file.read(slot * kSlotBytes, bytes));
  return decode_slot(ByteView(bytes).first(read));
}

Result<std::array<std::optional<StoredIdentity>, 2>> read_slots(File& file) {
  std::array<std::optional<StoredIdentity>, 2> slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    TRY(slots[i], read_slot(file, i));
  }
  return slots;
}

}  // namespace

Result<std::array<std::optional<StoredIdentity>, 2>> read_identity(FileSystem& files) {
  TRY(const std::unique_ptr<File> file, files.open(kPath, {.mode = OpenMode::kRead}));
  return read_slots(*file);
}

Result<std::optional<StoredIdentity>> load_identity(FileSystem& files) {
  auto opened = files.open(kPath, {.mode = OpenMode::kWrite});
  if (opened.has_error() && is_missing(opened.error())) return std::optional<StoredIdentity>();
  if (opened.has_error()) return opened.error();
  File& file = **opened;
  TRY(const auto slots, read_slots(file));
  if (!slots[0] && !slots[1]) return make_error_code(StorageErrc::no_identity);
  const std::size_t newest = !slots[0] || (slots[1] && slots[1]->sequence > slots[0]->sequence) ? 1 : 0;
  StoredIdentity found = *slots[newest];
  found.repaired = !slots[1 - newest];
  if (found.repaired || slots[1 - newest]->sequence != found.sequence) TRY_DO(write_slot(file, 1 - newest, found));
  return std::optional(found);
}

Result<void> store_identity(FileSystem& files, const Identity& identity, std::uint64_t sequence) {
  TRY(const std::unique_ptr<File> file, files.open(kPath, {.mode = OpenMode::kCreate}));
  for (std::size_t slot = 0; slot < 2; ++slot) TRY_DO(write_slot(*file, slot, {identity, sequence}));
  return files.sync_directory("");
}

}  // namespace braid::storage
