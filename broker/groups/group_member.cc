#include "broker/groups/group_member.h"

#include <algorithm>

namespace braid::broker {

const protocol::Bytes* GroupMember::metadata(std::string_view protocol) const {
  const auto found =
      std::ranges::find(protocols, protocol, [](const auto& each) { return std::string_view(each.first); });
  return found == protocols.end() ? nullptr : &found->second;
}

bool GroupMember::has_same(const std::vector<JoinProtocol>& others) const {
  return std::ranges::equal(protocols, others, [](const auto& own, const JoinProtocol& other) {
    return own.first == other.name && std::ranges::equal(own.second, other.metadata);
  });
}

}  // namespace braid::broker
