#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace braid::storage {

/// What several rounds gave.
struct Spread {
  double median = 0;
  double least = 0;
  double greatest = 0;
};
Spread spread_of(std::vector<double> values);
/// Of what `one` gives each time.
template <class One>
Spread spread_of_rounds(int rounds, const One& one) {
  std::vector<double> values(static_cast<std::size_t>(rounds));
  for (double& value : values) value = one();
  return spread_of(std::move(values));
}
/// The value below which `part` of all are.
double quantile(std::vector<double>& values, double part);

/// Three or so digits.
std::string number_text(double value);

/// One line of the table. A goal is met when the ratio (or without a floor the figure) is on the right side of it.
struct Row {
  std::string measure;
  std::string at;
  std::string unit;
  Spread figure;
  std::optional<Spread> floor = {};
  std::optional<double> ratio = {};
  enum class Goal { kNone, kAtLeast, kAtMost } goal = Goal::kNone;
  double bound = 0;
  std::string note = {};

  bool met() const;
};

/// Prints each row as it comes, or all of them as JSON at the end. One thread.
class Report {
 public:
  enum class Format { kTable, kJson };
  explicit Report(Format format) : format_(format) {}

  void add(Row row);
  /// True when every goal was met.
  bool finish(const std::string& about);

 private:
  const Format format_;
  std::vector<Row> rows_;
};

}  // namespace braid::storage
