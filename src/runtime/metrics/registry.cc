// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/registry.h"

#include "base/ascii.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

bool is_name(std::string_view text, bool colons) {
  if (text.empty() || is_digit(text[0])) return false;
  return std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || (colons && c == ':');
  });
}

// HELP escapes backslash and newline, label values the quote as well.
void escape(std::string_view text, bool quote, std::string& out) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quote) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  // Whole numbers without exponent, as far as a double holds them exactly.
  if (value == std::floor(value) && std::abs(value) < 9e15) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

class Page {
 public:
  void head(const FamilyOptions& options, std::string_view type) {
    fmt::format_to(std::back_inserter(out_), "# HELP {} ", options.name);
    escape(options.help, false, out_);
    fmt::format_to(std::back_inserter(out_), "\n# TYPE {} {}\n", options.name, type);
  }
  void sample(const FamilyOptions& family, std::string_view suffix, const LabelValues& values,
              std::string_view le, const std::string& value) {
    out_ += family.name;
    out_ += suffix;
    if (!values.empty() || !le.empty()) {
      out_ += '{';
      for (std::size_t i = 0; i < values.size(); ++i) label(family.labels[i], values[i], i > 0);
      if (!le.empty()) label("le", le, !values.empty());
      out_ += '}';
    }
    out_ += ' ';
    out_ += value;
    out_ += '\n';
  }
  std::string take() { return std::move(out_); }

 private:
  void label(std::string_view name, std::string_view value, bool comma) {
    if (comma) out_ += ',';
    out_ += name;
    out_ += "=\"";
    escape(value, true, out_);
    out_ += '"';
  }
  std::string out_;
};

void print(const Family<Counter>& family, Page& page) {
  page.head(family.options(), "counter");
  for (const auto& [values, counter] : family.series()) {
    page.sample(family.options(), "", values, "", number(counter.value()));
  }
}

void print(const Family<Gauge>& family, Page& page) {
  page.head(family.options(), "gauge");
  for (const auto& [values, gauge] : family.series()) {
    page.sample(family.options(), "", values, "", number(gauge.value()));
  }
}

void print(const Family<Histogram>& family, Page& page) {
  page.head(family.options(), "histogram");
  for (const auto& [values, histogram] : family.series()) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
      below += histogram.in_bucket()[i];
      page.sample(family.options(), "_bucket", values, number(histogram.bounds()[i]),
                  fmt::format("{}", below));
    }
    const auto count = fmt::format("{}", histogram.count());
    page.sample(family.options(), "_bucket", values, "+Inf", count);
    page.sample(family.options(), "_sum", values, "", number(histogram.sum()));
    page.sample(family.options(), "_count", values, "", count);
  }
}

}  // namespace

Histogram::Histogram(std::shared_ptr<const std::vector<double>> bounds)
    : bounds_(std::move(bounds)), in_bucket_(bounds_->size() + 1) {}

void Histogram::observe(double value) {
  if (std::isnan(value)) return;  // nothing is known of it, and a sum would be lost for ever
  const auto at = std::ranges::lower_bound(*bounds_, value) - bounds_->begin();
  ++in_bucket_[static_cast<std::size_t>(at)];
  ++count_;
  sum_ += value;
}

struct MetricsRegistry::Entry {
  std::variant<Family<Counter>, Family<Gauge>, Family<Histogram>> family;

  const std::string& name() const {
    return std::visit([](const auto& f) -> const std::string& { return f.options().name; }, family);
  }
};

MetricsRegistry::MetricsRegistry() = default;
MetricsRegistry::~MetricsRegistry() = default;

void MetricsRegistry::check_new(const FamilyOptions& options) const {
  FP_CHECK(is_name(options.name, true));
  for (const auto& label : options.labels) {
    FP_CHECK(is_name(label, false) && label != "le" && !label.starts_with("__"));
  }
  for (const auto& entry : entries_) FP_CHECK(entry->name() != options.name);
}

Family<Counter>& MetricsRegistry::counter(FamilyOptions options) {
  check_new(options);
  entries_.push_back(
      std::make_unique<Entry>(Entry{Family<Counter>(std::move(options), Counter{})}));
  return std::get<Family<Counter>>(entries_.back()->family);
}

Family<Gauge>& MetricsRegistry::gauge(FamilyOptions options) {
  check_new(options);
  entries_.push_back(std::make_unique<Entry>(Entry{Family<Gauge>(std::move(options), Gauge{})}));
  return std::get<Family<Gauge>>(entries_.back()->family);
}

Family<Histogram>& MetricsRegistry::histogram(FamilyOptions options, std::vector<double> bounds) {
  check_new(options);
  FP_CHECK(std::ranges::is_sorted(bounds));
  const auto shared = std::make_shared<const std::vector<double>>(std::move(bounds));
  entries_.push_back(
      std::make_unique<Entry>(Entry{Family<Histogram>(std::move(options), Histogram(shared))}));
  return std::get<Family<Histogram>>(entries_.back()->family);
}

void MetricsRegistry::before_page(std::function<void()> refresh) {
  refreshers_.push_back(std::move(refresh));
}

std::string MetricsRegistry::page() {
  for (const auto& refresh : refreshers_) refresh();
  Page page;
  for (const auto& entry : entries_) {
    std::visit(
        [&](const auto& family) {
          if (!family.series().empty()) print(family, page);
        },
        entry->family);
  }
  return page.take();
}

}  // namespace fixpoint::runtime
