#include "broker/observe/log_fields.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "protocol/base/printable.h"

namespace braid::broker {
namespace {

using protocol::printable;

/// In double quotes when it would not be one word otherwise.
std::string one_word(std::string_view text) {
  std::string shown = printable(text);
  if (!shown.empty() && shown.find_first_of(" \"=\\") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string pairs(std::span<const LogField> fields) {
  std::string text;
  for (const LogField& field : fields) {
    text += ' ';
    text += field.key;
    text += '=';
    text += one_word(field.value);
  }
  return text;
}

/// The members of an object, without its braces.
std::string json_members(std::string_view component, std::string_view message, std::span<const LogField> fields) {
  boost::json::object line;
  line["component"] = printable(component);
  line["message"] = printable(message);
  for (const LogField& field : fields) line[field.key] = printable(field.value);
  const std::string text = boost::json::serialize(line);
  return text.substr(1, text.size() - 2);
}

}  // namespace

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "logfmt") return LogFormat::kLogfmt;
  if (text == "json") return LogFormat::kJson;
  return std::nullopt;
}

std::string render_fields(LogFormat format, std::string_view component, std::string_view message,
                          std::span<const LogField> fields) {
  switch (format) {
    case LogFormat::kText:
      return std::string(component) + ": " + printable(message) + pairs(fields);
    case LogFormat::kLogfmt:
      return "component=" + std::string(component) + " message=" + one_word(message) + pairs(fields);
    case LogFormat::kJson:
      return json_members(component, message, fields);
  }
  return {};
}

}  // namespace braid::broker
