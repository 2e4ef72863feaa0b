#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/types.h"

/// Reading the files of a store for people and programs: never writes, works on a directory that is in use and on a
/// damaged one, and says what it finds instead of stopping there.
namespace braid::storage {

enum class InspectFormat {
  kText,  // for people
  kJson,  // one object a line
};

/// Something is not as it was written, and where.
struct InspectFinding {
  std::string what;
  std::string path = {};                             // from where was looked; empty: no one file
  std::optional<std::int64_t> at = {};               // byte in that file
  std::optional<LogPosition> position = {};          // in the log
  std::optional<std::int64_t> bytes = std::nullopt;  // how many are concerned, where that is known
};

/// Where it goes. Called by the thread that inspects; lines are without line feed and live as long as the call.
class InspectSink {
 public:
  virtual ~InspectSink() = default;
  /// False: enough, the inspection ends here.
  virtual bool row(std::string_view line) = 0;
  virtual bool finding(const InspectFinding& finding) = 0;
  /// What a reader of the rows should know; no row, and no damage.
  virtual void note(std::string_view line) = 0;
  /// How far a long inspection has come.
  virtual void progress(std::string_view line) { static_cast<void>(line); }
};

struct InspectSummary {
  std::uint64_t rows = 0;
  std::uint64_t findings = 0;
};

/// A finding as a line: "! FILE at BYTE: what", or an object with the keys finding, file, at, position, bytes.
std::string finding_line(InspectFormat format, const InspectFinding& finding);

/// Passes things on to a sink, counts them, and remembers when that has had enough. One thread.
class InspectOutput {
 public:
  InspectOutput(InspectFormat format, InspectSink& sink) : format_(format), sink_(sink) {}

  InspectFormat format() const { return format_; }
  const InspectSummary& summary() const { return summary_; }
  bool enough() const { return enough_; }

  void row(std::string_view line);
  /// A line over the rows, for people: no row.
  void heading(std::string_view line);
  void finding(const InspectFinding& finding);
  void note(std::string_view line) { sink_.note(line); }
  void progress(std::string_view line) { sink_.progress(line); }

 private:
  const InspectFormat format_;
  InspectSink& sink_;
  InspectSummary summary_;
  bool enough_ = false;
};

}  // namespace braid::storage
