// SPDX-License-Identifier: Apache-2.0
//
// Rules as a real server takes them: tests/testdata/cel/rules.jsonl holds schemas, rules and values
// with what Kubernetes 1.34 made of each, mistakes.jsonl rules that it refuses. A row without a
// schema or value has those of the row before it.
#include "cel/rules/definition_rules.h"
#include "cel/rules/program.h"
#include "cel/rules/resource_rules.h"
#include "cel/rules/rule.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/crd/schema.h"

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::cel {
namespace {

// A real server numbers the type of self anew each time.
std::string unnumbered(const std::string& text) {
  static const std::regex kNumber{"selfType[0-9]+"};
  return std::regex_replace(text, kNumber, "selfType0");
}

std::vector<json::Value> recorded(const std::string& file) {
  std::vector<json::Value> out;
  std::ifstream in{"tests/testdata/cel/" + file};
  for (std::string line; std::getline(in, line);) {
    auto parsed = json::parse(line);
    EXPECT_TRUE(parsed.has_value()) << line;
    if (!parsed) continue;
    json::Draft row{*std::move(parsed)};
    const bool own = out.empty() || row.contains("schema");
    for (const std::string_view shared : {"schema", "self"}) {
      if (own || row.contains(shared)) continue;
      if (const auto before = out.back().find(shared)) row[shared] = json::Draft{*before};
    }
    out.push_back(row.freeze());
  }
  return out;
}

json::Value schema_with_rule(json::View row) {
  json::Draft schema{row.get("schema")};
  if (row.contains("rule")) {
    schema.array_at("x-kubernetes-validations")
        .push_back(json::Draft::object({
            {"rule", row.get("rule").as_string()}
    }));
  }
  return schema.freeze();
}

std::vector<std::string> texts(const kube::FieldErrors& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) {
    auto text = error.to_string();
    if (text.starts_with("<nil>: ")) text.erase(0, 7);
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> texts(json::View array) {
  std::vector<std::string> out;
  for (const auto each : array.elements()) out.push_back(unnumbered(std::string{each.as_string()}));
  return out;
}

// Rules over changes of values, several in one schema.
TEST(RecordedChanges, AreTakenOrRefusedInTheSameWords) {
  const auto rows = recorded("changes.jsonl");
  ASSERT_GT(rows.size(), 40U);
  for (const auto& row : rows) {
    SCOPED_TRACE(json::to_text(row));
    const json::Value schema{row.get("schema")};
    auto compiled = kube::compile_schema(schema);
    ASSERT_TRUE(compiled.has_value());
    const auto rules = ResourceRules::compile(schema, *compiled);
    ASSERT_NE(rules, nullptr);
    kube::Change change{row.get("self"), std::nullopt};
    if (row.contains("old")) change.old = row.get("old");

    const auto findings = rules->check(change);

    EXPECT_EQ(texts(findings.errors), texts(row.get("errors")));
  }
}

struct Case {
  json::Value schema;
  kube::CompiledSchema compiled;
  ShapePool shapes;
  const Shape* shape = nullptr;
  Rule rule;
};

void prepare(json::View row, Case& out) {
  out.schema = schema_with_rule(row);
  auto compiled = kube::compile_schema(out.schema);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  out.compiled = *std::move(compiled);
  out.shape =
      out.shapes.make(*out.compiled.declared,
                      row.get("root").as_bool() ? ShapeRole::ResourceRoot : ShapeRole::Field);
  const auto rules = out.schema.get("x-kubernetes-validations");
  out.rule = compile_rule(rules[rules.size() - 1], *out.shape);
}

TEST(RecordedRules, CompileOrFailInTheSameWordsAtTheSameCost) {
  const auto rows = recorded("rules.jsonl");
  ASSERT_GT(rows.size(), 300U);
  for (const auto& row : rows) {
    SCOPED_TRACE(json::to_text(row.get("rule")));
    Case each;
    prepare(row, each);
    EXPECT_EQ(each.rule.error, unnumbered(std::string{row.get("error").as_string()}));
    if (!each.rule.program || row.contains("error")) continue;
    EXPECT_EQ(fmt::format("{}", each.rule.program->cost_max()), row.get("max_cost").as_string());
    EXPECT_EQ(each.rule.uses_old_self(), row.get("uses_old").as_bool());
  }
}

// Most are malformed: what is said of them depends on how one goes on after a mistake.
TEST(RecordedMistakes, AreToldInTheSameWords) {
  const auto rows = recorded("mistakes.jsonl");
  ASSERT_GT(rows.size(), 400U);
  for (const auto& row : rows) {
    SCOPED_TRACE(json::to_text(row.get("rule")));
    Case each;
    prepare(row, each);
    EXPECT_EQ(each.rule.error, row.get("error").as_string());
  }
}

TEST(RecordedRules, EvaluateToTheSame) {
  for (const auto& row : recorded("rules.jsonl")) {
    if (!row.contains("errors")) continue;
    SCOPED_TRACE(json::to_text(row.get("rule")));
    Case each;
    prepare(row, each);
    const auto rules = ResourceRules::compile(each.schema, each.compiled);
    ASSERT_NE(rules, nullptr);
    kube::Change change{row.get("self"), std::nullopt};
    if (row.contains("old")) change.old = row.get("old");

    const auto findings = rules->check(change);

    EXPECT_EQ(texts(findings.errors), texts(row.get("errors")));
    if (row.contains("cost")) {
      EXPECT_EQ(findings.cost, row.get("cost").as_int());
    }
  }
}

TEST(RecordedDefinitions, AreRefusedInTheSameWords) {
  const auto rows = recorded("definitions.jsonl");
  ASSERT_GT(rows.size(), 20U);
  const kube::FieldPath spec{"spec"};
  const auto validation = spec.child("validation");
  for (const auto& row : rows) {
    SCOPED_TRACE(json::to_text(row.get("schema")));
    const auto errors =
        check_definition_rules(row.get("schema"), {}, validation.child("openAPIV3Schema"));
    EXPECT_EQ(texts(errors), texts(row.get("crd_errors")));
  }
}

}  // namespace
}  // namespace fixpoint::cel
