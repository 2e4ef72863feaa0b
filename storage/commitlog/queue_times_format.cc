#include "storage/commitlog/queue_times_format.h"

#include <algorithm>
#include <array>

#include "protocol/base/crc32c.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/queue_run.h"

namespace braid::storage {
namespace {

/// Over the page's first offset and the timestamp, so that a page's bytes don't pass for another's. Never 0, so that
/// zeros never pass.
std::uint32_t check_of(Offset page_begin, std::int64_t timestamp) {
  std::array<std::byte, 16> covered;
  protocol::Writer writer(covered);
  writer.i64(page_begin.value);
  writer.i64(timestamp);
  return protocol::crc32c(covered) | 1;
}

}  // namespace

void encode_time(Offset page_begin, std::int64_t timestamp, std::span<std::byte, kQueueTimeBytes> out) {
  if (timestamp == kUnknownTimestamp) {
    std::ranges::fill(out, std::byte{0});
    return;
  }
  protocol::Writer writer(out);
  writer.i64(timestamp);
  writer.u32(check_of(page_begin, timestamp));
}

std::int64_t decode_time(Offset page_begin, std::span<const std::byte, kQueueTimeBytes> bytes) {
  protocol::Reader reader(bytes);
  const std::int64_t timestamp = reader.i64();
  return reader.u32() == check_of(page_begin, timestamp) ? timestamp : kUnknownTimestamp;
}

}  // namespace braid::storage
