// SPDX-License-Identifier: Apache-2.0
#include "front/answers/shape.h"

#include "base/ref.h"

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
