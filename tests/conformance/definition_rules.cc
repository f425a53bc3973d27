// SPDX-License-Identifier: Apache-2.0
//
// Rules about an object as a whole: what a server says of its type, how deep and how long a rule
// may be, and what it makes of rules that are malformed.
#include "json/print.h"
#include "tests/conformance/definition_edits.h"
#include "tests/conformance/gen.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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
    "self{a: 1} == 1",
    "self{} == self",
    "oldSelf{a: 'x', b: 2} == self",
    "self.m.all(x, x{k: 'a'} == x)",
    "int{} == 1",
    "map{a: 1} == 1",
    "type{a: 1} == 1",
    ".self.a == 'x'",
    ".nope.a == 'x'",
    ".size(self.a) > 0",
    "list && self.a",
    "optional_type == type(self)",
    "self.m.all(., true)",
    "has(self.`a`)",
    "self.?",
    ".if == 1",
};

// One of them, cut up: words left out, put in, exchanged or said again, up to many times.
const std::vector<std::string_view> kWhole{
    "self . a == 'x' && self . n > - 1 || self . l . size ( ) < 3",
    "self . l . exists ( x , x == 'a' ) ? has ( self . a ) : self . n > 0 ? true : false",
    "[ 1 , 2 , 3 , ] . map ( x , x * 2 ) [ 0 ] in [ - 1 ]",
    "{ 'a' : 1 , ? 'b' : optional . of ( 2 ) } [ ? 'a' ] . orValue ( 3 ) == 4",
    "Foo . Bar { a : 1 , ? b : 2 } . c == - 3 % 4",
    "! ( self . ? a . hasValue ( ) ) != ( . self . n + 1 == 2u )",
};
const std::vector<std::string_view> kWords{
    "self", "true", "1",  "-1", "1.5", "'s'", "(",  ")",  "[",   "]",    "{",  "}",
    ".",    "?",    ":",  ",",  "-",   "!",   "+",  "*",  "==",  "<=",   "&&", "||",
    "in",   "`q`",  "if", "@",  "=",   "'",   "..", ".?", "0xg", "'\\q'"};

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string joined_by(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : std::string{between}) + word;
  return out;
}

std::string malformed(Gen& gen) {
  std::vector<std::string> words;
  std::string_view rest = gen.pick(kWhole);
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (auto changes = gen.between(1, 4); changes > 0 && !words.empty(); --changes) {
    const auto at = gen.between(0, static_cast<std::int64_t>(words.size()) - 1);
    switch (gen.between(0, 3)) {
      case 0: words.erase(words.begin() + at); break;
      case 1: words.insert(words.begin() + at, std::string{gen.pick(kWords)}); break;
      case 2: words[static_cast<std::size_t>(at)] = std::string{gen.pick(kWords)}; break;
      default: words.insert(words.begin() + at, std::string{words[static_cast<std::size_t>(at)]});
    }
  }
  const auto rule = joined_by(words, gen.chance(70) ? " " : "");
  return gen.chance(10) ? repeated(rule + " ", static_cast<std::size_t>(gen.between(2, 40))) : rule;
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
  rules.push_back(repeated("true ? ", times) + "true" + repeated(" : false", times));
  rules.push_back(repeated("true ? true ", times) + "true");
  rules.push_back(repeated("? ", times) + "true");
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

std::string malformed_rule(Gen& gen) {
  const auto rule = malformed(gen);
  return with_rule(rule.empty() ? "(" : rule);
}

}  // namespace fixpoint::conformance
