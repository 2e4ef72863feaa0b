#include "protocol/messages/registry.h"

#include <algorithm>

namespace braid::protocol {
namespace {

template <class Wanted>
const RegisteredMessage* find_if(Wanted wanted) {
  const auto all = registered_messages();
  const auto found = std::ranges::find_if(all, [&](const RegisteredMessage* message) { return wanted(*message); });
  return found == all.end() ? nullptr : *found;
}

}  // namespace

const RegisteredMessage* find_message(std::int16_t api_key, MessageKind kind) {
  return find_if([&](const RegisteredMessage& message) { return message.api_key == api_key && message.kind == kind; });
}

const RegisteredMessage* find_message(std::string_view name) {
  return find_if([&](const RegisteredMessage& message) { return message.name == name; });
}

}  // namespace braid::protocol
