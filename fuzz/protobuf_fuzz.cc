// SPDX-License-Identifier: Apache-2.0
//
// A request body in Kubernetes protobuf. Whatever the bytes are, nothing dies; what is read prints
// as JSON that reads back to the same tree, and typed decoding takes it or says why not.
#include "apiserver/body/protobuf_body.h"
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/schema_table.h"
#include "kube/typed/typed.h"

namespace {

using namespace fixpoint;

// So that mutations of the kind's name do not keep the interesting part from being read.
void read_as(std::string_view type, std::string_view message) {
  const auto& schema = *kinds::schema_of(type);
  const auto read = kube::decode_protobuf(schema, message);
  if (!read) return;
  const auto again = json::parse(json::to_text(*read));
  FP_CHECK(again.has_value());
  FP_CHECK(*again == *read);
  const auto typed = kube::decode_typed(schema, *read);
  if (typed) FP_CHECK(typed->problems.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view body{reinterpret_cast<const char*>(data), size};
  const auto envelope = apiserver::open_envelope(body, {"", "v1", "ConfigMap"});
  if (!envelope) return 0;
  const auto object = apiserver::object_in(*envelope);
  if (object) FP_CHECK(object->get("kind").as_string() == envelope->kind);
  for (const auto type : {"core.v1.Pod", "apps.v1.Deployment", "events.v1.Event",
                          "apiextensions.v1.CustomResourceDefinition", "meta.v1.DeleteOptions",
                          "authorization.v1.SubjectAccessReview"}) {
    read_as(type, envelope->raw);
  }
  return 0;
}
