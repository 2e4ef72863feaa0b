#include "protocol/fuzz/message_input.h"

#include "protocol/base/arena.h"
#include "protocol/base/check.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {

int fuzz_body(const RegisteredMessage& message, std::int16_t version, ByteView body) {
  static Arena arena;
  const Result<Bytes> once = message.recode(body, version, arena);
  const Result<std::string> value = message.json(body, version, arena);
  check(once.has_value() == value.has_value(), "the same bytes decode always or never");
  if (once.has_error()) return kFuzzKeep;

  const Result<Bytes> twice = message.recode(*once, version, arena);
  check(twice.has_value(), "what we encode, we decode");
  check(*twice == *once, "an encoding decodes to the same bytes");
  const Result<std::string> value_again = message.json(*once, version, arena);
  check(value_again.has_value() && *value_again == *value, "an encoding decodes to the same value");
  return kFuzzKeep;
}

int fuzz_message(ByteView input, MessageKind kind) {
  Reader reader(input);
  const std::int16_t api_key = reader.i16();
  const std::int16_t version = reader.i16();
  const RegisteredMessage* const message = find_message(api_key, kind);
  if (!reader.ok() || message == nullptr) return kFuzzReject;
  if (version < message->version_min || version > message->version_max) return kFuzzReject;
  return fuzz_body(*message, version, reader.bytes(reader.remaining()));
}

}  // namespace braid::protocol
