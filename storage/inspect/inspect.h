#pragma once

#include <cstdint>
#include <string_view>

/// Reading the files of a store for people and programs: never writes, works on a directory that is in use and on a
/// damaged one, and says what it finds instead of stopping there.
namespace braid::storage {

enum class InspectFormat {
  kText,  // columns under a heading
  kJson,  // one object a line
};

/// Where the lines go. Called by the thread that inspects; lines are without line feed and live as long as the call.
class InspectSink {
 public:
  virtual ~InspectSink() = default;
  /// False: enough, the inspection ends here.
  virtual bool row(std::string_view line) = 0;
  /// What a reader of the rows should know; not a row.
  virtual void note(std::string_view line) = 0;
};

struct InspectSummary {
  std::uint64_t rows = 0;
  std::uint64_t findings = 0;  // damage; each was a note
};

}  // namespace braid::storage
