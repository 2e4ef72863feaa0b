#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braid::protocol {

/// Cuts a stream of bytes into lines. A line above `line_bytes_max` is not kept: it is reported as such, and reading
/// goes on behind it. The last line may lack its newline. One thread.
class InputLines {
 public:
  /// Fills the buffer with up to its size and returns how much; 0 is the end, none a failure.
  using Source = std::function<std::optional<std::size_t>(std::span<char> buffer)>;

  struct Line {
    std::string_view text;  // until the next call
    bool too_long = false;  // then `text` is empty
  };

  InputLines(Source source, std::size_t line_bytes_max);

  /// None at the end, and when the source failed: a line that was cut by that is no line.
  std::optional<Line> next();

  bool failed() const { return failed_; }

 private:
  bool fill();
  void keep(std::string_view part);

  const Source source_;
  const std::size_t line_bytes_max_;
  std::string buffer_;
  std::string_view unread_;  // of buffer_
  std::string line_;
  bool too_long_ = false;
  bool failed_ = false;
};

}  // namespace braid::protocol
