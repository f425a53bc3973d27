// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/selection.h"

#include "kube/meta/metadata.h"

#include <string>
#include <string_view>

namespace fixpoint::runtime {
namespace {

std::string field_of(json::View object, std::string_view path) {
  while (!path.empty()) {
    const auto dot = path.find('.');
    object = object.get(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  if (object.is_bool()) return object.as_bool() ? "true" : "false";
  if (object.is_int()) return std::to_string(object.as_int());
  return std::string{object.as_string()};
}

}  // namespace

Selection::Selection(const client::Selector& selector)
    : labels_(kube::LabelSelector::parse(selector.labels).value_or(kube::LabelSelector{})),
      fields_(kube::FieldSelector::parse(selector.fields).value_or(kube::FieldSelector{})) {}

bool Selection::matches(json::View object) const {
  return labels_.matches(kube::labels_of(object)) &&
         fields_.matches([&](std::string_view field) { return field_of(object, field); });
}

}  // namespace fixpoint::runtime
