#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/arena.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"
#include "protocol/messages/json_text.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {

enum class MessageKind : std::uint8_t { kRequest, kResponse, kHeader, kData };

/// What a program can do with a message that it knows by number or name only: tools, tests and fuzzers. Not part of a
/// broker. All functions: `arena` is reset first and holds what is decoded; any thread with an arena of its own.
struct RegisteredMessage {
  std::string_view name;  // "list_offsets_request", "offset_commit_key", "request_header"
  MessageKind kind{};
  std::int16_t api_key = -1;  // of requests and responses
  std::int16_t version_min = 0;
  std::int16_t version_max = 0;

  /// Decodes and encodes again. Surplus bytes behind the message are ignored.
  Result<Bytes> (*recode)(ByteView body, std::int16_t version, Arena& arena) = nullptr;
  /// Decodes and prints the fields that the version has.
  Result<std::string> (*json)(ByteView body, std::int16_t version, Arena& arena) = nullptr;
  /// The encoding of a message in which every field has its default.
  Bytes (*encode_default)(std::int16_t version) = nullptr;
};

/// All messages: requests and responses by rising key, then the others.
std::span<const RegisteredMessage* const> registered_messages();

/// Null if there is none.
const RegisteredMessage* find_message(std::int16_t api_key, MessageKind kind);
const RegisteredMessage* find_message(std::string_view name);

/// `Printer` prints a decoded message; it is a type so that the entry needs no state.
template <class Message, class Printer>
constexpr RegisteredMessage register_message(std::string_view name, MessageKind kind, std::int16_t api_key, Printer) {
  return {
      .name = name,
      .kind = kind,
      .api_key = api_key,
      .version_min = Message::kVersionMin,
      .version_max = Message::kVersionMax,
      .recode = [](ByteView body, std::int16_t version, Arena& arena) -> Result<Bytes> {
        arena.reset();
        Message message;
        Reader in(body);
        TRY_DO(decode(in, version, arena, message));
        return encode_to_bytes(message, version);
      },
      .json = [](ByteView body, std::int16_t version, Arena& arena) -> Result<std::string> {
        arena.reset();
        Message message;
        Reader in(body);
        TRY_DO(decode(in, version, arena, message));
        std::string text;
        JsonText out(text);
        Printer{}(message, version, out);
        return text;
      },
      .encode_default = [](std::int16_t version) -> Bytes { return encode_to_bytes(Message{}, version); },
  };
}

}  // namespace braid::protocol
