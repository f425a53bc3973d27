// SPDX-License-Identifier: Apache-2.0
//
// First without looking at any schema, which nearly always answers; then along it.
#include "runtime/controller/containment.h"

#include "kinds/kind.h"
#include "kube/scalars/quantity.h"
#include "kube/schema/schema.h"

#include <algorithm>
#include <string_view>

namespace fixpoint::runtime {
namespace {

using json::View;
using kube::Schema;

bool contains(const Schema* schema, View live, View desired);

const Schema* member_schema(const Schema* schema, std::string_view name) {
  if (schema == nullptr) return nullptr;
  if (const kube::Property* property = schema->property(name)) return property->schema;
  return schema->additional_properties;
}

bool is_zero(View scalar) {
  if (scalar.is_bool()) return !scalar.as_bool();
  if (scalar.is_number()) return scalar.as_double() == 0;
  return scalar.is_string() && scalar.as_string().empty();
}

// What Go leaves out is no difference: an empty list or map, and a zero where that means unset.
bool counts_as_absent(const Schema* schema, std::string_view name, View desired) {
  if (desired.is_null()) return true;
  const Schema* below = member_schema(schema, name);
  if (below == nullptr) return false;
  if (desired.is_array()) return desired.empty() && below->go_kind == kube::GoKind::Slice;
  if (desired.is_object()) return desired.empty() && below->go_kind == kube::GoKind::Map;
  const kube::Property* property = schema->property(name);
  return property != nullptr && property->omit_empty && !property->pointer && is_zero(desired);
}

bool contains_members(const Schema* schema, View live, View desired) {
  for (const auto [key, value] : desired.members()) {
    const View there = live.get(key);
    if (there.is_null() && counts_as_absent(schema, key, value)) continue;
    if (!contains(member_schema(schema, key), there, value)) return false;
  }
  return true;
}

bool contains_in_order(const Schema* items, View live, View desired) {
  if (live.size() != desired.size()) return false;
  auto there = live.elements().begin();
  for (const View value : desired.elements()) {
    if (!contains(items, *there, value)) return false;
    ++there;
  }
  return true;
}

// A key that is not stated has its default (a port's protocol), else whatever is there.
bool same_keys(const Schema& list, View live, View desired) {
  return std::ranges::all_of(list.list_map_keys, [&](std::string_view key) {
    const View wanted = desired.get(key);
    if (!wanted.is_null()) return live.get(key) == wanted;
    const kube::Property* property = list.items->property(key);
    if (property == nullptr || !property->default_value) return true;
    return live.get(key) == property->default_value->view();
  });
}

bool contains_list(const Schema* schema, View live, View desired) {
  if (schema == nullptr || schema->items == nullptr ||
      schema->list_type == kube::ListType::Atomic) {
    return contains_in_order(schema == nullptr ? nullptr : schema->items, live, desired);
  }
  const auto there = live.elements();
  return std::ranges::all_of(desired.elements().begin(), desired.elements().end(), [&](View value) {
    for (const View candidate : there) {
      const bool same = schema->list_type == kube::ListType::Map
                            ? same_keys(*schema, candidate, value)
                            : candidate == value;
      if (same) return contains(schema->items, candidate, value);
    }
    return false;
  });
}

bool same_quantity(View live, View desired) {
  const auto a = kube::Quantity::parse(live.as_string());
  const auto b = kube::Quantity::parse(desired.as_string());
  return live.is_string() && desired.is_string() && a && b && *a == *b;
}

bool contains(const Schema* schema, View live, View desired) {
  if (desired.is_object()) return live.is_object() && contains_members(schema, live, desired);
  if (desired.is_array()) return live.is_array() && contains_list(schema, live, desired);
  if (live == desired) return true;
  return schema != nullptr && schema->go_kind == kube::GoKind::Quantity &&
         same_quantity(live, desired);
}

// Custom resources have the same metadata as everybody.
const Schema* metadata_schema() {
  static const Schema* const schema = member_schema(
      kinds::find(kube::GroupVersionKind{"", "v1", "ConfigMap"})->schema(), "metadata");
  return schema;
}

}  // namespace

Hash128 echo_of(View live, View desired) {
  if (live.is_null()) return {};
  if (!desired.is_object() || !live.is_object()) return live.hash();
  Hash128 sum;
  for (const auto [key, value] : desired.members()) {
    const Hash128 below = echo_of(live.get(key), value);
    sum += hash128(key, below.low);
    sum += hash128(key, below.high);
  }
  return sum;
}

bool contains_desired(const kube::GroupVersionKind& kind, View live, View desired) {
  if (contains(nullptr, live, desired)) return true;
  const kinds::Kind* builtin = kinds::find(kind);
  if (builtin != nullptr && builtin->schema != nullptr) {
    return contains(builtin->schema(), live, desired);
  }
  for (const auto [key, value] : desired.members()) {
    const Schema* below = key == "metadata" ? metadata_schema() : nullptr;
    if (!contains(below, live.get(key), value)) return false;
  }
  return true;
}

}  // namespace fixpoint::runtime
