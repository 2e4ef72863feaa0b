#include "storage/commitlog/consume_queue_format.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "protocol/base/check.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::storage {
namespace {

constexpr std::size_t kNameDigits = 20;

static_assert(std::uint64_t{kQueueFileUnits} * kQueueUnitBytes == kQueueFileBytes);
static_assert(kQueueFileUnits % kQueuePageUnits == 0);

}  // namespace

UnitKind kind_of(const QueueUnit& unit) {
  if (unit == QueueUnit{}) return UnitKind::kNone;
  if (unit == kFillerUnit) return UnitKind::kFiller;
  if (unit.size_bytes <= 0) return UnitKind::kDamaged;
  return unit.position < 0 ? UnitKind::kReclustered : UnitKind::kEntry;
}

void encode(const QueueUnit& unit, std::span<std::byte, kQueueUnitBytes> out) {
  protocol::Writer writer(out);
  writer.i64(unit.position);
  writer.i32(unit.size_bytes);
  writer.i64(unit.tag_hash);
}

QueueUnit decode(std::span<const std::byte, kQueueUnitBytes> bytes) {
  protocol::Reader reader(bytes);
  return {.position = reader.i64(), .size_bytes = reader.i32(), .tag_hash = reader.i64()};
}

UnitPlace place_of(std::int64_t offset) {
  protocol::check(offset >= 0 && offset < kQueueOffsetEnd, "a queue holds this offset");
  return {.file_number = offset / kQueueFileUnits,
          .at_bytes = static_cast<std::uint64_t>(offset % kQueueFileUnits) * kQueueUnitBytes};
}

std::string queue_file_name(std::int64_t file_number) {
  const std::string digits = std::to_string(static_cast<std::uint64_t>(file_number) * kQueueFileBytes);
  return std::string(kNameDigits - digits.size(), '0') + digits;
}

std::optional<std::int64_t> queue_file_number(std::string_view name) {
  std::uint64_t first_byte = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), first_byte);
  if (name.size() != kNameDigits || error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  const auto number = static_cast<std::int64_t>(first_byte / kQueueFileBytes);
  if (first_byte % kQueueFileBytes != 0 || number >= kQueueOffsetEnd / kQueueFileUnits) return std::nullopt;
  return number;
}

}  // namespace braid::storage
