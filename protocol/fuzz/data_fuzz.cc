#include <cstddef>
#include <cstdint>

#include "protocol/fuzz/message_input.h"

/// Headers, consumer protocol, control and coordinator records: the input is one body, tried as every one of them in
/// every version.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::protocol;
  for (const RegisteredMessage* const message : registered_messages()) {
    if (message->kind != MessageKind::kHeader && message->kind != MessageKind::kData) continue;
    for (int version = message->version_min; version <= message->version_max; ++version) {
      fuzz_body(*message, static_cast<std::int16_t>(version), std::as_bytes(std::span(data, size)));
    }
  }
  return kFuzzKeep;
}
