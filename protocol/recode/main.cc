// protocol_recode: decodes and re-encodes protocol messages, line by line, so that this codec can be checked against
// any other. Not part of a broker.
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "protocol/recode/command.h"
#include "protocol/recode/input_lines.h"

namespace {

using namespace braid::protocol;

/// Answers that wait in the output buffer are sent before more input is waited for, so that a caller may ask line by
/// line.
std::size_t read_input(std::span<char> buffer) {
  std::fflush(stdout);
  const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool print(std::string_view text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size(); }

int answer_lines() {
  Arena arena;
  InputLines lines(read_input, kRecodeLineBytesMax);
  while (const auto line = lines.next()) {
    const std::string answered =
        line->too_long ? error_line("the line is longer than 64 MiB") : answer(line->text, arena);
    if (!print(answered)) return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return answer_lines();
  const std::string_view option = argv[1];
  if (argc == 2 && option == "--list") return print(message_list()) ? 0 : 1;
  if (argc == 2 && (option == "--help" || option == "-h")) return print(help_text()) ? 0 : 1;
  std::fputs("protocol_recode: unknown arguments\n", stderr);
  const std::string_view help = help_text();
  std::fwrite(help.data(), 1, help.size(), stderr);
  return 2;
}
