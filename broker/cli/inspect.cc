#include "broker/cli/inspect.h"

#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "broker/cli/exit_code.h"
#include "broker/cli/output.h"
#include "broker/runtime/system_clock.h"
#include "protocol/base/printable.h"
#include "storage/env/posix_file_system.h"
#include "storage/inspect/inspect_checkpoint.h"
#include "storage/inspect/inspect_commit_log.h"
#include "storage/inspect/inspect_consume_queue.h"
#include "storage/inspect/inspect_where.h"
#include "storage/inspect/log_source.h"
#include "storage/inspect/rebuild_shard.h"
#include "storage/inspect/verify_shard.h"

namespace braid::broker {
namespace {

using Subject = InspectOptions::Subject;
namespace fs = std::filesystem;

constexpr std::size_t kBufferedBytesMax = 64 * 1024;
constexpr std::chrono::seconds kProgressPeriod{2};

void complain(std::string_view line) { std::cerr << "braid inspect: " << line << "\n" << std::flush; }

/// Rows leave in large writes, findings at once.
class StandardOutput final : public storage::InspectSink {
 public:
  explicit StandardOutput(storage::InspectFormat format) : format_(format), told_at_(clock_.now()) {}

  bool row(std::string_view line) override {
    buffer_ += line;
    buffer_ += '\n';
    return buffer_.size() < kBufferedBytesMax || flush();
  }
  bool finding(const storage::InspectFinding& finding) override {
    row(storage::finding_line(format_, finding));
    return flush();
  }
  void note(std::string_view line) override {
    static_cast<void>(flush());  // so that on a terminal it stands where it belongs
    complain(protocol::printable(line));
  }
  void progress(std::string_view line) override {
    const protocol::Instant now = clock_.now();
    if (now - told_at_ < kProgressPeriod) return;
    told_at_ = now;
    complain("… " + protocol::printable(line));
  }

  /// False when standard output took not all, now or before.
  bool flush() {
    if (!failed_ && !buffer_.empty()) failed_ = print(buffer_) != kExitOk;
    buffer_.clear();
    return !failed_;
  }

 private:
  const storage::InspectFormat format_;
  const SystemClock clock_;
  protocol::Instant told_at_;
  std::string buffer_;
  bool failed_ = false;
};

/// Where a path is looked at from, so that what lies beside it is within reach: the directory itself if it is a data
/// directory or a shard's, else one above, and for a file two.
struct Reach {
  fs::path root;
  std::string path;  // from there
};

bool holds_store(const fs::path& directory) {
  std::error_code ignored;
  for (const char* const name : {"shard-0", "identity", "commitlog"})
    if (fs::exists(directory / name, ignored)) return true;
  return false;
}

Reach reach_of(const fs::path& path) {
  std::error_code ignored;
  fs::path root = path;
  if (!fs::is_directory(path, ignored)) {
    root = path.parent_path().parent_path();
  } else if (!holds_store(path)) {
    root = path.parent_path();
  }
  const std::string relative = path.lexically_relative(root).string();
  return {.root = root, .path = relative == "." ? std::string() : relative};
}

storage::InspectSummary look(const InspectOptions& options, storage::FileSystem& files, const std::string& path,
                             storage::InspectFormat format, storage::InspectSink& sink) {
  switch (options.subject) {
    case Subject::kCommitLog:
      return inspect_commit_log(files, path,
                                {.format = format,
                                 .from = storage::LogPosition{options.from},
                                 .to = storage::LogPosition{options.to},
                                 .rows_max = static_cast<std::uint64_t>(options.limit)},
                                sink);
    case Subject::kConsumeQueue:
      return inspect_consume_queue(files, path,
                                   {.format = format, .first_index = options.from, .rows_max = options.limit}, sink);
    case Subject::kCheckpoint:
      return inspect_checkpoint(files, path, format, sink);
    case Subject::kWhere:
      return inspect_where(files, path,
                           {.format = format,
                            .topic = options.topic,
                            .partition = storage::QueueId{options.partition},
                            .offset = storage::Offset{options.offset}},
                           sink);
    case Subject::kVerify:
    case Subject::kRebuild:
      break;
  }
  return verify_shard(files, path, format, sink);
}

/// In the shard's own directory, which is opened for writing here and nowhere else.
storage::InspectSummary rebuild(storage::FileSystem& files, const Reach& reach, storage::InspectFormat format,
                                storage::InspectSink& sink) {
  storage::InspectOutput out(format, sink);
  const auto place = find_place(files, reach.path, out);
  if (place && !place->is_shard)
    out.finding({.what = "only a data directory or a shard's can be rebuilt", .path = reach.path});
  if (!place || !place->is_shard) return out.summary();
  const auto shard = storage::open_posix_file_system((reach.root / place->shard).string());
  if (shard.has_error()) {
    out.finding({.what = shard.error().message(), .path = place->shard});
    return out.summary();
  }
  return rebuild_shard(**shard, {}, format, SystemClock().wall_now(), sink);
}

int run(const InspectOptions& options) {
  std::error_code missing;
  const fs::path path = fs::canonical(options.path, missing);
  if (missing) {
    complain(protocol::printable(options.path) + ": " + missing.message());
    return kExitFailure;
  }
  const Reach reach = reach_of(path);
  const auto files = storage::open_posix_file_system(reach.root.string());
  if (files.has_error()) {
    complain(protocol::printable(reach.root.string()) + ": " + files.error().message());
    return kExitFailure;
  }
  const auto format = options.json ? storage::InspectFormat::kJson : storage::InspectFormat::kText;
  StandardOutput output(format);
  const storage::InspectSummary summary = options.subject == Subject::kRebuild
                                              ? rebuild(**files, reach, format, output)
                                              : look(options, **files, reach.path, format, output);
  if (!output.flush()) return kExitFailure;
  return summary.findings == 0 ? kExitOk : kExitFailure;
}

}  // namespace

int inspect(const InspectOptions& options) {
  try {  // the machine may have no memory left, and paths throw
    return run(options);
  } catch (const std::exception& failure) {
    complain(failure.what());
  }
  return kExitFailure;
}

}  // namespace braid::broker
