// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate.h"

#include "kube/go/value.h"
#include "kube/meta/validate_metadata.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// What lies at `.spec.replicas`, found as Go's NestedInt64 and NestedString find it: `error` says
// why a step could not be taken, an absent field is neither found nor wrong.
struct Nested {
  std::optional<json::View> value;
  std::string error;
};

Nested nested(json::View object, std::string_view path) {
  std::string walked;
  if (path.starts_with('.')) path.remove_prefix(1);
  json::View at = object;
  while (true) {
    const auto dot = path.find('.');
    if (at.is_null()) return {};
    const auto name = path.substr(0, dot);
    walked += '.';
    walked += name;
    if (!at.is_object()) {
      return {{},
              fmt::format("{} accessor error: {} is of the type {}, expected "
                          "map[string]interface{{}}",
                          walked, go_printed(at), go_type_name(at.type()))};
    }
    const auto next = at.find(name);
    if (!next) return {};
    at = *next;
    if (dot == path.npos) return {at, {}};
    path.remove_prefix(dot + 1);
  }
}

std::string type_error(std::string_view path, json::View found, std::string_view expected) {
  const auto dot = path.starts_with('.') ? "" : ".";
  return fmt::format("{}{} accessor error: {} is of the type {}, expected {}", dot, path,
                     go_printed(found), go_type_name(found.type()), expected);
}

void check_replicas(json::View object, const std::string& path, FieldErrors& errors) {
  auto found = nested(object, path);
  if (found.error.empty() && found.value && !found.value->is_int()) {
    found.error = type_error(path, *found.value, "int64");
  }
  const auto replicas = found.value ? found.value->as_int() : 0;
  const FieldPath at{path};
  if (!found.error.empty()) {
    errors.push_back(invalid(at, std::string{"0"}, found.error));
  } else if (replicas < 0) {
    errors.push_back(invalid(at, std::to_string(replicas), "should be a non-negative integer"));
  } else if (replicas > std::numeric_limits<std::int32_t>::max()) {
    errors.push_back(
        invalid(at, std::to_string(replicas), "should be less than or equal to 2147483647"));
  }
}

void check_selector(json::View object, const std::string& path, FieldErrors& errors) {
  auto found = nested(object, path);
  if (found.error.empty() && found.value && !found.value->is_string()) {
    found.error = type_error(path, *found.value, "string");
  }
  if (!found.error.empty()) {
    errors.push_back(invalid(FieldPath{path}, std::string{"\"\""}, found.error));
  }
}

void check_scale_status(json::View object, const ScalePaths& scale, FieldErrors& errors) {
  check_replicas(object, scale.status_replicas, errors);
  if (!scale.label_selector.empty()) check_selector(object, scale.label_selector, errors);
}

bool blocks(const FieldError& error) {
  switch (error.kind) {
    case FieldErrorKind::NotSupported:
    case FieldErrorKind::Required:
    case FieldErrorKind::TooLong:
    case FieldErrorKind::TooMany:
    case FieldErrorKind::TypeInvalid: return true;
    default: return false;
  }
}

void note_unchecked_rules(const CompiledSchema& schema, FieldErrors& errors) {
  if (!schema.has_cel_rules || !blocks_rules(errors)) return;
  errors.push_back(invalid(FieldPath{}, std::string{"null"},
                           "some validation rules were not checked because the object was invalid; "
                           "correct the existing errors to complete validation"));
}

// Lists that held repetitions before may go on holding them.
void check_lists(const Change& resource, const CompiledSchema& schema, FieldErrors& errors) {
  const FieldPath root;
  if (resource.old && !validate_list_types(*resource.old, *schema.declared, root).empty()) return;
  append(errors, validate_list_types(resource.now, *schema.declared, root));
}

}  // namespace

bool blocks_rules(const FieldErrors& errors) {
  return std::ranges::any_of(errors, blocks);
}

FieldErrors validate_custom_resource(const Change& resource, const CompiledSchema& schema,
                                     const std::optional<ScalePaths>& scale, FieldErrors errors) {
  append(errors, validate_keywords(resource, *schema.declared, ""));
  if (scale) {
    check_replicas(resource.now, scale->spec_replicas, errors);
    check_scale_status(resource.now, *scale, errors);
  }
  append(errors, validate_embedded(resource.now, *schema.declared, FieldPath{}));
  check_lists(resource, schema, errors);
  note_unchecked_rules(schema, errors);
  return errors;
}

FieldErrors validate_custom_resource_status(const Change& resource, const CompiledSchema& schema,
                                            const std::optional<ScalePaths>& scale,
                                            FieldErrors errors) {
  const auto* status = schema.declared->property("status");
  if (const auto now = resource.now.find("status"); now && status != nullptr) {
    Change change{*now, std::nullopt};
    if (resource.old) change.old = resource.old->get("status");
    append(errors, validate_keywords(change, *status->schema, "status"));
  }
  if (scale) check_scale_status(resource.now, *scale, errors);
  append(errors, validate_embedded(resource.now, *schema.declared, FieldPath{}));
  check_lists(resource, schema, errors);
  note_unchecked_rules(schema, errors);
  return errors;
}

}  // namespace fixpoint::kube
