#include "storage/bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace braid::storage {
namespace {

std::string goal_text(const Row& row) {
  if (row.goal == Row::Goal::kNone) return "";
  return (row.goal == Row::Goal::kAtLeast ? ">= " : "<= ") + number_text(row.bound) + (row.met() ? " met" : " MISSED");
}

std::string range(const Spread& spread) {
  return number_text(spread.median) + " (" + number_text(spread.least) + "-" + number_text(spread.greatest) + ")";
}

void print(const Row& row) {
  std::printf("| %-28s | %-24s | %-26s | %-26s | %-6s | %-14s | %s\n", row.measure.c_str(), row.at.c_str(),
              (range(row.figure) + " " + row.unit).c_str(), row.floor ? range(*row.floor).c_str() : "",
              row.ratio ? number_text(*row.ratio).c_str() : "", goal_text(row).c_str(), row.note.c_str());
  std::fflush(stdout);
}

void print_json(const Row& row, bool last) {
  std::printf("  {\"measure\": \"%s\", \"at\": \"%s\", \"unit\": \"%s\", \"figure\": [%g, %g, %g]", row.measure.c_str(),
              row.at.c_str(), row.unit.c_str(), row.figure.median, row.figure.least, row.figure.greatest);
  if (row.floor) std::printf(", \"floor\": [%g, %g, %g]", row.floor->median, row.floor->least, row.floor->greatest);
  if (row.ratio) std::printf(", \"ratio\": %g", *row.ratio);
  if (row.goal != Row::Goal::kNone)
    std::printf(", \"goal\": \"%s %g\", \"met\": %s", row.goal == Row::Goal::kAtLeast ? ">=" : "<=", row.bound,
                row.met() ? "true" : "false");
  std::printf(", \"note\": \"%s\"}%s\n", row.note.c_str(), last ? "" : ",");
}

}  // namespace

std::string number_text(double value) {
  const double size = std::fabs(value);
  const int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

double quantile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

bool Row::met() const {
  const double value = ratio.value_or(figure.median);
  switch (goal) {
    case Goal::kNone:
      return true;
    case Goal::kAtLeast:
      return value >= bound;
    case Goal::kAtMost:
      return value <= bound;
  }
  return false;
}

void Report::add(Row row) {
  if (row.floor && !row.ratio && row.floor->median != 0) row.ratio = row.figure.median / row.floor->median;
  if (format_ == Format::kTable) {
    if (rows_.empty()) {
      std::printf("| %-28s | %-24s | %-26s | %-26s | %-6s | %-14s | %s\n", "measure", "at", "figure: median (range)",
                  "floor", "ratio", "goal", "note");
      std::printf("| --- | --- | --- | --- | --- | --- | ---\n");
    }
    print(row);
  }
  rows_.push_back(std::move(row));
}

bool Report::finish(const std::string& about) {
  const auto missed = std::ranges::count_if(rows_, [](const Row& row) { return !row.met(); });
  if (format_ == Format::kJson) {
    std::printf("{\"about\": \"%s\", \"rows\": [\n", about.c_str());
    for (std::size_t i = 0; i < rows_.size(); ++i) print_json(rows_[i], i + 1 == rows_.size());
    std::printf("]}\n");
  } else {
    std::printf("\n%s\n%d goals missed\n", about.c_str(), static_cast<int>(missed));
  }
  return missed == 0;
}

}  // namespace braid::storage
