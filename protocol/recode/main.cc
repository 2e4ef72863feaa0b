// protocol_recode: decodes and re-encodes protocol messages, line by line, so that this codec can be checked against
// any other. Not part of a broker.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "protocol/base/limits.h"
#include "protocol/recode/command.h"
#include "protocol/recode/input_lines.h"

namespace {

using namespace braid::protocol;

/// The exit status of a failure, after it was said.
int failed(const char* what) {
  std::fprintf(stderr, "protocol_recode: can't %s: %s\n", what, std::strerror(errno));
  return 1;
}

/// False when it can't be written. It may wait in the output buffer.
bool print(std::string_view text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size(); }

/// The exit status, once everything was printed.
int print_last(std::string_view text) {
  return print(text) && std::fflush(stdout) == 0 ? 0 : failed("write standard output");
}

/// Answers that wait in the output buffer are sent before more input is waited for, so that a caller may ask line by
/// line.
std::optional<std::size_t> read_input(std::span<char> buffer) {
  if (std::fflush(stdout) != 0) return std::nullopt;
  ssize_t count = 0;
  do {
    count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return std::nullopt;
  return static_cast<std::size_t>(count);
}

int answer_lines() {
  Arena arena;
  InputLines lines(read_input, kRecodeLineBytesMax);
  while (const auto line = lines.next()) {
    if (!print(line->too_long ? error_line("the line is longer than 64 MiB") : answer(line->text, arena)))
      return failed("write standard output");
  }
  if (lines.failed()) return failed(std::ferror(stdout) != 0 ? "write standard output" : "read standard input");
  return print_last({});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return answer_lines();
  const std::string_view option = argv[1];
  if (argc == 2 && option == "--list") return print_last(message_list());
  if (argc == 2 && (option == "--help" || option == "-h")) return print_last(help_text());
  std::fputs("protocol_recode: unknown arguments\n", stderr);
  const std::string_view help = help_text();
  std::fwrite(help.data(), 1, help.size(), stderr);
  return 2;
}
