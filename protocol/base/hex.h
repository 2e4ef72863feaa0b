#pragma once

#include <string>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::protocol {

/// Two lower-case digits a byte, no separators.
std::string to_hex(ByteView bytes);
/// The same, at the end of `text`.
void append_hex(ByteView bytes, std::string& text);

/// Reads pairs of digits of either case; spaces between them are skipped, so that documents can group them.
/// Errc::not_hex.
Result<Bytes> from_hex(std::string_view text);

}  // namespace braid::protocol
