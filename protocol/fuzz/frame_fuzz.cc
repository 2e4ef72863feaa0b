#include <cstddef>
#include <cstdint>

#include "protocol/base/check.h"
#include "protocol/wire/frame.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {
namespace {

constexpr std::int32_t kFrameBytesMax = 1000;

/// Splits a stream until it is used up or broken. The oracle: frames follow each other without a gap, NeedMore asks for
/// no more than what lies between here and the end of a frame that is allowed, and only a length outside the bound is
/// bad.
void split_all(ByteView stream) {
  while (true) {
    const Split split = split_frame(stream, kFrameBytesMax);
    if (const auto* more = std::get_if<NeedMore>(&split)) {
      check(more->missing_bytes > 0, "NeedMore asks for something");
      check(more->missing_bytes + stream.size() <= kFramePrefixBytes + kFrameBytesMax,
            "NeedMore stays within the bound");
      return;
    }
    if (const auto* bad = std::get_if<BadFrame>(&split)) {
      check(bad->claimed_bytes < 0 || bad->claimed_bytes > kFrameBytesMax, "a bad length is outside the bound");
      static_cast<void>(guess_foreign_protocol(bad->claimed_bytes));
      return;
    }
    const auto& frame = std::get<Frame>(split);
    check(frame.consumed_bytes == frame.body.size() + kFramePrefixBytes, "a frame is its prefix and its body");
    check(frame.body.data() == stream.data() + kFramePrefixBytes, "a body follows its prefix");
    check(Reader(stream).i32() == static_cast<std::int32_t>(frame.body.size()), "a body is as long as announced");
    stream = stream.subspan(frame.consumed_bytes);
  }
}

}  // namespace
}  // namespace braid::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::protocol::split_all(std::as_bytes(std::span(data, size)));
  return 0;
}
