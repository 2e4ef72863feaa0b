#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/cli/inspect_options.h"
#include "broker/observe/log.h"

namespace braid::broker {

/// `braid serve` as it was typed.
struct ServeOptions {
  std::string config_path;             // empty: none
  std::vector<std::string> overrides;  // KEY=VALUE
  bool dev = false;                    // for development: forgets everything at its end
  bool check_config = false;
  bool print_config = false;
  bool print_json = false;
  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
};

/// What is to be done: serve, inspect, or leave at once with an exit code after everything was said.
struct CommandLine {
  std::optional<ServeOptions> serve = std::nullopt;
  std::optional<InspectOptions> inspect = std::nullopt;
  int exit_code = 0;
};

/// Prints help, version and faults of usage itself: results to standard output, faults to standard error. Exit code 2
/// for a fault.
CommandLine parse_command_line(int argument_count, const char* const* arguments);

}  // namespace braid::broker
