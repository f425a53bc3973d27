// SPDX-License-Identifier: Apache-2.0
//
// MetricsRegistry: counters, gauges and histograms, and the page Prometheus reads them from.
//
// A family is a name, a help text, label names and the series seen so far, one for each combination
// of label values. Make a family's known series when the program starts (`with`), so that a rate()
// over them sees the first increment. Invariants: families keep their place, series are printed in
// the order of their label values, and no family grows past its bound: what comes after that is
// counted in one series whose label values are all kOverflow. Everything belongs to one thread.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// Of one family. A scrape stays below a megabyte for any of them, and no label value that others
// choose (a manager's name, an object's name) makes memory grow for ever.
inline constexpr std::size_t kSeriesMax = 5'000;
inline constexpr std::string_view kOverflow = "exceeded_cardinality_limit";

class Counter {
 public:
  void add(double by = 1) {
    FP_CHECK(by >= 0);
    value_ += by;
  }
  // What somebody else counts (the kernel, say) and never lowers.
  void raise_to(double total) {
    if (total > value_) value_ = total;
  }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_ = value; }
  void add(double by) { value_ += by; }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

class Histogram {
 public:
  explicit Histogram(std::shared_ptr<const std::vector<double>> bounds);
  void observe(double value);
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  const std::vector<double>& bounds() const { return *bounds_; }
  // How many fell into (bounds[i-1], bounds[i]]; the last is above all bounds.
  const std::vector<std::uint64_t>& in_bucket() const { return in_bucket_; }

 private:
  std::shared_ptr<const std::vector<double>> bounds_;
  std::vector<std::uint64_t> in_bucket_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

using LabelValues = std::vector<std::string>;

struct FamilyOptions {
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  std::size_t series_max = kSeriesMax;
};

template <class Metric>
class Family {
 public:
  Family(FamilyOptions options, Metric fresh)
      : options_(std::move(options)), fresh_(std::move(fresh)) {}

  // The series of these values, made at zero if it is new. Good as long as the registry, unless
  // it is removed.
  Metric& with(const LabelValues& values) {
    FP_CHECK(values.size() == options_.labels.size());
    if (const auto found = series_.find(values); found != series_.end()) return found->second;
    if (series_.size() < options_.series_max) return series_.emplace(values, fresh_).first->second;
    const LabelValues rest(values.size(), std::string{kOverflow});
    return series_.try_emplace(rest, fresh_).first->second;
  }
  void remove(const LabelValues& values) { series_.erase(values); }
  void clear() { series_.clear(); }

  const FamilyOptions& options() const { return options_; }
  const std::map<LabelValues, Metric>& series() const { return series_; }

 private:
  FamilyOptions options_;
  Metric fresh_;
  std::map<LabelValues, Metric> series_;
};

class MetricsRegistry {
 public:
  MetricsRegistry();
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // Names and labels follow Prometheus' rules and each name is taken once; anything else is a bug.
  Family<Counter>& counter(FamilyOptions options);
  Family<Gauge>& gauge(FamilyOptions options);
  // `bounds` rise; the bucket above all of them is added.
  Family<Histogram>& histogram(FamilyOptions options, std::vector<double> bounds);

  // Called before each page is made, to bring gauges up to date.
  void before_page(std::function<void()> refresh);
  // The whole page, text format 0.0.4.
  std::string page();
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Entry;
  void check_new(const FamilyOptions& options) const;

  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::function<void()>> refreshers_;
};

}  // namespace fixpoint::runtime
