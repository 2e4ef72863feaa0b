#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config_key.h"

namespace braid::broker {

/// What values of a key are allowed, read from Kafka's notation:
///
///   [1,...]   [0,...,0.5]   [1,...,9] or -1              a range of numbers, ends included
///   [sync, async]   (case insensitive) [ES256, RS256]     one of these
///   list of any; no duplicates; empty=y; null=n           each item once; items may also be given: list of [a, b]
///   non-empty string   non-null string   non-empty list
///   [partitionId]:[brokerId],[partitionId]:[brokerId],...   pairs of numbers; or the one item *
struct ValueRule {
  std::optional<double> least;
  std::optional<double> greatest;
  std::optional<double> or_exactly;
  std::vector<std::string_view> one_of;  // empty: any
  bool any_case = false;
  bool distinct = false;  // items of a list
  bool replicas = false;  // items are partition:broker
  bool empty_allowed = true;
};

/// None when `notation` is not one of the forms above. Borrows from it.
std::optional<ValueRule> parse_value_rule(std::string_view notation);

/// Why `value` (trimmed) may not be given to `key`, for a person; none when it may.
std::optional<std::string> objection(const ConfigKey& key, std::string_view value);

/// What may be given to it, for a person: type and range, in words.
std::string allowed_values(const ConfigKey& key);

}  // namespace braid::broker
