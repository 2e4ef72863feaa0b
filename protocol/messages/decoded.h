#pragma once

#include <cstdint>

#include "protocol/base/arena.h"
#include "protocol/base/result.h"
#include "protocol/messages/encoded.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {

/// Reads one message; `in` then stands behind it, and surplus bytes are the caller's to judge. Fields that the version
/// does not have get their defaults. Views in `out` live as long as the bytes of `in`, arrays as long as the arena's.
///
/// Errc::unsupported_version: no encoding by that number. Errc::malformed: the bytes are not such a message, or end
/// early. Errc::too_large: the arena is exhausted.
template <class Message>
Result<void> decode(Reader& in, std::int16_t version, Arena& arena, Message& out) {
  if (!has_version<Message>(version)) return make_error_code(Errc::unsupported_version);
  out = Message{};
  read(in, version, arena, out);
  if (in.ok()) [[likely]]
    return ok();
  return make_error_code(arena.exhausted() ? Errc::too_large : Errc::malformed);
}

}  // namespace braid::protocol
