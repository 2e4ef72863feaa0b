#include "broker/config/properties.h"

#include <cstdint>
#include <utility>

#include "protocol/base/utf8.h"

namespace braid::broker {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::string_view without_leading_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

/// Cuts a text into natural lines, which end with \n, \r or \r\n.
class LineCutter {
 public:
  explicit LineCutter(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::size_t line() const { return line_; }  // of the last one taken, from 1

  std::string_view take() {
    const std::size_t end = rest_.find_first_of("\r\n");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(line.size());
    if (rest_.starts_with("\r\n")) {
      rest_.remove_prefix(2);
    } else if (!rest_.empty()) {
      rest_.remove_prefix(1);
    }
    ++line_;
    return line;
  }

 private:
  std::string_view rest_;
  std::size_t line_ = 0;
};

bool is_continued(std::string_view line) {
  std::size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

/// The next line that holds a property, its continuations joined to it; empty at the end.
std::string take_logical_line(LineCutter& lines, std::size_t& first_line) {
  while (!lines.at_end()) {
    std::string_view line = without_leading_blanks(lines.take());
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    first_line = lines.line();
    std::string logical(line);
    while (is_continued(line)) {
      logical.pop_back();
      if (lines.at_end()) break;
      line = without_leading_blanks(lines.take());
      logical += line;
    }
    if (!logical.empty()) return logical;
  }
  return {};
}

/// Where the key ends: at the first separator that is not escaped.
std::size_t key_bytes(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '=' || line[i] == ':' || is_blank(line[i])) {
      return i;
    }
  }
  return line.size();
}

/// The value behind the key: blanks, at most one = or :, blanks.
std::string_view value_part(std::string_view behind_key) {
  behind_key = without_leading_blanks(behind_key);
  if (behind_key.starts_with('=') || behind_key.starts_with(':')) behind_key.remove_prefix(1);
  return without_leading_blanks(behind_key);
}

std::optional<std::uint16_t> hex_unit(std::string_view digits) {
  constexpr std::size_t kDigits = 4;
  if (digits.size() < kDigits) return std::nullopt;
  unsigned unit = 0;
  for (const char digit : digits.substr(0, kDigits)) {
    unit <<= 4;
    if (digit >= '0' && digit <= '9') {
      unit |= static_cast<unsigned>(digit - '0');
    } else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f') {
      unit |= static_cast<unsigned>((digit | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return static_cast<std::uint16_t>(unit);
}

/// Takes what follows \u, and a second \uXXXX where the first is half of a pair. None when it is malformed.
std::optional<char32_t> take_code_point(std::string_view& text) {
  const std::optional<std::uint16_t> high = hex_unit(text);
  if (!high || *high == 0) return std::nullopt;
  text.remove_prefix(4);
  if (*high < 0xD800 || *high >= 0xE000) return *high;
  if (*high >= 0xDC00 || !text.starts_with("\\u")) return std::nullopt;
  const std::optional<std::uint16_t> low = hex_unit(text.substr(2));
  if (!low || *low < 0xDC00 || *low >= 0xE000) return std::nullopt;
  text.remove_prefix(6);
  return 0x10000 + (static_cast<char32_t>(*high - 0xD800) << 10) + static_cast<char32_t>(*low - 0xDC00);
}

/// Escapes resolved; none when a \u escape is malformed.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\') {
      plain += c;
      continue;
    }
    if (text.empty()) break;
    const char escaped = text.front();
    text.remove_prefix(1);
    switch (escaped) {
      case 't':
        plain += '\t';
        break;
      case 'n':
        plain += '\n';
        break;
      case 'r':
        plain += '\r';
        break;
      case 'f':
        plain += '\f';
        break;
      case 'u': {
        const std::optional<char32_t> code_point = take_code_point(text);
        if (!code_point) return std::nullopt;
        protocol::append_utf8(*code_point, plain);
        break;
      }
      default:
        plain += escaped;
    }
  }
  return plain;
}

/// The first line with a NUL byte, from 1.
std::optional<std::size_t> line_with_nul(std::string_view text) {
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return std::nullopt;
  LineCutter lines(text.substr(0, nul + 1));
  while (!lines.at_end()) lines.take();
  return lines.line();
}

/// Each byte is one character.
std::string latin1_to_utf8(std::string_view text) {
  std::string utf8;
  utf8.reserve(text.size() * 2);
  for (const char byte : text) protocol::append_utf8(static_cast<std::uint8_t>(byte), utf8);
  return utf8;
}

}  // namespace

PropertiesText parse_properties(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string from_latin1;
  if (!protocol::is_utf8(text)) {
    from_latin1 = latin1_to_utf8(text);
    text = from_latin1;
  }

  PropertiesText result;
  if (const auto line = line_with_nul(text)) {
    result.fault = {*line, "a NUL byte: this is no text in UTF-8 or Latin-1; UTF-16 is not read"};
    return result;
  }
  LineCutter lines(text);
  std::size_t line_number = 0;
  for (std::string line = take_logical_line(lines, line_number); !line.empty();
       line = take_logical_line(lines, line_number)) {
    const std::string_view view(line);
    const std::size_t key_end = key_bytes(view);
    std::optional<std::string> key = unescaped(view.substr(0, key_end));
    std::optional<std::string> value = unescaped(value_part(view.substr(key_end)));
    if (!key || !value) {
      result.fault = {
          line_number,
          "a \\u escape needs four hexadecimal digits that are not all 0, and halves of a pair come together"};
      return result;
    }
    result.properties.push_back({std::move(*key), std::move(*value), line_number});
  }
  return result;
}

}  // namespace braid::broker
