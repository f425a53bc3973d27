// SPDX-License-Identifier: Apache-2.0
#include "kube/ownership/scale_fields.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/ownership/managed_fields.h"
#include "kube/schema/schema_for_tests.h"
#include "kube/table_for_tests.h"

namespace fixpoint::kube {
namespace {

constexpr std::string_view kScaleKind =
    R"({"Scale": {"type": "object", "go": "Struct", "properties": {
    "apiVersion": {"type": "string", "go": "String", "omit": true},
    "kind": {"type": "string", "go": "String", "omit": true},
    "metadata": {"type": "object", "go": "Struct", "properties": {"name": {"type": "string", "go": "String"}, "uid": {"type": "string", "go": "String"},
                 "managedFields": {"type": "array", "items": {}}}},
    "spec": {"type": "object", "go": "Struct", "omit": true, "properties": {
      "replicas": {"type": "integer", "go": "Int32", "omit": true}}}}}})";

json::Value scale(std::int64_t replicas, json::View managed_fields) {
  json::Draft out = json::Draft::object({
      {"apiVersion", json::Draft("autoscaling/v1")                                                },
      {"kind",       json::Draft("Scale")                                                         },
      {"metadata",   json::Draft::object({{"name", json::Draft("sc")}, {"uid", json::Draft("u")}})},
      {"spec",       json::Draft::object({{"replicas", json::Draft(replicas)}})                   }
  });
  if (!managed_fields.is_null()) out["metadata"]["managedFields"] = json::Draft(managed_fields);
  return out.freeze();
}

Writer scaler(const Schema& schema, json::View row) {
  Writer writer;
  writer.schema = &schema;
  writer.kind = {"autoscaling", "v1", "Scale"};
  writer.manager = row.get("manager").as_string();
  writer.subresource = "scale";
  return writer;
}

// The Scale after the row's request on `live`.
json::Value written(const Writer& writer, json::View row, const json::Value& live) {
  const std::int64_t replicas = row.get("to").as_int();
  if (row.get("op").as_string() == "apply") {
    json::Draft config(scale(replicas, {}));
    config["metadata"].erase("uid");
    const json::Value frozen = config.freeze();
    return apply(writer, live, frozen, Force::No).value();
  }
  json::Draft object(scale(replicas, {}));
  EXPECT_TRUE(track_update(writer, live, object).has_value());
  return object.freeze();
}

TEST(ScaleFields, OwnershipMovesBetweenScaleAndParentAsOnARealServer) {
  const json::Value kinds = json::parse(kScaleKind).value();
  const TestSchemas schemas(kinds);
  const json::Value rows = read_table("kube/scale.json");
  const ReplicasPaths paths{
      {"apply.example/v1", {"spec", "replicas"}}
  };

  for (const json::View row : rows.view().elements()) {
    SCOPED_TRACE(text_of(row.get("manager")) + " to " + std::to_string(row.get("to").as_int()));
    const auto of_scale = scale_managed_fields(row.get("before"), paths);
    ASSERT_TRUE(of_scale.has_value());
    const json::Value live = scale(row.get("from").as_int(), *of_scale);
    const json::Value after = written(scaler(schemas.of("Scale"), row), row, live);
    const auto of_parent = parent_managed_fields(
        row.get("before"), after.get("metadata", "managedFields"), {"apply.example", "v1"}, paths);

    ASSERT_TRUE(of_parent.has_value());
    EXPECT_EQ(json::to_text(*of_parent), json::to_text(row.get("after")));
  }
}

TEST(ScaleFields, EntriesOfVersionsThatAreGoneAreDropped) {
  const json::Value entries = json::parse(R"([{"apiVersion":"old/v1","fieldsType":"FieldsV1",
      "fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"m","operation":"Update"}])")
                                  .value();

  EXPECT_TRUE(scale_managed_fields(entries, {})->is_null());
  EXPECT_TRUE(parent_managed_fields(entries, {}, {"new", "v1"}, {})->is_null());
}

}  // namespace
}  // namespace fixpoint::kube
