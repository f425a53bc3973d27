// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/access_review.h"

#include "json/print.h"
#include "kube/meta/metadata.h"
#include "kube/meta/names.h"
#include "kube/selectors/field_selector.h"
#include "kube/selectors/label_selector.h"

#include <array>
#include <string_view>

namespace fixpoint::apiserver {
namespace {

using json::View;
using kube::FieldErrors;
using kube::FieldPath;

enum class Selects : std::uint8_t { Fields, Labels };

bool takes_values(std::string_view op) {
  return op == "In" || op == "NotIn";
}

bool takes_none(std::string_view op) {
  return op == "Exists" || op == "DoesNotExist";
}

// Operators that this server does not know are left to newer ones.
void check_requirement(View requirement, Selects selects, const FieldPath& path,
                       FieldErrors& errors) {
  const auto op = requirement.get("operator").as_string();
  const View values = requirement.get("values");
  if (takes_values(op) && values.empty()) {
    errors.push_back(kube::required(path.child("values"),
                                    "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if (takes_none(op) && !values.empty()) {
    errors.push_back(
        kube::forbidden(path.child("values"),
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
  const View key = requirement.get("key");
  if (selects == Selects::Fields) {
    if (key.as_string().empty()) {
      errors.push_back(kube::required(path.child("key"), "must be specified"));
    }
    return;
  }
  for (auto& problem : kube::qualified_name_problems(key.as_string())) {
    errors.push_back(
        kube::invalid(path.child("key"), kube::shown(key.as_string()), std::move(problem)));
  }
  std::size_t at = 0;
  for (const View value : values.elements()) {
    for (auto& problem : kube::label_value_problems(value.as_string())) {
      errors.push_back(kube::invalid(path.child("values").index(at), value, std::move(problem)));
    }
    ++at;
  }
}

void check_selector(View selector, Selects selects, const FieldPath& path, FieldErrors& errors) {
  if (!selector.is_object()) return;
  const View raw = selector.get("rawSelector");
  const View requirements = selector.get("requirements");
  if (!raw.as_string().empty() && !requirements.empty()) {
    errors.push_back(kube::invalid(path.child("rawSelector"), raw,
                                   "may not specified at the same time as requirements"));
  }
  if (raw.as_string().empty() && requirements.empty()) {
    errors.push_back(kube::required(path.child("requirements"),
                                    "when " + path.to_string() +
                                        " is specified, requirements or rawSelector is "
                                        "required"));
  }
  std::size_t at = 0;
  for (const View requirement : requirements.elements()) {
    check_requirement(requirement, selects, path.child("requirements").index(at++), errors);
  }
}

// As the server's own type is printed.
std::string shown_path(View attributes) {
  return R"({"Path":)" + kube::shown(attributes.get("path").as_string()) + R"(,"Verb":)" +
         kube::shown(attributes.get("verb").as_string()) + "}";
}

void check_attributes(View spec, FieldErrors& errors) {
  const FieldPath path{"spec"};
  const View other = spec.get("nonResourceAttributes");
  const bool resource = spec.get("resourceAttributes").is_object();
  if (resource && other.is_object()) {
    errors.push_back(kube::invalid(path.child("nonResourceAttributes"), shown_path(other),
                                   "cannot be specified in combination with resourceAttributes"));
  }
  if (!resource && !other.is_object()) {
    errors.push_back(kube::invalid(
        path.child("resourceAttributes"), View{},
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
}

void check_selectors(View attributes, FieldErrors& errors) {
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("resourceAttributes");
  check_selector(attributes.get("fieldSelector"), Selects::Fields, path.child("fieldSelector"),
                 errors);
  check_selector(attributes.get("labelSelector"), Selects::Labels, path.child("labelSelector"),
                 errors);
}

// The members in the order of the server's own type.
std::string shown_metadata(View metadata) {
  static constexpr std::array<std::string_view, 5> kManaged{"manager", "operation", "apiVersion",
                                                            "time", "fieldsType"};
  static constexpr std::array<std::string_view, 8> kOrder{
      "name",   "generateName", "namespace",       "uid",
      "labels", "annotations",  "ownerReferences", "finalizers"};
  std::string text = "{";
  const auto add = [&](std::string_view key, View value) {
    if (text.back() != '{') text += ',';
    text += kube::shown(key) + ":" + json::to_text(value);
  };
  for (const auto key : kOrder) {
    if (const auto value = metadata.find(key)) add(key, *value);
  }
  if (const auto managed = metadata.find("managedFields")) {
    if (text.back() != '{') text += ',';
    text += R"("managedFields":[)";
    for (const View entry : managed->elements()) {
      if (text.back() != '[') text += ',';
      text += '{';
      for (const auto key : kManaged) {
        if (const auto value = entry.find(key)) add(key, *value);
      }
      add("fieldsV1", entry.get("fieldsV1"));
      text += '}';
    }
    text += ']';
  }
  return text + "}";
}

void check_review_metadata(View metadata, bool local, FieldErrors& errors) {
  bool empty = true;
  for (const auto [key, value] : metadata.members()) {
    empty = empty && (key == "managedFields" || (local && key == "namespace"));
  }
  if (empty) return;
  errors.push_back(kube::invalid(FieldPath{"metadata"}, shown_metadata(metadata),
                                 local ? "must be empty except for namespace" : "must be empty"));
}

void check_local(View review, FieldErrors& errors) {
  const View attributes = review.get("spec", "resourceAttributes");
  const View other = review.get("spec", "nonResourceAttributes");
  const FieldPath path{"spec"};
  const auto ns = attributes.get("namespace").as_string();
  if (attributes.is_object() && ns != kube::namespace_of(review)) {
    errors.push_back(kube::invalid(path.child("resourceAttributes").child("namespace"),
                                   kube::shown(ns), "must match metadata.namespace"));
  }
  if (other.is_object()) {
    errors.push_back(kube::invalid(path.child("nonResourceAttributes"), shown_path(other),
                                   "disallowed on this kind of request"));
  }
}

struct Understood {
  std::size_t count = 0;
  bool all = true;
};

Understood understand(View selector, Selects selects) {
  const auto raw = selector.get("rawSelector").as_string();
  if (!raw.empty()) {
    const bool good = selects == Selects::Fields ? kube::FieldSelector::parse(raw).has_value()
                                                 : kube::LabelSelector::parse(raw).has_value();
    return {.count = good ? std::size_t{1} : 0, .all = good};
  }
  Understood result;
  for (const View requirement : selector.get("requirements").elements()) {
    const auto op = requirement.get("operator").as_string();
    // A field can only be compared with one value.
    const bool good = selects == Selects::Labels
                          ? takes_values(op) || takes_none(op)
                          : takes_values(op) && requirement.get("values").size() == 1;
    if (good) ++result.count;
    result.all = result.all && good;
  }
  return result;
}

}  // namespace

FieldErrors check_access_review(const Resource& resource, View review) {
  const auto& kind = resource.kind.kind;
  const View spec = review.get("spec");
  FieldErrors errors;
  check_attributes(spec, errors);
  if (kind != "SelfSubjectAccessReview" && spec.get("user").as_string().empty() &&
      spec.get("groups").empty()) {
    errors.push_back(kube::invalid(FieldPath{"spec"}.child("user"), kube::shown(std::string_view{}),
                                   "at least one of user or group must be specified"));
  }
  check_selectors(spec.get("resourceAttributes"), errors);
  const bool local = kind == "LocalSubjectAccessReview";
  check_review_metadata(review.get("metadata"), local, errors);
  if (local) check_local(review, errors);
  return errors;
}

std::string ignored_selectors(View spec) {
  std::string text;
  const View attributes = spec.get("resourceAttributes");
  for (const auto& [name, selects] : {
           std::pair{"fieldSelector", Selects::Fields},
           std::pair{"labelSelector", Selects::Labels}
  }) {
    const auto understood = understand(attributes.get(name), selects);
    if (understood.all) continue;
    if (!text.empty()) text += "; ";
    text += std::string{"spec.resourceAttributes."} + name +
            (understood.count > 0 ? " partially" : "") + " ignored due to parse error";
  }
  return text;
}

}  // namespace fixpoint::apiserver
