// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/baseline.h"

#include "json/draft.h"
#include "json/parsing/parse.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// A ConfigMap as a server returns it after we made it for the owner of that uid.
json::Value child_of(std::string_view uid) {
  return *json::parse(fmt::format(R"({{
    "metadata": {{
      "name": "web",
      "ownerReferences": [{{"kind": "Web", "name": "web", "uid": "{0}", "controller": true}},
                          {{"kind": "Other", "name": "x", "uid": "other"}}],
      "managedFields": [{{"manager": "us", "operation": "Apply", "fieldsV1": {{
        "f:data": {{"f:text": {{}}}},
        "f:metadata": {{"f:ownerReferences": {{"k:{{\"uid\":\"{0}\"}}": {{}}}}}}}}}}]
    }},
    "data": {{"text": "hello"}}
  }})",
                                  uid));
}

json::Value with_owners(json::View object, json::Draft owners) {
  json::Draft draft{object};
  draft.object_at("metadata")["ownerReferences"] = std::move(owners);
  return draft.freeze();
}

// What of ours somebody changed between the two.
std::size_t changed(const json::Value& before, const json::Value& after) {
  PathTables tables;
  return Baseline(tables.of(before, {}, "us"), before).differing(after).size();
}

TEST(Baseline, ChildrenOfDifferentOwnersShareOneTable) {
  PathTables tables;
  const auto one = child_of("1");
  const auto two = child_of("2");

  const auto table = tables.of(one, {}, "us");

  EXPECT_EQ(tables.of(two, {}, "us"), table);
  EXPECT_EQ(tables.size(), 1U);
  EXPECT_THAT(*table, SizeIs(2));
}

TEST(Baseline, SeesThatTheOwnerWasTakenAwayOrReplaced) {
  const auto object = child_of("1");
  const auto replaced = *json::parse(R"([{"uid": "2", "controller": true}])");

  EXPECT_EQ(changed(object, object), 0U);
  EXPECT_EQ(changed(object, with_owners(object, json::Draft::array())), 1U);
  EXPECT_EQ(changed(object, with_owners(object, replaced)), 1U);
}

TEST(Baseline, DoesNotMindAnotherOwnerBeside) {
  const auto object = child_of("1");
  const auto third = *json::parse(R"({"kind": "Third", "uid": "third"})");
  json::Draft owners{object.get("metadata", "ownerReferences")};
  owners.push_back(third);

  EXPECT_EQ(changed(object, with_owners(object, std::move(owners))), 0U);
}

TEST(Baseline, IsTheSameAfterItWasStored) {
  PathTables tables;
  const auto object = child_of("1");
  const Baseline baseline(tables.of(object, {}, "us"), object);

  const auto stored = baseline.to_json();
  const auto read = Baseline::from_json(stored, tables);

  ASSERT_TRUE(read.known());
  EXPECT_EQ(read.paths(), baseline.paths());
  EXPECT_THAT(read.differing(object), IsEmpty());
}

}  // namespace
}  // namespace fixpoint::runtime
