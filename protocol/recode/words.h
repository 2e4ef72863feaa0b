#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace braid::protocol {

/// Takes the words of a line one after the other; blanks and a carriage return separate them.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// Empty at the end.
  std::string_view take() {
    skip_blanks();
    const std::size_t end = std::min(rest_.find_first_of(kBlanks), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

  /// None unless the next word is a decimal number that fits.
  template <class Integer>
  std::optional<Integer> take_number() {
    const std::string_view word = take();
    Integer number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
  }

  /// All that is left, without blanks around it.
  std::string_view rest() {
    skip_blanks();
    return rest_.substr(0, rest_.find_last_not_of(kBlanks) + 1);
  }

 private:
  static constexpr std::string_view kBlanks = " \t\r";

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

  std::string_view rest_;
};

}  // namespace braid::protocol
