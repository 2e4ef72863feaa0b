#include "protocol/wire/frame.h"

#include <array>
#include <string_view>

#include "protocol/wire/reader.h"

namespace braid::protocol {

Split split_frame(ByteView buffered, std::int32_t frame_bytes_max) {
  if (buffered.size() < kFramePrefixBytes) return NeedMore{kFramePrefixBytes - buffered.size()};

  const std::int32_t claimed_bytes = Reader(buffered).i32();
  if (claimed_bytes < 0 || claimed_bytes > frame_bytes_max) return BadFrame{claimed_bytes};

  const std::size_t total_bytes = kFramePrefixBytes + static_cast<std::size_t>(claimed_bytes);
  if (buffered.size() < total_bytes) return NeedMore{total_bytes - buffered.size()};
  return Frame{buffered.subspan(kFramePrefixBytes, total_bytes - kFramePrefixBytes), total_bytes};
}

ForeignProtocol guess_foreign_protocol(std::int32_t claimed_bytes) {
  constexpr std::array<std::string_view, 9> kHttpStarts = {"GET ", "HEAD", "POST", "PUT ", "DELE",
                                                           "OPTI", "PATC", "PRI ", "HTTP"};
  for (const std::string_view start : kHttpStarts) {
    if (Reader(as_bytes(start)).i32() == claimed_bytes) return ForeignProtocol::kHttp;
  }
  // A TLS record: type handshake (0x16), then version 3.x.
  const auto claimed = static_cast<std::uint32_t>(claimed_bytes);
  if (claimed >> 16 == 0x1603) return ForeignProtocol::kTls;
  return ForeignProtocol::kNone;
}

}  // namespace braid::protocol
