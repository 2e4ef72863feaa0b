#pragma once

#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/messages/registry.h"

namespace braid::protocol {

/// What libFuzzer wants back: keep the input if it reached something new, or never keep it.
inline constexpr int kFuzzKeep = 0;
inline constexpr int kFuzzReject = -1;

/// `input` is int16 API key, int16 version, body. The oracle: what decodes must encode, decode again to the same value,
/// and encode to the same bytes; anything else aborts.
int fuzz_message(ByteView input, MessageKind kind);

/// The same for one message of one version.
int fuzz_body(const RegisteredMessage& message, std::int16_t version, ByteView body);

}  // namespace braid::protocol
