#include "protocol/base/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstddef>

namespace braid::protocol {

std::uint32_t crc32c(ByteView bytes, std::uint32_t earlier) {
  // crc32_iscsi takes an int length and a non-const pointer that it only reads; it neither inverts before nor after.
  constexpr std::size_t kPieceBytes = 1U << 30;
  std::uint32_t state = ~earlier;
  while (!bytes.empty()) {
    const ByteView piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece.data()));
    state = crc32_iscsi(data, static_cast<int>(piece.size()), state);
    bytes = bytes.subspan(piece.size());
  }
  return ~state;
}

}  // namespace braid::protocol
