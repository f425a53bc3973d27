// SPDX-License-Identifier: Apache-2.0
//
// Rules about an object as a whole: what a server says of its type, and how deep and how long a
// rule may be.
#include "json/print.h"
#include "tests/conformance/definition_edits.h"

#include <cstddef>
#include <iterator>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kOpening =
    R"({"type":"object","properties":{"a":{"type":"string","maxLength":10},"n":{"type":"integer"},)"
    R"("m":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],)"
    R"("items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","maxLength":5},"v":{"type":"integer"}}}},)"
    R"("s":{"type":"array","maxItems":5,"x-kubernetes-list-type":"set","items":{"type":"string","maxLength":5}},)"
    R"("l":{"type":"array","maxItems":5,"items":{"type":"string","maxLength":5}}},"x-kubernetes-validations":[{"rule":)";

constexpr std::string_view kRules[] = {
    "self == 1",
    "self + self == self",
    "size(self) > 0",
    "self.m + self.m == self.m",
    "(self.m + self.m).size() < 3",
    "self.m + [{'k':'a'}] == self.m",
    "self.s + self.s == self.s",
    "self.l + self.l == self.l",
    "self.m[0] == self",
    "self.a == self.m",
    "self.m[0].nope",
    "self.m == 1",
    "self in [1]",
    "self.m.exists(x, x == 1)",
    "[self, 1].size() == 2",
    "{'a': self}.a == 1",
    "self.startsWith('x')",
    "dyn(self).nope == 1",
    "has(self.nope)",
    "self.m[0] + 1 == 2",
    "-self == 1",
    "!self",
    "self ? true : false",
    "true ? self : 1",
    "optional.of(self) == 1",
    "type(self) == 1",
    "self < self",
    "self[0] == 1",
    "self['a'] == 'b'",
    "self.m[0] == self.l[0]",
};

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// As deep or long as each may be, or by one more or less.
void add_limits(std::size_t times, std::vector<std::string>& rules) {
  rules.push_back("true" + repeated(" && true", times));
  rules.push_back("1" + repeated(" + 1", times) + " > 0");
  rules.push_back("1" + repeated(" * 1", times) + " > 0");
  rules.push_back("1" + repeated(" + 1 * 1", times) + " > 0");
  rules.push_back(repeated("(", times) + "true" + repeated(")", times));
  rules.push_back(repeated("[", times) + "1" + repeated("]", times) + " == []");
  rules.push_back("[1]" + repeated("[0]", times) + " == 1");
  rules.push_back("'a'" + repeated(".lowerAscii()", times) + " == 'a'");
  rules.push_back(repeated("true ? true : ", times) + "true");
  rules.push_back(repeated("!", times) + "true");
}

std::string with_rule(std::string_view rule) {
  std::string text{kOpening};
  json::print_string(rule, text);
  return text + "}]}";
}

}  // namespace

const std::vector<std::string>& definition_rules() {
  static const std::vector<std::string> kSchemas = [] {
    std::vector<std::string> rules{std::begin(kRules), std::end(kRules)};
    for (const std::size_t times : {248, 249, 250, 251}) add_limits(times, rules);
    // What stands right of an operator is deeper by two.
    for (const std::size_t times : {124, 125}) {
      rules.push_back(repeated("1 + (", times) + "1" + repeated(")", times) + " > 0");
      rules.push_back(repeated("true == (", times) + "true" + repeated(")", times));
    }
    for (auto& rule : rules) rule = with_rule(rule);
    return rules;
  }();
  return kSchemas;
}

}  // namespace fixpoint::conformance
