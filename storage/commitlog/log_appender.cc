#include "storage/commitlog/log_appender.h"

#include <algorithm>
#include <array>

#include "protocol/base/check.h"
#include "protocol/base/crc32c.h"
#include "protocol/records/record_batch.h"

namespace braid::storage {

using protocol::check;

EntryHeader LogAppender::append_control(EntryHeader header, ByteView payload) {
  header.payload_crc = protocol::crc32c(payload);
  place(header, payload.size());
  tail_.append(encode(header, options_.seed));
  tail_.append(payload);
  finish(header, true);
  return header;
}

EntryHeader LogAppender::append_batch(EntryHeader header, ByteView batch, bool wants_sync) {
  place(header, batch.size());
  tail_.append(encode(header, options_.seed));
  std::array<std::byte, protocol::kBatchHeaderBytes> begin;
  std::ranges::copy(batch.first(begin.size()), begin.begin());
  protocol::stamp(begin, header.base.value, header.epoch.value);
  tail_.append(begin);
  tail_.append(batch.subspan(begin.size()));
  finish(header, wants_sync);
  return header;
}

void LogAppender::place(EntryHeader& header, std::size_t payload_bytes) {
  const std::int64_t payload = static_cast<std::int64_t>(payload_bytes);
  const std::int64_t size = entry_size(payload);
  check(tail_.make_room(size + kEntryHeaderBytes, progress_.written()).has_value(),
        "there is memory for what was reserved");
  LogPosition at = options_.geometry.entry_after(tail_.end());
  if (!options_.geometry.fits(at, size)) {
    close_file(at);
    at = options_.geometry.entry_after(tail_.end());
  }
  header.size_bytes = static_cast<std::int32_t>(size);
  header.padding_bytes = static_cast<std::uint8_t>(size - kEntryHeaderBytes - payload);
  header.position = at;
  header.incarnation = options_.incarnation;
}

void LogAppender::close_file(LogPosition at) {
  EntryHeader filler;
  filler.type = EntryType::kFiller;
  filler.position = at;
  filler.incarnation = options_.incarnation;
  filler.size_bytes = static_cast<std::int32_t>(options_.geometry.next_file(at).value - at.value);
  tail_.append(encode(filler, options_.seed));
  tail_.end_file();
}

void LogAppender::finish(const EntryHeader& header, bool wants_sync) {
  constexpr std::array<std::byte, kEntryAlignmentBytes> kZeros{};
  tail_.append(ByteView(kZeros).first(header.padding_bytes));
  room_.appended(tail_.end());
  progress_.publish(tail_.end(), wants_sync);
}

}  // namespace braid::storage
