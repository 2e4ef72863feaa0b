#include "protocol/recode/input_lines.h"

#include <utility>

#include "protocol/base/limits.h"

namespace braid::protocol {

InputLines::InputLines(Source source, std::size_t line_bytes_max)
    : source_(std::move(source)), line_bytes_max_(line_bytes_max), buffer_(kRecodeReadBytes, '\0') {}

std::optional<InputLines::Line> InputLines::next() {
  line_.clear();
  too_long_ = false;
  bool any = false;
  while (!unread_.empty() || fill()) {
    any = true;
    const std::size_t newline = unread_.find('\n');
    keep(unread_.substr(0, newline));
    if (newline != std::string_view::npos) {
      unread_.remove_prefix(newline + 1);
      return Line{line_, too_long_};
    }
    unread_ = {};
  }
  if (!any || failed_) return std::nullopt;
  return Line{line_, too_long_};
}

bool InputLines::fill() {
  const std::optional<std::size_t> count = source_(std::span(buffer_.data(), buffer_.size()));
  failed_ = !count;
  unread_ = std::string_view(buffer_).substr(0, count.value_or(0));
  return !unread_.empty();
}

void InputLines::keep(std::string_view part) {
  too_long_ = too_long_ || part.size() > line_bytes_max_ - line_.size();
  if (too_long_)
    line_.clear();
  else
    line_ += part;
}

}  // namespace braid::protocol
