#include "broker/cli/serve.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "broker/cli/ephemeral_directory.h"
#include "broker/cli/exit_code.h"
#include "broker/cli/output.h"
#include "broker/config/config.h"
#include "broker/config/config_file.h"
#include "broker/config/config_text.h"
#include "broker/config/environment.h"
#include "broker/config/settings.h"
#include "broker/runtime/system_clock.h"

namespace braid::broker {
namespace {

std::string host_name() {
  constexpr std::size_t kHostNameBytesMax = 256;
  std::array<char, kHostNameBytesMax + 1> name{};
  return ::gethostname(name.data(), kHostNameBytesMax) == 0 && name[0] != '\0' ? name.data() : "localhost";
}

std::vector<std::string_view> environment_variables() {
  std::vector<std::string_view> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

std::vector<ConfigEntry> override_entries(const std::vector<std::string>& overrides, ConfigProblems& problems) {
  std::vector<ConfigEntry> entries;
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const std::string& text = overrides[i];
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      // Not the text: a value that is meant to be secret may stand in it.
      problems.add("the --override number " + std::to_string(i + 1) + " must be KEY=VALUE");
      continue;
    }
    entries.push_back({text.substr(0, equals), text.substr(equals + 1), ConfigOrigin::kCommandLine, "--override"});
  }
  return entries;
}

/// What --dev means where nothing else is said: before the file, which wins, as everything else does.
std::vector<ConfigEntry> dev_entries() {
  constexpr ConfigOrigin kOrigin = ConfigOrigin::kCommandLine;
  return {{"listeners", "PLAINTEXT://127.0.0.1:9092", kOrigin, "--dev"}, {"flush.mode", "async", kOrigin, "--dev"}};
}

/// The directory is the one thing that --dev insists on.
void take_dev_directory(const std::string& directory, ConfigLayers& layers, ConfigProblems& problems) {
  for (const ConfigEntry& entry : layers.command_line)
    if (entry.key == "log.dir" || entry.key == "log.dirs")
      problems.add("--dev keeps records in a temporary directory of its own: leave out --override " + entry.key);
  layers.command_line.push_back({"log.dirs", directory, ConfigOrigin::kCommandLine, "--dev"});
}

struct Prepared {
  Config config;
  BrokerSettings settings;
  ConfigProblems problems;
  ConfigNotices notices;          // of single keys
  ConfigNotices derived_notices;  // of what they mean together
};

/// Everything from the sources to the settings. Later steps only when the earlier ones found no problem.
Prepared prepare(const ServeOptions& options, const std::string& dev_directory) {
  Prepared prepared;
  ConfigLayers layers;
  if (options.dev) layers.file = dev_entries();
  if (!options.config_path.empty()) {
    ConfigFile file = load_config_file(options.config_path);
    if (!file.problem.empty()) prepared.problems.add(std::move(file.problem));
    std::ranges::move(file.entries, std::back_inserter(layers.file));
  }
  layers.environment = environment_entries(environment_variables());
  layers.command_line = override_entries(options.overrides, prepared.problems);
  if (options.dev) take_dev_directory(dev_directory, layers, prepared.problems);
  if (!prepared.problems.empty()) return prepared;

  LoadedConfig loaded = load_config(std::move(layers));
  prepared.config = std::move(loaded.config);
  prepared.problems = std::move(loaded.problems);
  prepared.notices = std::move(loaded.notices);
  if (!prepared.problems.empty()) return prepared;

  DerivedSettings derived = derive_settings(prepared.config, host_name());
  prepared.settings = std::move(derived.settings);
  prepared.problems = std::move(derived.problems);
  prepared.derived_notices = std::move(derived.notices);
  return prepared;
}

void log_left_out(LogLevel level, std::size_t count) {
  if (count > 0) log(level, "config", "and " + std::to_string(count) + " more like these");
}

void log_problems(const ConfigProblems& problems) {
  for (const std::string& problem : problems) log(LogLevel::kError, "config", problem);
  log_left_out(LogLevel::kError, problems.left_out());
}

void log_notices(const ConfigNotices& notices) {
  for (const ConfigNotice& notice : notices)
    log(notice.warning ? LogLevel::kWarning : LogLevel::kInfo, "config", notice.key + " " + notice.text);
  log_left_out(LogLevel::kWarning, notices.left_out());
}

bool colours_wanted() {
  const char* const unwanted = std::getenv("NO_COLOR");
  return unwanted == nullptr || *unwanted == '\0';
}

int run_broker(BrokerSettings settings, const Config& config) {
  const SystemClock clock;
  std::string problem;
  try {  // the machine may have no descriptor or entropy left, which libraries say by throwing
    Broker broker(std::move(settings), config, clock);
    problem = broker.open();
    if (problem.empty()) return broker.run();
  } catch (const std::exception& failure) {
    problem = failure.what();
  }
  log(LogLevel::kError, "broker", "can't start: " + problem);
  return kExitFailure;
}

void warn_of_dev_mode(const BrokerSettings& settings) {
  log(LogLevel::kWarning, "broker", "DEVELOPMENT MODE (--dev): every record is lost when this broker stops",
      {{"log.dirs", settings.storage.log_dir}});
  if (settings.flush_mode == "async")
    log(LogLevel::kWarning, "broker", "DEVELOPMENT MODE (--dev): writes are acknowledged before they are on the disk");
}

int prepare_and_act(const ServeOptions& options) {
  std::optional<EphemeralDirectory> dev_directory;
  if (options.dev) dev_directory.emplace();
  if (dev_directory && dev_directory->path().empty()) {
    log(LogLevel::kError, "broker", "can't start: no temporary directory could be made");
    return kExitFailure;
  }
  Prepared prepared = prepare(options, dev_directory ? dev_directory->path() : std::string{});
  log_problems(prepared.problems);
  if (!prepared.problems.empty()) return kExitUsage;

  log_notices(prepared.notices);
  log_notices(prepared.derived_notices);
  if (options.print_config)
    return print(options.print_json ? config_as_json(prepared.config) : config_as_text(prepared.config));
  if (options.check_config) return kExitOk;
  if (options.dev) warn_of_dev_mode(prepared.settings);
  return run_broker(std::move(prepared.settings), prepared.config);
}

}  // namespace

int serve(const ServeOptions& options) {
  start_logging(options.log_format, options.log_level, colours_wanted());
  const int exit_code = prepare_and_act(options);
  finish_logging();
  return exit_code;
}

}  // namespace braid::broker
