#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace braid::broker {

/// `braid inspect …` as it was typed.
struct InspectOptions {
  enum class Subject { kCommitLog, kConsumeQueue, kCheckpoint, kWhere, kVerify, kRebuild };
  Subject subject = Subject::kCommitLog;
  std::string path;
  bool json = false;
  std::int64_t from = 0;           // position, or index in a queue
  std::int64_t to = INT64_MAX;     // position, exclusive
  std::int64_t limit = INT64_MAX;  // rows
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

/// Adds the command with all that it takes; parsing fills `options`, which outlives `app`.
CLI::App* add_inspect_command(CLI::App& app, InspectOptions& options);

}  // namespace braid::broker
