#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/check.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {

/// The message has an encoding by that number.
template <class Message>
constexpr bool has_version(std::int16_t version) {
  return version >= Message::kVersionMin && version <= Message::kVersionMax;
}

/// Bytes that `message` takes in a buffer of its own when its record batches are holes; all its bytes if it has none.
template <class Message>
std::size_t own_size(const Message& message, std::int16_t version) {
  check(has_version<Message>(version), "a message is encoded in a version that it has");
  const std::size_t total_bytes = encoded_size(message, version);
  if constexpr (requires { external_size(message, version); }) {
    return total_bytes - external_size(message, version);
  } else {
    return total_bytes;
  }
}

/// Encodes into a buffer of exactly encoded_size() bytes, or of own_size() bytes when `holes` collects the record
/// batches. Size and writing are two passes that must agree; if not, the process ends.
template <class Message>
void encode_exactly(const Message& message, std::int16_t version, MutableBytes out,
                    std::vector<Hole>* holes = nullptr) {
  Writer writer(out, holes);
  encode(message, version, writer);
  check(writer.position() == out.size(), "the size computed for a message is the size written");
}

/// The whole message in a buffer of its own.
template <class Message>
Bytes encode_to_bytes(const Message& message, std::int16_t version) {
  check(has_version<Message>(version), "a message is encoded in a version that it has");
  Bytes bytes(encoded_size(message, version));
  encode_exactly(message, version, bytes);
  return bytes;
}

}  // namespace braid::protocol
