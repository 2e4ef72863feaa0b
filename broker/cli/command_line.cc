#include "broker/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "broker/cli/exit_code.h"
#include "broker/cli/output.h"
#include "broker/config/excerpt.h"
#include "broker/observe/build_info.h"
#include "protocol/base/printable.h"

namespace braid::broker {
namespace {

std::string version_text() { return "braid " + std::string(version()) + " (commit " + std::string(revision()) + ")"; }

/// Texts that CLI11 fills in; kept apart from ServeOptions, which has types.
struct Texts {
  std::string positional_config;
  std::string config;
  std::string format = "text";
  std::string log_format = "text";
  std::string log_level = "info";
};

const std::vector<std::string> kLogFormats = {"text", "logfmt", "json"};
const std::vector<std::string> kLogLevels = {"debug", "info", "warning", "error"};

void add_serve_options(CLI::App& serve, ServeOptions& options, Texts& texts) {
  serve.add_option("CONFIG", texts.positional_config, "properties file, such as Kafka's server.properties");
  serve.add_option("-c,--config", texts.config, "the same, by name");
  serve.add_option("--override", options.overrides, "KEY=VALUE; may be repeated; wins over file and environment")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  serve.add_flag("--dev", options.dev,
                 "for development: a temporary directory, flush.mode=async, and only this machine is served");
  serve.add_flag("--check-config", options.check_config, "check the configuration and exit: 0 good, 2 bad");
  serve.add_flag("--print-config", options.print_config, "print each key with value and source, and exit");
  serve.add_option("-o,--format", texts.format, "form of --print-config: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  serve.add_option("--log-format", texts.log_format, "text, logfmt or json; without it, as BRAID_LOG_FORMAT says")
      ->check(CLI::IsMember(kLogFormats))
      ->capture_default_str();
  serve
      .add_option("--log-level", texts.log_level, "debug, info, warning or error; without it, as BRAID_LOG_LEVEL says")
      ->check(CLI::IsMember(kLogLevels))
      ->capture_default_str();
  serve.footer(
      "Configuration: default < file < environment < --override.\n"
      "A variable KAFKA_KEY_NAME sets key.name ('.' is _, '_' is __, '-' is ___).\n"
      "Exit codes: 0 stopped as asked, 1 failed or stopped in haste, 2 bad usage or configuration.");
}

/// The value of a variable stands in for an option that was not given. False when it is none of `allowed`.
bool take_variable(const char* variable, const std::vector<std::string>& allowed, std::string& text) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return true;
  if (std::ranges::find(allowed, value) == allowed.end()) {
    std::cerr << "braid serve: the variable " << variable << " is " << protocol::printable(excerpt(value))
              << "; it must be one of";
    for (const std::string& word : allowed) std::cerr << " " << word;
    std::cerr << "\n";
    return false;
  }
  text = value;
  return true;
}

bool take_variables(const CLI::App& serve, Texts& texts) {
  return (serve.count("--log-format") > 0 || take_variable("BRAID_LOG_FORMAT", kLogFormats, texts.log_format)) &&
         (serve.count("--log-level") > 0 || take_variable("BRAID_LOG_LEVEL", kLogLevels, texts.log_level));
}

/// False when two files were named, or one by nothing.
bool take_texts(const CLI::App& serve, const Texts& texts, ServeOptions& options) {
  if (!texts.positional_config.empty() && !texts.config.empty()) {
    std::cerr << "braid serve: the configuration file is named twice: " << texts.positional_config << " and --config "
              << texts.config << "\n";
    return false;
  }
  if (serve.count("--config") + serve.count("CONFIG") > 0 && texts.config.empty() && texts.positional_config.empty()) {
    std::cerr << "braid serve: the name of the configuration file is empty; is a variable of the shell not set?\n";
    return false;
  }
  options.config_path = texts.config.empty() ? texts.positional_config : texts.config;
  options.print_json = texts.format == "json";
  options.log_format = parse_log_format(texts.log_format).value_or(LogFormat::kText);
  options.log_level = parse_log_level(texts.log_level).value_or(LogLevel::kInfo);
  return true;
}

}  // namespace

CommandLine parse_command_line(int argument_count, const char* const* arguments) {
  CLI::App app("Braid: a broker for Kafka clients", "braid");
  app.set_version_flag("--version", version_text(), "print version and commit, and exit");
  app.require_subcommand(1);
  ServeOptions options;
  Texts texts;
  CLI::App* const serve = app.add_subcommand("serve", "run the broker");
  add_serve_options(*serve, options, texts);
  InspectOptions inspect_options;
  const CLI::App* const inspect = add_inspect_command(app, inspect_options);
  CLI::App* const show_version = app.add_subcommand("version", "print version and commit");

  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    app.exit(help_or_version, text);
    return {.exit_code = print(text.str())};
  } catch (const CLI::ParseError& fault) {
    app.exit(fault);
    return {.exit_code = kExitUsage};
  }
  if (show_version->parsed()) return {.exit_code = print(version_text() + "\n")};
  if (inspect->parsed()) return {.inspect = inspect_options};
  if (!take_variables(*serve, texts) || !take_texts(*serve, texts, options)) return {.exit_code = kExitUsage};
  return {.serve = options};
}

}  // namespace braid::broker
