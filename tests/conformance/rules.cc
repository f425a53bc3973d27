// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/rules.h"

#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "tests/conformance/rules_steps.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace fixpoint::conformance {
namespace {

using std::chrono::milliseconds;

// A real server's caches follow its store within this time, on a busy machine too.
constexpr auto kMoment = milliseconds(500);
// And serves a new definition within this.
constexpr auto kServed = milliseconds(3000);

constexpr std::string_view kBoatDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "boats.rules.example.com"},
  "spec": {"group": "rules.example.com", "scope": "Namespaced",
    "names": {"plural": "boats", "kind": "Boat"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "subresources": {"status": {}},
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
          "crew": {"type": "integer", "minimum": 1, "maximum": 100},
          "color": {"type": "string", "default": "red", "enum": ["red", "green", "blue"]},
          "flags": {"type": "array", "items": {"type": "string"}},
          "parts": {"type": "array", "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {"type": "object", "required": ["name"], "properties": {
                      "name": {"type": "string"}, "size": {"type": "integer"}}}}}},
        "status": {"type": "object", "properties": {"phase": {"type": "string"},
                   "crew": {"type": "integer"}}}}}}}]}})";

constexpr std::string_view kRaftDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "rafts.rules.example.com"},
  "spec": {"group": "rules.example.com", "scope": "Namespaced",
    "names": {"plural": "rafts", "kind": "Raft"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"logs": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}}}]}})";

std::vector<Rule> all_rules() {
  std::vector<Rule> all;
  for (auto* part :
       {write_rules, delete_rules, admission_rules, apply_rules, read_rules, other_rules}) {
    auto rows = part();
    std::ranges::move(rows, std::back_inserter(all));
  }
  for (auto& rule : all) {
    for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
      auto& sequence = rule.shown_by[i].sequence;
      sequence.area = "rule";
      sequence.seed = static_cast<std::uint64_t>(rule.number) * 100 + i;
    }
  }
  return all;
}

std::string whole_text(const Sort& sort, std::string_view name, std::string_view rest) {
  const json::Value body = body_with(sort, name, rest);
  return json::to_text(body, json::Escape::Plain);
}

Sort without_body(Sort sort) {
  sort.body = {};
  return sort;
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kAll = all_rules();
  return kAll;
}

std::vector<Step> rules_setup() {
  auto boats = send("POST", collection(kDefinitions), std::string{kBoatDefinition});
  auto rafts = send("POST", collection(kDefinitions), std::string{kRaftDefinition});
  rafts.settle = kServed;
  // A real server begins to follow a custom kind when it is first asked for it.
  return {boats, rafts, send("GET", "/apis/rules.example.com/v1/boats"),
          then_settle(send("GET", "/apis/rules.example.com/v1/rafts"))};
}

json::Value body_with(const Sort& sort, std::string_view name, std::string_view rest) {
  const auto change = json::parse(rest);
  FP_CHECK(change.has_value());
  return json::apply_merge_patch(object(sort, name), *change);
}

Step make(const Sort& sort, std::string_view name, std::string_view rest) {
  const json::Value body = body_with(sort, name, rest);
  return create(sort, body);
}

Step put(const Sort& sort, std::string_view name, std::string_view rest) {
  return send("PUT", item(sort, name), whole_text(sort, name, rest));
}

Step applied(const Sort& sort, std::string_view name, std::string_view rest,
             std::string_view manager, bool force) {
  return apply(sort, name, whole_text(sort, name, rest), manager, force);
}

Step applied_only(const Sort& sort, std::string_view name, std::string_view rest,
                  std::string_view manager, bool force) {
  return applied(without_body(sort), name, rest, manager, force);
}

Step send(std::string method, std::string path, std::string body, std::string query) {
  Step step;
  step.method = std::move(method);
  step.path = std::move(path);
  step.body = std::move(body);
  step.query = std::move(query);
  return step;
}

Step then_settle(Step step) {
  step.settle = kMoment;
  return step;
}

Sequence steps(std::vector<Step> all) {
  Sequence sequence;
  sequence.steps = std::move(all);
  return sequence;
}

Sequence unwatched(Sequence sequence) {
  sequence.watches = {"-"};
  return sequence;
}

Sequence over_http(Sequence sequence) {
  sequence.http_only = true;
  return sequence;
}

}  // namespace fixpoint::conformance
