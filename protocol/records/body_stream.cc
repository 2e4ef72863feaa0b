#include "protocol/records/body_stream.h"

#include <algorithm>

namespace braid::protocol {

bool BodyStream::fetch() {
  if (!piece_.empty()) return true;
  if (ended_) return false;
  const auto next = decompressor_.next();
  if (next.has_error()) failure_ = next.error();
  if (next.has_value()) piece_ = *next;
  ended_ = piece_.empty();
  return !ended_;
}

std::uint8_t StreamCursor::u8() {
  if (failed_ || position_ == limit_ || !stream_.fetch()) {
    fail();
    return 0;
  }
  const auto byte = std::to_integer<std::uint8_t>(stream_.buffered().front());
  stream_.consume(1);
  ++position_;
  return byte;
}

void StreamCursor::skip(std::size_t count) {
  if (failed_ || count > limit_ - position_) return fail();
  position_ += count;
  while (count != 0) {
    if (!stream_.fetch()) return fail();
    const std::size_t step = std::min(count, stream_.buffered().size());
    stream_.consume(step);
    count -= step;
  }
}

}  // namespace braid::protocol
