#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "storage/inspect/inspect.h"

namespace braid::storage {

/// What an inspection said, for tests; findings as people read them.
struct InspectLines final : InspectSink {
  bool row(std::string_view line) override {
    rows.emplace_back(line);
    return rows.size() < rows_max;
  }
  bool finding(const InspectFinding& finding) override {
    findings.push_back(finding_line(InspectFormat::kText, finding));
    return true;
  }
  void note(std::string_view line) override { notes.emplace_back(line); }
  void progress(std::string_view line) override { progresses.emplace_back(line); }

  std::size_t rows_max = SIZE_MAX;
  std::vector<std::string> rows;
  std::vector<std::string> findings;
  std::vector<std::string> notes;
  std::vector<std::string> progresses;
};

}  // namespace braid::storage
