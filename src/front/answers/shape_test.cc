// SPDX-License-Identifier: Apache-2.0
#include "front/answers/shape.h"

#include "base/ref.h"
#include "base/rfc3339.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

apiserver::Response one_object() {
  apiserver::Response response;
  response.body = json::Value::empty_object();
  return response;
}

apiserver::Response as_partial_list(const apiserver::Resource& resource) {
  const Shape shape{
      .resource = resource, .wanted = {.form = Form::PartialList}, .include_object = {}, .now = {}};
  return shaped(shape, one_object());
}

TEST(Shape, ACustomObjectIsNoListOnlyForWantOfItems) {
  apiserver::Resource custom;
  custom.kind = {"example.com", "v1", "Gadget"};
  custom.custom = make_ref<apiserver::CustomKind>();
  apiserver::Resource builtin;
  builtin.kind = {"", "v1", "Secret"};

  const auto refused = as_partial_list(custom);
  const auto refused_by_type = as_partial_list(builtin);

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(refused.body.get("message").as_string(), "content is not a list");
  EXPECT_EQ(refused_by_type.code, 406);
}

TEST(Shape, AScaleHasATableOfItsOwn) {
  apiserver::Resource sets;
  sets.kind = {"apps", "v1", "ReplicaSet"};
  Shape shape{.resource = sets,
              .wanted = {.form = Form::Table},
              .include_object = {},
              .now = *parse_rfc3339("2026-01-01T00:02:03Z"),
              .subresource = "scale"};
  const auto scale = [] {
    apiserver::Response response;
    response.body =
        *json::parse(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a",)"
                     R"("resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z"},)"
                     R"("spec":{"replicas":2},"status":{}})");
    return response;
  };

  const auto table = shaped(shape, scale()).body;
  shape.wanted.form = Form::PartialList;
  const auto refused = shaped(shape, scale());

  std::string names;
  for (const json::View column : table.get("columnDefinitions").elements()) {
    names += std::string{column.get("name").as_string()} + " ";
  }
  EXPECT_EQ(names, "Name Desired Available Age ");
  EXPECT_EQ(json::to_text(table.get("rows")[0].get("cells")), R"(["a",2,0,"2m3s"])");
  EXPECT_EQ(table.get("metadata", "resourceVersion").as_string(), "7");
  EXPECT_TRUE(refused.body.get("message").as_string().ends_with(
      "the requested object is not a list (*autoscaling.Scale)"));
}

TEST(Shape, NoEventIsAListOfMetadata) {
  VirtualClock clock;
  const auto print = event_printer({.resource = {},
                                    .wanted = {.form = Form::PartialList},
                                    .include = {},
                                    .columns = {},
                                    .clock = clock});

  EXPECT_EQ(print({apiserver::WatchEventType::Added, json::Value::empty_object()}), "");
}

}  // namespace
}  // namespace fixpoint::front
