// SPDX-License-Identifier: Apache-2.0
//
// Strategic merge: whatever the patch, an object or an error comes out; a patch that merged merges
// again, and an empty patch changes nothing. The input is a JSON list of target and patch.
#include "json/parsing/parse.h"
#include "kube/strategic/merge.h"

namespace {

using namespace fixpoint;

// A recursive kind with one of everything: keyed list, set, plain list, map, replaced object.
const kube::Schema& kind() {
  static auto* const arena = new kube::SchemaArena;
  static const kube::Schema* const root = [] {
    kube::Schema* text = arena->make();
    text->type = kube::SchemaType::String;
    kube::Schema* map = arena->make();
    map->type = kube::SchemaType::Object;
    map->go_kind = kube::GoKind::Map;
    map->additional_properties = text;
    kube::Schema* self = arena->make();
    self->type = kube::SchemaType::Object;
    self->go_kind = kube::GoKind::Struct;
    self->go_type = "Kind";
    const auto list_of = [](const kube::Schema* items) {
      kube::Schema* list = arena->make();
      list->type = kube::SchemaType::Array;
      list->items = items;
      return list;
    };
    const auto add = [&](const char* name, const kube::Schema* schema, kube::PatchStrategy patch) {
      kube::Property property;
      property.name = name;
      property.schema = schema;
      property.patch = std::move(patch);
      self->properties.push_back(std::move(property));
    };
    add("name", text, {});
    add("child", self, {});
    add("whole", self, {.replace = true});
    add("map", map, {});
    add("keyed", list_of(self), {.merge = true, .merge_key = "name"});
    add("set", list_of(text), {.merge = true});
    add("list", list_of(self), {});
    return self;
  }();
  return *root;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto input = json::parse({reinterpret_cast<const char*>(data), size});
  if (!input || !input->is_array() || !input->view()[0].is_object()) return 0;
  const json::Value target = input->view()[0];
  const json::Value nothing = json::Value::empty_object();
  const auto same = kube::strategic_merge(kind(), target, nothing);
  FP_CHECK(same && *same == target);
  const auto merged = kube::strategic_merge(kind(), target, input->view()[1]);
  if (merged) FP_CHECK(merged->is_object() || input->view()[1].is_null());
  return 0;
}
