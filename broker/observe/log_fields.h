#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braid::broker {

/// text: for people. logfmt: KEY=VALUE for log collectors. json: one object a line.
enum class LogFormat { kText, kLogfmt, kJson };

std::optional<LogFormat> parse_log_format(std::string_view text);

struct LogField {
  std::string_view key;
  std::string value;
};

/// A line without its time and level, in the given form. Control characters and bytes that are not UTF-8 become \xNN,
/// so that a line stays one line whatever a client sent.
std::string render_fields(LogFormat format, std::string_view component, std::string_view message,
                          std::span<const LogField> fields);

}  // namespace braid::broker
