#include "broker/observe/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

namespace braid::broker {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// What comes before and behind the fields; the fields themselves are %v.
const char* pattern_of(LogFormat format) {
  switch (format) {
    case LogFormat::kText:
      return "%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v";
    case LogFormat::kLogfmt:
      return "time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v";
    case LogFormat::kJson:
      return R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
  }
  return "%v";
}

struct Output {
  LogFormat format = LogFormat::kText;
  std::unique_ptr<spdlog::logger> logger;
};

Output make_output(LogFormat format, LogLevel level, bool colours) {
  const auto mode = colours ? spdlog::color_mode::automatic : spdlog::color_mode::never;
  auto logger = std::make_unique<spdlog::logger>("braid", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode));
  logger->set_pattern(pattern_of(format), spdlog::pattern_time_type::utc);
  logger->set_level(to_spdlog(level));
  logger->flush_on(spdlog::level::trace);
  return {format, std::move(logger)};
}

/// Written by start_logging before there are other threads.
Output& output() {
  static Output the_output = make_output(LogFormat::kText, LogLevel::kInfo, true);
  return the_output;
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  return std::nullopt;
}

void start_logging(LogFormat format, LogLevel level, bool colours) { output() = make_output(format, level, colours); }

void log(LogLevel level, std::string_view component, std::string_view message, std::initializer_list<LogField> fields) {
  if (!log_is_on(level)) return;
  const Output& to = output();
  const std::string text = render_fields(to.format, component, message, {fields.begin(), fields.size()});
  to.logger->log(to_spdlog(level), spdlog::string_view_t(text.data(), text.size()));
}

bool log_is_on(LogLevel level) { return output().logger->should_log(to_spdlog(level)); }

}  // namespace braid::broker
