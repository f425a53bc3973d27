// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/page_check.h"

#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

struct Sample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

bool name_char(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
  return letter || (!first && c >= '0' && c <= '9');
}

std::string take_name(std::string_view& rest) {
  std::string name;
  while (!rest.empty() && name_char(rest[0], name.empty())) {
    name += rest[0];
    rest.remove_prefix(1);
  }
  return name;
}

// The text up to the closing quote, escapes undone; false when it never closes or an escape is bad.
bool take_quoted(std::string_view& rest, std::string& out) {
  if (!rest.starts_with('"')) return false;
  rest.remove_prefix(1);
  while (!rest.empty() && rest[0] != '"') {
    char c = rest[0];
    rest.remove_prefix(1);
    if (c == '\\') {
      if (rest.empty()) return false;
      const char escaped = rest[0];
      rest.remove_prefix(1);
      if (escaped != '\\' && escaped != '"' && escaped != 'n') return false;
      c = escaped == 'n' ? '\n' : escaped;
    }
    out += c;
  }
  if (rest.empty()) return false;
  rest.remove_prefix(1);
  return true;
}

bool take_labels(std::string_view& rest, Sample& sample) {
  rest.remove_prefix(1);
  while (!rest.starts_with('}')) {
    if (!sample.labels.empty()) {
      if (!rest.starts_with(',')) return false;
      rest.remove_prefix(1);
    }
    auto name = take_name(rest);
    std::string value;
    if (name.empty() || !rest.starts_with('=')) return false;
    rest.remove_prefix(1);
    if (!take_quoted(rest, value)) return false;
    sample.labels.emplace_back(std::move(name), std::move(value));
  }
  rest.remove_prefix(1);
  return true;
}

bool take_value(std::string_view rest, double& value) {
  const std::string text{rest};
  if (text == "+Inf" || text == "-Inf" || text == "NaN") {
    value = text == "NaN" ? std::nan("") : text[0] == '+' ? INFINITY : -INFINITY;
    return true;
  }
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

class Checker {
 public:
  CheckedPage run(std::string_view page) {
    if (!page.empty() && !page.ends_with('\n')) return fail("the page does not end in a newline");
    while (!page.empty() && result_.problem.empty()) {
      const auto end = page.find('\n');
      line(page.substr(0, end));
      page.remove_prefix(end + 1);
    }
    if (result_.problem.empty()) leave_family();
    return std::move(result_);
  }

 private:
  CheckedPage fail(std::string problem) {
    result_.problem = std::move(problem);
    return std::move(result_);
  }
  void complain(std::string_view what, std::string_view line) {
    if (result_.problem.empty()) result_.problem = fmt::format("{}: {}", what, line);
  }

  void line(std::string_view text) {
    if (text.starts_with("# HELP ")) return help(text);
    if (text.starts_with("# TYPE ")) return type(text);
    Sample sample;
    auto rest = text;
    sample.name = take_name(rest);
    if (sample.name.empty()) return complain("no metric name", text);
    if (rest.starts_with('{') && !take_labels(rest, sample)) return complain("bad labels", text);
    if (!rest.starts_with(' ')) return complain("no value", text);
    const auto series = text.substr(0, text.size() - rest.size());
    if (!take_value(rest.substr(1), sample.value)) return complain("bad value", text);
    if (!belongs(sample.name)) return complain("outside its family", text);
    if (!result_.samples.emplace(series, sample.value).second) return complain("twice", text);
    if (type_ == "counter" && !(sample.value >= 0)) return complain("negative counter", text);
    if (type_ == "histogram") bucket(sample, text);
  }
  void help(std::string_view text) {
    leave_family();
    auto rest = text.substr(7);
    family_ = take_name(rest);
    type_.clear();
    if (!families_.insert(family_).second) complain("a family twice", text);
    if (!rest.starts_with(' ') || rest.size() < 2) complain("no help text", text);
  }
  void type(std::string_view text) {
    auto rest = text.substr(7);
    if (take_name(rest) != family_) return complain("TYPE does not follow its HELP", text);
    type_ = rest.empty() ? "" : std::string{rest.substr(1)};
    if (type_ != "counter" && type_ != "gauge" && type_ != "histogram") complain("type", text);
    result_.types[family_] = type_;
  }
  bool belongs(std::string_view name) const {
    if (type_.empty()) return false;
    if (type_ != "histogram") return name == family_;
    return name == family_ + "_bucket" || name == family_ + "_sum" || name == family_ + "_count";
  }
  void bucket(const Sample& sample, std::string_view text) {
    std::string others;
    double bound = 0;
    bool has_bound = false;
    for (const auto& [name, value] : sample.labels) {
      if (name == "le") {
        has_bound = take_value(value, bound);
      } else {
        others += fmt::format("{}={},", name, value);
      }
    }
    auto& seen = histograms_[others];
    if (sample.name.ends_with("_count")) {
      seen.count = sample.value;
    } else if (sample.name.ends_with("_bucket")) {
      if (!has_bound || bound <= seen.bound || sample.value < seen.below) {
        return complain("buckets do not rise", text);
      }
      seen.bound = bound;
      seen.below = sample.value;
    }
  }
  void leave_family() {
    for (const auto& [labels, seen] : histograms_) {
      if (!std::isinf(seen.bound)) complain("no +Inf bucket", family_);
      if (seen.below != seen.count) complain("count and +Inf differ", family_);
    }
    histograms_.clear();
  }

  struct Seen {
    double bound = -INFINITY;
    double below = 0;
    double count = -1;
  };
  CheckedPage result_;
  std::string family_;
  std::string type_;
  std::set<std::string, std::less<>> families_;
  std::map<std::string, Seen> histograms_;
};

}  // namespace

CheckedPage check_page(std::string_view page) {
  return Checker{}.run(page);
}

}  // namespace fixpoint::runtime
