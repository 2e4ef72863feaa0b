#pragma once

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace braid::broker {

/// A page of families, each written as text when the next one begins: a family of 10,000 values takes some MiB.
class MetricFamilies {
 public:
  using Labels = std::vector<prometheus::ClientMetric::Label>;

  /// Values added from here on are of this family.
  MetricFamilies& begin(prometheus::MetricType type, std::string name, std::string help) {
    write_out();
    family_ = {{std::move(name), std::move(help), type, {}}};
    return *this;
  }
  MetricFamilies& counter(std::string name, std::string help) {
    return begin(prometheus::MetricType::Counter, std::move(name), std::move(help));
  }
  MetricFamilies& gauge(std::string name, std::string help) {
    return begin(prometheus::MetricType::Gauge, std::move(name), std::move(help));
  }

  template <class Number>
  MetricFamilies& add(Number value, Labels labels = {}) {
    prometheus::MetricFamily& family = family_.front();
    prometheus::ClientMetric metric;
    metric.label = std::move(labels);
    if (family.type == prometheus::MetricType::Counter) {
      metric.counter.value = static_cast<double>(value);
    } else {
      metric.gauge.value = static_cast<double>(value);
    }
    family.metric.push_back(std::move(metric));
    return *this;
  }

  /// `unit`: what one of the counted values is of the unit that is shown.
  template <class Counts>
  MetricFamilies& histogram(const Counts& counts, double unit, Labels labels) {
    prometheus::ClientMetric metric;
    metric.label = std::move(labels);
    for (std::size_t i = 0; i < counts.buckets.size(); ++i) {
      metric.histogram.sample_count += counts.buckets[i];
      if (i + 1 == counts.buckets.size()) break;  // the last has no end, which the serializer writes by itself
      const auto end = static_cast<double>(counts.first_end << i) * unit;
      metric.histogram.bucket.push_back({metric.histogram.sample_count, end});
    }
    metric.histogram.sample_sum = static_cast<double>(counts.sum) * unit;
    family_.front().metric.push_back(std::move(metric));
    return *this;
  }

  /// The text of all; nothing is added afterwards.
  std::string finish() {
    write_out();
    return std::move(text_).str();
  }

 private:
  void write_out() {
    if (!family_.empty()) prometheus::TextSerializer().Serialize(text_, family_);
  }

  std::vector<prometheus::MetricFamily> family_;  // the one that is being filled, or none yet
  std::ostringstream text_;
};

}  // namespace braid::broker
