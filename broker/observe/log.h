#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "broker/observe/log_fields.h"

namespace braid::broker {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

std::optional<LogLevel> parse_log_level(std::string_view text);

/// Chooses form and level of all lines to come; before it, lines are text from info on. Once, before other threads run.
/// Colours only on a terminal, and never when `colours` is false.
void start_logging(LogFormat format, LogLevel level, bool colours);

/// One line on standard error: time (UTC), level, component, message, fields. Any thread; never waits for whoever reads
/// it, see LogWriter. Callers that an outsider can drive limit their own rate.
void log(LogLevel level, std::string_view component, std::string_view message,
         std::initializer_list<LogField> fields = {});

/// Before the program ends: waits for the last lines to leave, kLogFlushMsMax at most.
void finish_logging();

bool log_is_on(LogLevel level);

}  // namespace braid::broker
