#include "broker/metadata/config_change.h"

#include <algorithm>
#include <set>
#include <utility>

#include "broker/config/topic_value.h"
#include "broker/config/value.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

ChangedConfigs refused(ErrorCode error, std::string message) { return {{}, error, std::move(message)}; }

std::string quoted(std::string_view key) { return "'" + std::string(key) + "'"; }

std::optional<ChangedConfigs> objection(std::span<const ConfigChange> changes) {
  std::set<std::string_view> seen;
  for (const ConfigChange& change : changes) {
    if (!seen.insert(change.key).second)
      return refused(ErrorCode::kInvalidRequest, "Error due to duplicate config keys: " + quoted(change.key));
    if (change.operation < ConfigOperation::kSet || change.operation > ConfigOperation::kSubtract)
      return refused(ErrorCode::kInvalidRequest, "Unknown operation on " + quoted(change.key));
    if (change.operation != ConfigOperation::kDelete && !change.value)
      return refused(ErrorCode::kInvalidRequest, "Null value not supported for " + quoted(change.key));
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string_view>& items) {
  std::string text;
  for (const std::string_view item : items) {
    if (!text.empty()) text += ',';
    text += item;
  }
  return text;
}

/// The list with the change's items added or taken away; nothing when that changes nothing.
std::optional<std::string> changed_list(std::string_view list, const ConfigChange& change) {
  std::vector<std::string_view> items = split_list(list);
  const std::size_t before = items.size();
  for (const std::string_view item : split_list(*change.value)) {
    const auto found = std::ranges::find(items, item);
    if (change.operation == ConfigOperation::kSubtract) {
      if (found != items.end()) items.erase(found);
    } else if (found == items.end()) {
      items.push_back(item);
    }
  }
  return items.size() == before ? std::nullopt : std::optional(joined(items));
}

/// An error: the key is no list.
std::optional<ChangedConfigs> change_list(TopicConfigs& configs, const Config& broker, const ConfigChange& change) {
  const TopicKey* const known = find_topic_key(change.key);
  if (known == nullptr)
    return refused(ErrorCode::kInvalidConfig, "Unknown topic config name: " + std::string(change.key));
  if (known->key.type != ConfigType::kList)
    return refused(ErrorCode::kInvalidConfig, "Can't append to or subtract from " + quoted(change.key) +
                                                  ": its type is " + std::string(to_text(known->key.type)) +
                                                  ", not list.");
  const std::string before = value_in_force(*known, configs, broker).value.value_or("");
  if (auto after = changed_list(before, change)) configs.insert_or_assign(std::string(change.key), *std::move(after));
  return std::nullopt;
}

}  // namespace

ChangedConfigs changed_configs(const TopicConfigs& own, const Config& broker, std::span<const ConfigChange> changes) {
  if (auto no = objection(changes)) return *std::move(no);
  ChangedConfigs changed;
  changed.configs = own;
  for (const ConfigChange& change : changes) {
    switch (change.operation) {
      case ConfigOperation::kSet:
        changed.configs.insert_or_assign(std::string(change.key), std::string(trimmed(*change.value)));
        break;
      case ConfigOperation::kDelete:
        if (find_topic_key(change.key) == nullptr)
          return refused(ErrorCode::kInvalidConfig, "Unknown topic config name: " + std::string(change.key));
        changed.configs.erase(std::string(change.key));
        break;
      case ConfigOperation::kAppend:
      case ConfigOperation::kSubtract:
        if (auto no = change_list(changed.configs, broker, change)) return *std::move(no);
        break;
    }
  }
  if (auto why = topic_objection(changed.configs, broker)) return refused(ErrorCode::kInvalidConfig, *std::move(why));
  return changed;
}

}  // namespace braid::broker
