// SPDX-License-Identifier: Apache-2.0
//
// Specs with one mistake each, from tests/testdata/operators/stellar/mistakes.yaml: the same list
// for the operator's own check and for the rules that an API server enforces.
#pragma once

#include "base/file.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/yaml/yaml.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {

inline constexpr std::string_view kValidator = R"({"nodeType":"Validator","network":"testnet",
  "version":"22.1.0","validatorConfig":{"seedSecretRef":"seed"}})";
inline constexpr std::string_view kHorizon = R"({"nodeType":"Horizon","network":"testnet",
  "version":"22.1.0","horizonConfig":{"databaseSecretRef":"db",
  "stellarCoreUrl":"http://core:11626"}})";
inline constexpr std::string_view kRpc = R"({"nodeType":"SorobanRpc","network":"testnet",
  "version":"22.1.0","sorobanConfig":{"stellarCoreUrl":"http://core:11626"}})";

struct Mistake {
  json::Value spec;
  std::string field;
  std::string problem;
  std::string way_out;
  bool operator_only = false;
};

inline std::vector<Mistake> known_mistakes() {
  const auto good = [](std::string_view type) {
    if (type == "Validator") return json::parse(kValidator).value();
    return json::parse(type == "Horizon" ? kHorizon : kRpc).value();
  };
  const auto text = read_file("tests/testdata/operators/stellar/mistakes.yaml");
  EXPECT_TRUE(text.has_value()) << "run it from the top of the source";
  const auto rows = json::parse_yaml(text.value_or("[]"));
  EXPECT_TRUE(rows.has_value()) << rows.error().message;
  std::vector<Mistake> all;
  for (const auto row : rows->elements()) {
    const auto said = [&](std::string_view key) { return std::string{row.get(key).as_string()}; };
    all.push_back({.spec = json::apply_merge_patch(good(said("of")), row.get("change")),
                   .field = said("field"),
                   .problem = said("problem"),
                   .way_out = said("wayOut"),
                   .operator_only = said("seenBy") == "operator"});
  }
  EXPECT_GT(all.size(), 100U) << "mistakes are missing";
  return all;
}

}  // namespace fixpoint::operators::stellar
