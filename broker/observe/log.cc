#include "broker/observe/log.h"

#include <spdlog/details/os.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "broker/observe/log_writer.h"
#include "protocol/base/limits.h"

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

const char* colour_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return "\033[36m";
    case spdlog::level::info:
      return "\033[32m";
    case spdlog::level::warn:
      return "\033[33m\033[1m";
    default:
      return "\033[31m\033[1m";
  }
}

/// Puts whole lines into the writer's queue.
class QueueSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  QueueSink(LogWriter& writer, bool colours) : writer_(writer), colours_(colours) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    std::string line(formatted.data(), formatted.size());
    if (colours_ && message.color_range_end > message.color_range_start) {
      line.insert(message.color_range_end, "\033[m");
      line.insert(message.color_range_start, colour_of(message.level));
    }
    writer_.add(line);
  }
  void flush_() override {}

  LogWriter& writer_;
  const bool colours_;
};

/// Written by start_logging before there are other threads. Never destroyed: the writer's thread may be stuck in the
/// last line when the program ends.
struct Output {
  LogFormat format = LogFormat::kText;
  std::unique_ptr<LogWriter> writer;
  std::unique_ptr<spdlog::logger> logger;
};

std::string gap_line(LogFormat format, std::int64_t lines) {
  const std::array<LogField, 1> fields = {{{"lines_left_out", std::to_string(lines)}}};
  const std::string text =
      render_fields(format, "log", "standard error took no more for a while: lines are missing here", fields);
  spdlog::memory_buf_t formatted;
  spdlog::pattern_formatter(pattern_of(format), spdlog::pattern_time_type::utc)
      .format({spdlog::source_loc(), "braid", spdlog::level::warn, spdlog::string_view_t(text.data(), text.size())},
              formatted);
  return {formatted.data(), formatted.size()};
}

void set_output(Output& output, LogFormat format, LogLevel level, bool colours) {
  const bool for_people = spdlog::details::os::in_terminal(stderr) && spdlog::details::os::is_color_terminal();
  output.format = format;
  output.logger =
      std::make_unique<spdlog::logger>("braid", std::make_shared<QueueSink>(*output.writer, colours && for_people));
  output.logger->set_pattern(pattern_of(format), spdlog::pattern_time_type::utc);
  output.logger->set_level(to_spdlog(level));
}

Output& output() {
  static Output& the_output = *[] {
    auto* const made = new Output;
    made->writer = std::make_unique<LogWriter>(STDERR_FILENO, protocol::kLogQueuedBytesMax,
                                               [made](std::int64_t lines) { return gap_line(made->format, lines); });
    set_output(*made, LogFormat::kText, LogLevel::kInfo, true);
    return made;
  }();
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

void start_logging(LogFormat format, LogLevel level, bool colours) { set_output(output(), format, level, colours); }

void finish_logging() { output().writer->flush(std::chrono::milliseconds(protocol::kLogFlushMsMax)); }

void log(LogLevel level, std::string_view component, std::string_view message, std::initializer_list<LogField> fields) {
  if (!log_is_on(level)) return;
  const Output& to = output();
  const std::string text = render_fields(to.format, component, message, {fields.begin(), fields.size()});
  to.logger->log(to_spdlog(level), spdlog::string_view_t(text.data(), text.size()));
}

bool log_is_on(LogLevel level) { return output().logger->should_log(to_spdlog(level)); }

}  // namespace braid::broker
