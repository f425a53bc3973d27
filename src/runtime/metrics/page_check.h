// SPDX-License-Identifier: Apache-2.0
//
// What a strict reader of the metrics page insists on, for tests: the unit tests' and those that
// read the page of a running program.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

struct CheckedPage {
  std::string problem;  // empty: the page is in order
  // By the series as printed: `workqueue_depth{name="web",…}`.
  std::map<std::string, double, std::less<>> samples;
  std::map<std::string, std::string, std::less<>> types;  // by family
};

// Grammar, one HELP and TYPE before a family's samples, families in one piece, no series twice,
// counters not negative, histogram buckets rising to +Inf and agreeing with their count.
CheckedPage check_page(std::string_view page);

}  // namespace fixpoint::runtime
