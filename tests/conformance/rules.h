// SPDX-License-Identifier: Apache-2.0
//
// The 48 rules of the API that operators live by, each with the requests that show it. The same
// requests go to a real kube-apiserver and to ours, and both must answer alike
// (rules_kube_test.cc); what the real one answered is kept, so that the same is asked without it
// (rules_test.cc); and a server that breaks one of them must be noticed (weakness_test.cc).
//
// rules_*.cc hold the rows in the order of their numbers.
#pragma once

#include "tests/conformance/gen.h"
#include "tests/conformance/step.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

// One sentence of a rule, and the requests that show it.
struct Part {
  std::string_view says;
  Sequence sequence;
};

struct Rule {
  int number = 0;
  std::string_view says;
  std::vector<Part> shown_by = {};
  // Where the rest of the rule is tested that one server's answers cannot show; may be empty.
  std::string_view elsewhere = {};
};

// All 48, in order.
const std::vector<Rule>& rules();
// The custom kinds that they use; done once per server before the first sequence.
std::vector<Step> rules_setup();

// The rows, by topic.
std::vector<Rule> write_rules();      // 1 to 12
std::vector<Rule> delete_rules();     // 13 to 22
std::vector<Rule> admission_rules();  // 23 to 28
std::vector<Rule> apply_rules();      // 29 to 31
std::vector<Rule> read_rules();       // 32 to 37
std::vector<Rule> other_rules();      // 38 to 48: of clients and of other controllers

}  // namespace fixpoint::conformance
