// SPDX-License-Identifier: Apache-2.0
#include "kube/crd_validate.h"

#include "json/draft.h"
#include "json/parse.h"
#include "kube/crd.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

using ::testing::UnorderedElementsAreArray;

json::Value recorded(const std::string& name) {
  std::ifstream file("tests/testdata/schema/" + name);
  auto value = json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  EXPECT_TRUE(value.has_value()) << name;
  return value ? *value : json::Value{};
}

std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) out.push_back(error.to_string());
  return out;
}

std::vector<std::string> strings(json::View list) {
  std::vector<std::string> out;
  for (const auto each : list.elements()) out.emplace_back(each.as_string());
  return out;
}

TEST(CrdValidate, SaysWhatARealServerSaysAboutEveryMistake) {
  const auto rows = recorded("crds.json");
  ASSERT_GT(rows.size(), 100U);
  for (const auto row : rows.view().elements()) {
    json::Draft crd{row.get("crd")};
    set_crd_defaults(crd);
    prepare_crd(crd, {});
    const auto object = crd.freeze();

    const auto errors = texts(validate_crd(object));

    EXPECT_THAT(errors, UnorderedElementsAreArray(strings(row.get("errors"))))
        << row.get("name").as_string();
  }
}

TEST(CrdValidate, GuardsOnUpdateWhatARealServerGuards) {
  const auto table = recorded("crd_updates.json");
  const auto old = table.get("old");
  ASSERT_GT(table.get("rows").size(), 10U);
  for (const auto row : table.get("rows").elements()) {
    json::Draft crd{row.get("new")};
    set_crd_defaults(crd);
    prepare_crd(crd, old);
    const auto object = crd.freeze();

    const auto errors = texts(validate_crd_update(object, old));

    EXPECT_THAT(errors, UnorderedElementsAreArray(strings(row.get("errors"))))
        << row.get("name").as_string();
  }
}

TEST(CrdValidate, RefusesSchemasTooDeepToWalk) {
  std::string schema = "{}";
  for (int i = 0; i < 900; ++i) schema = R"({"items":)" + schema + "}";
  const auto crd =
      json::parse(R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)" + schema + "}}]}}")
          .value();

  EXPECT_THAT(texts(validate_crd(crd)),
              ::testing::ElementsAre("spec.versions[0].schema: Forbidden: must not nest more than "
                                     "256 levels deep"));
  EXPECT_TRUE(crd_warnings(crd, {}).empty());
}

}  // namespace
}  // namespace fixpoint::kube
