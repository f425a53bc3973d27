// SPDX-License-Identifier: Apache-2.0
//
// Who owns what after creating and after applying one object of every kind: the tables' struct and
// omitempty marks, list keys and atomic parts against a real kube-apiserver 1.34.4. The objects of
// ordinary creates are as they are before admission, which owns nothing of what it adds.
#include "json/draft.h"
#include "json/print.h"
#include "kinds/kind.h"
#include "kube/managed_fields.h"
#include "kube/table_for_tests.h"

namespace fixpoint::kinds {
namespace {

kube::Writer writer_for(const Kind& kind) {
  kube::Writer writer;
  writer.schema = kind.schema();
  writer.kind = kind.gvk;
  writer.manager = "kk";
  if (kind.has_status) writer.reset_fields = {{"status"}};
  return writer;
}

json::Value written(const kube::Writer& writer, json::View row) {
  if (row.get("op").as_string() == "apply") {
    auto answer = kube::apply(writer, {}, row.get("sent"), kube::Force::No);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
    return answer ? *std::move(answer) : json::Value{};
  }
  json::Draft object(row.get("sent"));
  EXPECT_TRUE(kube::track_update(writer, {}, object).has_value());
  return object.freeze();
}

TEST(Ownership, OfEveryKindIsThatOfARealServer) {
  const json::Value rows = kube::read_table("kinds/ownership.json");
  ASSERT_GE(rows.size(), 70U);

  for (const json::View row : rows.view().elements()) {
    SCOPED_TRACE(kube::text_of(row.get("op")) + " " + kube::text_of(row.get("kind")));
    const auto version = kube::parse_group_version(row.get("apiVersion").as_string());
    const Kind* kind = find(
        kube::GroupVersionKind{version->group, version->version, kube::text_of(row.get("kind"))});
    ASSERT_NE(kind, nullptr);
    const json::Value object = written(writer_for(*kind), row);
    EXPECT_EQ(json::to_text(object.get("metadata", "managedFields")[0].get("fieldsV1")),
              json::to_text(row.get("owned")));
  }
}

}  // namespace
}  // namespace fixpoint::kinds
