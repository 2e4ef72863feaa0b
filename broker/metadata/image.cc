#include "broker/metadata/image.h"

#include <algorithm>
#include <array>

namespace braid::broker {
namespace {

constexpr std::size_t kTopicNameBytesMax = 249;  // Kafka's: with a partition's number it fits a file name

constexpr std::array<std::string_view, 3> kInternalTopics = {"__consumer_offsets", "__share_group_state",
                                                             "__transaction_state"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

bool is_internal_topic(std::string_view name) {
  return std::ranges::find(kInternalTopics, name) != kInternalTopics.end();
}

bool is_topic_name(std::string_view name) {
  return !name.empty() && name.size() <= kTopicNameBytesMax && name != "." && name != ".." &&
         std::ranges::all_of(name, is_name_character);
}

}  // namespace braid::broker
