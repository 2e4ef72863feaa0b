#include "broker/config/value_rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>

#include "broker/config/excerpt.h"
#include "broker/config/value.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

using protocol::check;

constexpr std::string_view kReplicaPairs = "[partitionId]:[brokerId],[partitionId]:[brokerId],...";

/// Takes `prefix` off `text` if it starts so.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The inside of a leading [...], taken off `text`.
std::optional<std::string_view> take_brackets(std::string_view& text) {
  if (!text.starts_with('[')) return std::nullopt;
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return inside;
}

/// "1,...,9" or "1,...", and an "or -1" behind the bracket.
std::optional<ValueRule> parse_range(std::string_view inside, std::string_view behind) {
  constexpr std::string_view kDots = ",...";
  const std::size_t dots = inside.find(kDots);
  ValueRule rule;
  rule.least = parse_number(inside.substr(0, dots));
  std::string_view rest = inside.substr(dots + kDots.size());
  if (take(rest, ",")) {
    rule.greatest = parse_number(rest);
    if (!rule.greatest) return std::nullopt;
  } else if (!rest.empty()) {
    return std::nullopt;
  }
  if (take(behind, " or ")) {
    rule.or_exactly = parse_number(behind);
    if (!rule.or_exactly) return std::nullopt;
  } else if (!behind.empty()) {
    return std::nullopt;
  }
  return rule.least ? std::optional(rule) : std::nullopt;
}

/// "any; no duplicates; empty=y; null=n", behind "list of ".
std::optional<ValueRule> parse_list_rule(std::string_view text) {
  ValueRule rule;
  if (const auto inside = take_brackets(text)) {
    rule.one_of = split_list(*inside);
  } else if (!take(text, "any")) {
    return std::nullopt;
  }
  rule.distinct = take(text, "; no duplicates");
  if (take(text, "; empty=n")) {
    rule.empty_allowed = false;
  } else if (!take(text, "; empty=y")) {
    return std::nullopt;
  }
  // A text is never null, so that "null" only concerns the default.
  return text == "; null=y" || text == "; null=n" ? std::optional(rule) : std::nullopt;
}

std::string_view kind_of(ConfigType type) {
  switch (type) {
    case ConfigType::kBoolean:
      return "true or false";
    case ConfigType::kShort:
      return "a whole number of 16 bits";
    case ConfigType::kInt:
      return "a whole number of 32 bits";
    case ConfigType::kLong:
      return "a whole number of 64 bits";
    case ConfigType::kDouble:
      return "a number";
    case ConfigType::kList:
      return "items separated by commas";
    case ConfigType::kString:
    case ConfigType::kClass:
    case ConfigType::kPassword:
      return "a text";
  }
  return "";
}

/// The value as a number of the key's type; none when it is not one.
std::optional<double> number_of(ConfigType type, std::string_view value) {
  if (type == ConfigType::kDouble) return parse_number(value);
  const std::optional<std::int64_t> whole = parse_integer(value);
  if (!whole) return std::nullopt;
  const auto fits = [&]<class Integer>(Integer) {
    return *whole >= std::numeric_limits<Integer>::min() && *whole <= std::numeric_limits<Integer>::max();
  };
  if (type == ConfigType::kInt && !fits(std::int32_t{})) return std::nullopt;
  if (type == ConfigType::kShort && !fits(std::int16_t{})) return std::nullopt;
  return static_cast<double>(*whole);  // bounds are small, so that rounding above 2^53 does not matter
}

std::optional<std::string> number_objection(const ConfigKey& key, const ValueRule& rule, std::string_view value) {
  const std::optional<double> number = number_of(key.type, value);
  if (!number) return "not " + std::string(kind_of(key.type));
  if (rule.or_exactly && *number == *rule.or_exactly) return std::nullopt;
  if (rule.least && *number < *rule.least) return "too small";
  if (rule.greatest && *number > *rule.greatest) return "too large";
  return std::nullopt;
}

bool among(const ValueRule& rule, std::string_view value) {
  if (rule.one_of.empty()) return true;
  return std::ranges::any_of(rule.one_of, [&](std::string_view allowed) {
    return rule.any_case ? equal_ignoring_case(allowed, value) : allowed == value;
  });
}

/// "0:1"
bool is_replica(std::string_view item) {
  const auto digits = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t colon = item.find(':');
  return colon != std::string_view::npos && digits(item.substr(0, colon)) && digits(item.substr(colon + 1));
}

std::optional<std::string> list_objection(const ValueRule& rule, std::string_view value) {
  const std::vector<std::string_view> items = split_list(value);
  if (items.empty() && !rule.empty_allowed) return "empty";
  std::set<std::string_view> seen;
  for (const std::string_view item : items) {
    if (item.empty()) return "has an empty item";
    if (rule.replicas && !is_replica(item) && (item != "*" || items.size() > 1))
      return "has " + excerpt(item) + ", which is no partition:broker";
    if (!among(rule, item)) return "has the unknown item " + excerpt(item);
    if (!seen.insert(item).second && rule.distinct) return "names " + excerpt(item) + " twice";
  }
  return std::nullopt;
}

std::optional<std::string> text_objection(const ValueRule& rule, std::string_view value) {
  if (value.empty() && !rule.empty_allowed) return "empty";
  if (!among(rule, value)) return "not one of the known values";
  return std::nullopt;
}

/// "a, b or c"
std::string joined(const std::vector<std::string_view>& words, std::string_view before_last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? before_last : ", ";
    text += words[i];
  }
  return text;
}

std::string in_digits(double number) {
  constexpr std::size_t kDigitsMax = 350;  // of a double without exponent
  std::array<char, kDigitsMax> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  return {digits.data(), written.ptr};
}

std::string range_words(const ValueRule& rule) {
  std::string text;
  if (rule.least && rule.greatest) text = " from " + in_digits(*rule.least) + " to " + in_digits(*rule.greatest);
  if (rule.least && !rule.greatest) text = ", at least " + in_digits(*rule.least);
  if (rule.or_exactly) text += ", or " + in_digits(*rule.or_exactly);
  return text;
}

std::string list_words(const ValueRule& rule) {
  std::string text;
  if (!rule.one_of.empty()) text += ", of " + joined(rule.one_of, " and ");
  if (!rule.empty_allowed) text += ", at least one";
  if (rule.distinct) text += ", none twice";
  if (rule.replicas) text += ", each partition:broker, or only *";
  return text;
}

}  // namespace

std::optional<ValueRule> parse_value_rule(std::string_view notation) {
  if (notation.empty() || notation == "non-null string" || notation == "non-empty list") return ValueRule{};
  if (notation == "non-empty string") {
    ValueRule rule;
    rule.empty_allowed = false;
    return rule;
  }
  if (take(notation, "list of ")) return parse_list_rule(notation);
  if (notation == kReplicaPairs) {
    ValueRule rule;
    rule.replicas = true;
    return rule;
  }

  const bool any_case = take(notation, "(case insensitive) ");
  const auto inside = take_brackets(notation);
  if (!inside) return std::nullopt;
  if (inside->find(",...") != std::string_view::npos) return parse_range(*inside, notation);
  if (!notation.empty()) return std::nullopt;
  ValueRule rule;
  rule.one_of = split_list(*inside);
  rule.any_case = any_case;
  return rule;
}

std::optional<std::string> objection(const ConfigKey& key, std::string_view value) {
  const std::optional<ValueRule> rule = parse_value_rule(key.rule);
  check(rule.has_value(), "every rule of the key table can be read");
  switch (key.type) {
    case ConfigType::kShort:
    case ConfigType::kInt:
    case ConfigType::kLong:
    case ConfigType::kDouble:
      return number_objection(key, *rule, value);
    case ConfigType::kBoolean:
      return parse_boolean(value) ? std::nullopt : std::optional<std::string>("not true or false");
    case ConfigType::kList:
      return list_objection(*rule, value);
    case ConfigType::kString:
    case ConfigType::kClass:
    case ConfigType::kPassword:
      return text_objection(*rule, value);
  }
  return std::nullopt;
}

std::string allowed_values(const ConfigKey& key) {
  const std::optional<ValueRule> rule = parse_value_rule(key.rule);
  check(rule.has_value(), "every rule of the key table can be read");
  const std::string kind(kind_of(key.type));
  if (key.type == ConfigType::kList) return kind + list_words(*rule);
  if (!rule->one_of.empty()) return joined(rule->one_of, " or ") + (rule->any_case ? ", in any case" : "");
  return kind + (rule->empty_allowed ? "" : " that is not empty") + range_words(*rule);
}

}  // namespace braid::broker
