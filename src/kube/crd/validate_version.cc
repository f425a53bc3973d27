// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/validate_version.h"

#include "kube/crd/go_json.h"
#include "kube/crd/validate_schema.h"
#include "kube/go/text.h"
#include "kube/meta/names.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::size_t kSelectableFieldsMax = 8;
constexpr std::size_t kDeprecationWarningBytesMax = 256;

// A label, or a CamelCase name that would be one in lower case.
enum class Case : std::uint8_t { Lower, Mixed };

void check_label(std::string_view name, Case letters, const FieldPath& at, FieldErrors& errors) {
  const auto problems =
      dns1035_label_problems(letters == Case::Mixed ? lower_case(name) : std::string{name});
  if (problems.empty()) return;
  errors.push_back(
      invalid(at, shown(name),
              (letters == Case::Mixed ? "may have mixed case, but should otherwise match: " : "") +
                  joined(problems, ",")));
}

void check_labels(json::View list, const FieldPath& at, FieldErrors& errors) {
  std::size_t index = 0;
  for (const auto name : list.elements()) {
    check_label(name.as_string(), Case::Lower, at.index(index++), errors);
  }
}

// Empty when the path looks like one.
bool check_path(json::View given, const FieldPath& at, FieldErrors& errors) {
  if (given.as_string().starts_with('.')) return true;
  errors.push_back(invalid(at, given, "must be a simple json path starting with ."));
  return false;
}

void check_scale_path(json::View given, std::string_view below, const FieldPath& at,
                      FieldErrors& errors) {
  if (given.as_string().empty()) {
    errors.push_back(required(at, ""));
  } else if (check_path(given, at, errors) &&
             !given.as_string().starts_with(fmt::format("{}.", below))) {
    errors.push_back(invalid(at, given, fmt::format("should be a json path under {}", below)));
  }
}

void check_column(json::View column, const FieldPath& at, FieldErrors& errors) {
  constexpr std::array<std::string_view, 5> kColumnTypes{"boolean", "date", "integer", "number",
                                                         "string"};
  constexpr std::array<std::string_view, 8> kFormats{"byte",  "date",  "date-time", "double",
                                                     "float", "int32", "int64",     "password"};
  const auto one_of = [](const auto& names) {
    return fmt::format("must be one of {}", fmt::join(names, ","));
  };
  if (column.get("name").as_string().empty()) errors.push_back(required(at.child("name"), ""));
  const auto type = column.get("type");
  if (type.as_string().empty()) {
    errors.push_back(required(at.child("type"), one_of(kColumnTypes)));
  } else if (std::ranges::find(kColumnTypes, type.as_string()) == kColumnTypes.end()) {
    errors.push_back(invalid(at.child("type"), type, one_of(kColumnTypes)));
  }
  const auto format = column.get("format");
  if (!format.as_string().empty() &&
      std::ranges::find(kFormats, format.as_string()) == kFormats.end()) {
    errors.push_back(invalid(at.child("format"), format, one_of(kFormats)));
  }
  const auto path = column.get("jsonPath");
  if (path.as_string().empty()) {
    errors.push_back(required(at.child("JSONPath"), ""));
  } else {
    check_path(path, at.child("JSONPath"), errors);
  }
}

bool selectable_type(json::View schema) {
  const auto type = schema.get("type").as_string();
  return type == "string" || type == "boolean" || type == "integer";
}

// The first code point a header cannot show.
std::string unprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto point = first_code_point(text.substr(at));
    if (!printable(point.value)) {
      return fmt::format(
          "must only contain printable UTF-8 characters; non-printable character found at index {}",
          at);
    }
    at += point.bytes;
  }
  return {};
}

// Go's zero value of the keyword's field; false is one where the field is no pointer.
bool is_zero(std::string_view keyword, json::View value) {
  if (value.is_null()) return true;
  if (keyword == "default" || keyword == "additionalProperties") return false;
  return (value.is_bool() && !value.as_bool()) || (value.is_string() && value.as_string().empty());
}

}  // namespace

FieldErrors validate_names(json::View names, const FieldPath& path) {
  FieldErrors errors;
  constexpr std::array<std::pair<std::string_view, Case>, 4> kNames{
      {{"plural", Case::Lower},
       {"singular", Case::Lower},
       {"kind", Case::Mixed},
       {"listKind", Case::Mixed}}
  };
  for (const auto& [field, letters] : kNames) {
    const auto name = names.get(field).as_string();
    if (!name.empty()) check_label(name, letters, path.child(field), errors);
  }
  check_labels(names.get("shortNames"), path.child("shortNames"), errors);
  const auto kind = names.get("kind").as_string();
  if (!kind.empty() && kind == names.get("listKind").as_string()) {
    errors.push_back(
        invalid(path.child("listKind"), shown(kind), "kind and listKind may not be the same"));
  }
  check_labels(names.get("categories"), path.child("categories"), errors);
  return errors;
}

FieldErrors validate_deprecation(json::View version, const FieldPath& path) {
  const auto warning = version.find("deprecationWarning");
  if (!warning || !warning->is_string()) return {};
  FieldErrors errors;
  const auto add = [&](std::string why) {
    errors.push_back(invalid(path, *warning, std::move(why)));
  };
  const auto text = warning->as_string();
  if (!version.get("deprecated").as_bool()) {
    add("can only be set for deprecated versions");
    return errors;
  }
  if (text.size() > kDeprecationWarningBytesMax) add("must be <= 256 characters long");
  if (text.empty()) add("must not be an empty string");
  if (auto why = unprintable(text); !why.empty()) add(std::move(why));
  return errors;
}

FieldErrors validate_subresources(json::View subresources, const FieldPath& path) {
  FieldErrors errors;
  const auto scale = subresources.get("scale");
  if (!scale.is_object()) return errors;
  check_scale_path(scale.get("specReplicasPath"), ".spec", path.child("scale.specReplicasPath"),
                   errors);
  check_scale_path(scale.get("statusReplicasPath"), ".status",
                   path.child("scale.statusReplicasPath"), errors);
  const auto selector = scale.get("labelSelectorPath");
  if (selector.as_string().empty()) return errors;
  const auto at = path.child("scale.labelSelectorPath");
  if (check_path(selector, at, errors) && !selector.as_string().starts_with(".spec.") &&
      !selector.as_string().starts_with(".status.")) {
    errors.push_back(invalid(at, selector, "should be a json path under either .spec or .status"));
  }
  return errors;
}

FieldErrors validate_columns(json::View columns, const FieldPath& path) {
  FieldErrors errors;
  std::size_t index = 0;
  for (const auto column : columns.elements()) check_column(column, path.index(index++), errors);
  return errors;
}

FieldErrors validate_selectable_fields(json::View fields, json::View schema,
                                       const FieldPath& path) {
  FieldErrors errors;
  if (fields.empty()) return errors;
  if (!schema.is_object()) {
    return {
        invalid(path, std::string{"\"\""}, "may only be set when validations.schema is included")};
  }
  std::set<std::string> unique;
  std::size_t index = 0;
  for (const auto field : fields.elements()) {
    const auto here = path.index(index++);
    const auto at = here.child("jsonPath");
    const auto given = field.get("jsonPath");
    if (given.as_string().empty()) {
      errors.push_back(required(at, ""));
      continue;
    }
    const auto found = follow_path(schema, given.as_string(), Brackets::Refused);
    if (!found.error.empty()) {
      errors.push_back(invalid(at, given, "is an invalid path: " + found.error));
      continue;
    }
    if (found.normal == "metadata" || found.normal.starts_with("metadata.")) {
      errors.push_back(invalid(at, given, "must not point to fields in metadata"));
    }
    if (!selectable_type(found.found)) {
      errors.push_back(invalid(at, given,
                               "must point to a field of type string, boolean or integer. Enum "
                               "string fields and strings with formats are allowed."));
    }
    if (!unique.insert(found.normal).second) errors.push_back(duplicate(at, given));
  }
  if (unique.size() > kSelectableFieldsMax) {
    errors.push_back(too_many(path, unique.size(), kSelectableFieldsMax));
  }
  return errors;
}

FieldErrors validate_root_with_status(json::View schema, const FieldPath& path) {
  FieldErrors errors;
  const auto type = schema.get("type").as_string();
  if (!type.empty() && type != "object") {
    errors.push_back(invalid(path.child("type"), shown(type),
                             "only \"object\" is allowed as the type at the root of the schema if "
                             "the status subresource is enabled"));
    return errors;
  }
  constexpr std::array<std::string_view, 22> kAllowed{"description",
                                                      "type",
                                                      "format",
                                                      "title",
                                                      "maximum",
                                                      "exclusiveMaximum",
                                                      "minimum",
                                                      "exclusiveMinimum",
                                                      "maxLength",
                                                      "minLength",
                                                      "pattern",
                                                      "maxItems",
                                                      "minItems",
                                                      "uniqueItems",
                                                      "multipleOf",
                                                      "required",
                                                      "items",
                                                      "properties",
                                                      "externalDocs",
                                                      "example",
                                                      "x-kubernetes-preserve-unknown-fields",
                                                      "x-kubernetes-validations"};
  for (auto [keyword, value] : schema.members()) {
    if (is_zero(keyword, value) || std::ranges::find(kAllowed, keyword) != kAllowed.end()) continue;
    errors.push_back(invalid(
        path, go_json_schema(schema),
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
        "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
        "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed "
        "at the root of the schema if the status subresource is enabled"));
    break;
  }
  return errors;
}

}  // namespace fixpoint::kube
