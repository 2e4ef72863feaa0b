#include <cstddef>
#include <cstdint>

#include "protocol/fuzz/message_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return braid::protocol::fuzz_message(std::as_bytes(std::span(data, size)), braid::protocol::MessageKind::kResponse);
}
