// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/openapi.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/table_for_tests.h"

#include <iterator>

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

// Our descriptions are our own: "*" in the recording stands for any.
void star(json::Draft& ours, json::View theirs) {
  if (theirs.is_object() && ours.is_object()) {
    for (auto& entry : ours.members()) {
      if (entry.key == "description" && theirs.get("description").as_string() == "*") {
        EXPECT_FALSE(entry.value.as_string().empty());
        entry.value = "*";
      } else {
        star(entry.value, theirs.get(entry.key));
      }
    }
  } else if (theirs.is_array() && ours.is_array()) {
    std::size_t index = 0;
    for (auto& element : ours.elements()) star(element, theirs[index++]);
  }
}

std::string starred(const json::Value& ours, json::View theirs) {
  json::Draft draft{ours};
  star(draft, theirs);
  const auto frozen = draft.freeze();
  return json::to_pretty_text(frozen);
}

TEST(CrdOpenApi, PublishesTheShapeThatARealServerPublishes) {
  const auto recording = read_table("schema/openapi.json");
  const auto resource = read_custom_resource(recording.get("crd"));

  const auto published = openapi_schemas(resource, resource.versions[0]);

  EXPECT_EQ(published.name, "com.example.schema.api.v1.Doc");
  EXPECT_EQ(published.list_name, "com.example.schema.api.v1.DocList");
  const auto schema = recording.get("schemas", published.name);
  const auto list = recording.get("schemas", published.list_name);
  EXPECT_EQ(starred(published.schema, schema), json::to_pretty_text(schema));
  EXPECT_EQ(starred(published.list_schema, list), json::to_pretty_text(list));
}

TEST(CrdOpenApi, LetsAVersionWithoutSchemaHoldAnything) {
  CustomResource resource;
  resource.group = "example.com";
  resource.names.kind = "Toy";
  resource.names.list_kind = "ToyList";
  CustomVersion version;
  version.name = "v1";

  const auto published = openapi_schemas(resource, version);

  EXPECT_EQ(json::to_text(published.schema),
            R"({"type":"object","x-kubernetes-group-version-kind":[)"
            R"({"group":"example.com","kind":"Toy","version":"v1"}]})");
}

}  // namespace
}  // namespace fixpoint::kube
