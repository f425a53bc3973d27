// SPDX-License-Identifier: Apache-2.0
//
// The type and metadata of resources embedded in custom resources.
#include "json/draft.h"
#include "kube/crd/meta.h"
#include "kube/errors/field_error.h"
#include "kube/go/text.h"
#include "kube/meta/gvk.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"
#include "kube/schema/validate.h"

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

void check_api_version(json::View value, const FieldPath& path, FieldErrors& errors) {
  if (!value.is_string()) {
    errors.push_back(invalid(path, value, "must be a string"));
  } else if (value.as_string().empty()) {
    errors.push_back(invalid(path, value, "must not be empty"));
  } else if (const auto parsed = parse_group_version(value.as_string()); !parsed) {
    errors.push_back(invalid(path, value, parsed.error().message));
  }
}

void check_kind(json::View value, const FieldPath& path, FieldErrors& errors) {
  if (!value.is_string()) {
    errors.push_back(invalid(path, value, "must be a string"));
    return;
  }
  if (value.as_string().empty()) {
    errors.push_back(invalid(path, value, "must not be empty"));
    return;
  }
  const auto problems = dns1035_label_problems(lower_case(value.as_string()));
  if (problems.empty()) return;
  errors.push_back(invalid(
      path, value, "may have mixed case, but should otherwise match: " + joined(problems, ",")));
}

// An embedded resource need not have a name, but one that it has must be good.
void check_metadata(json::View value, const FieldPath& path, FieldErrors& errors) {
  auto coerced = coerce_object_meta(value, BadMeta::Refuse);
  if (!coerced) {
    errors.push_back(invalid(path, value, coerced.error().message));
    return;
  }
  auto resource = json::Draft::object();
  auto& metadata = resource["metadata"] = std::move(coerced->metadata);
  if (!metadata.contains("name")) metadata["name"] = "fakename";
  const auto scope = metadata.contains("namespace") ? Scope::Namespaced : Scope::Cluster;
  const auto frozen = resource.freeze();
  append(errors, validate_object_meta(frozen, name_is_path_segment, scope, path));
}

void check_resource(json::View value, const FieldPath& path, FieldErrors& errors) {
  if (const auto version = value.find("apiVersion")) {
    check_api_version(*version, path.child("apiVersion"), errors);
  } else {
    errors.push_back(required(path.child("apiVersion"), ""));
  }
  if (const auto kind = value.find("kind")) {
    check_kind(*kind, path.child("kind"), errors);
  } else {
    errors.push_back(required(path.child("kind"), ""));
  }
  if (const auto metadata = value.find("metadata")) {
    check_metadata(*metadata, path.child("metadata"), errors);
  }
}

void check(json::View value, const Schema* schema, bool resource, const FieldPath& path,
           FieldErrors& errors) {
  if (schema == nullptr || !(resource || schema->contains_resource)) return;
  if (value.is_object()) {
    if (resource || schema->embedded_resource) check_resource(value, path, errors);
    for (auto [key, member] : value.members()) {
      if (const auto* property = schema->property(key)) {
        check(member, property->schema, false, path.child(key), errors);
      } else {
        check(member, schema->additional_properties, false, path.key(key), errors);
      }
    }
  } else if (value.is_array()) {
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      check(element, schema->items, false, path.index(index++), errors);
    }
  }
}

}  // namespace

FieldErrors validate_embedded(json::View value, const Schema& schema, const FieldPath& path) {
  FieldErrors errors;
  check(value, &schema, false, path, errors);
  return errors;
}

FieldErrors validate_as_resource(json::View value, const Schema& schema, const FieldPath& path) {
  FieldErrors errors;
  check(value, &schema, true, path, errors);
  return errors;
}

}  // namespace fixpoint::kube
