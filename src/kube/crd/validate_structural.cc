// SPDX-License-Identifier: Apache-2.0
//
// What makes a schema structural: types everywhere outside of anyOf and its kin, nothing but value
// validation inside them, metadata left alone.
#include "kube/crd/validate_schema.h"
#include "kube/meta/validate_metadata.h"
#include "kube/schema/validate_pattern.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

enum class Position : std::uint8_t { Root, Item, Field };

bool flag(json::View schema, std::string_view keyword) {
  return schema.get(keyword).as_bool();
}
bool embedded(json::View schema) {
  return flag(schema, "x-kubernetes-embedded-resource");
}
bool int_or_string(json::View schema) {
  return flag(schema, "x-kubernetes-int-or-string");
}
bool preserving(json::View schema) {
  return flag(schema, "x-kubernetes-preserve-unknown-fields");
}

// additionalProperties as Kubernetes keeps it inside anyOf: `false` is as good as absent.
bool has_additional(json::View schema) {
  const auto additional = schema.get("additionalProperties");
  return additional.is_object() || additional.as_bool();
}

// The one use of `type` inside anyOf that is allowed, and only in this order.
bool int_or_string_branches(json::View any_of) {
  if (any_of.size() != 2) return false;
  const auto only_type = [](json::View branch, std::string_view type) {
    return branch.size() == 1 && declared_type(branch) == type;
  };
  return only_type(any_of[0], "integer") && only_type(any_of[1], "string");
}

class Structural {
 public:
  FieldErrors errors;

  void node(json::View schema, Position position, const FieldPath& path) {
    const auto items = schema.get("items");
    // An empty list of schemas is no schema at all.
    if (declared_type(schema) == "array" &&
        (items.is_null() || (items.is_array() && items.empty()))) {
      errors.push_back(required(path.child("items"), "must be specified"));
    }
    if (items.is_object()) node(items, Position::Item, path.child("items"));
    const auto properties = path.child("properties");
    for (auto [name, property] : schema.get("properties").members()) {
      node(property, Position::Field, properties.key(name));
    }
    additional(schema, position, path);
    extensions(schema, path);
    const auto any_of = schema.get("anyOf");
    const auto all_of = schema.get("allOf");
    value_validation(schema, int_or_string_branches(any_of),
                     all_of.size() >= 1 && int_or_string_branches(all_of[0].get("anyOf")), path);
    type(schema, position, path);
    meta(schema, position, path);
    if (embedded(schema) && !preserving(schema) && schema.get("properties").empty()) {
      errors.push_back(required(path.child("properties"),
                                "must not be empty if x-kubernetes-embedded-resource is true "
                                "without x-kubernetes-preserve-unknown-fields"));
    }
  }

 private:
  void additional(json::View schema, Position position, const FieldPath& path) {
    const auto given = schema.get("additionalProperties");
    if (given.is_null()) return;
    const auto at = path.child("additionalProperties");
    if (position == Position::Root) errors.push_back(forbidden(at, "must not be used at the root"));
    if (given.is_object()) node(given, Position::Field, at);
  }

  void extensions(json::View schema, const FieldPath& path) {
    if (!int_or_string(schema)) return;
    for (const std::string_view other :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (flag(schema, other)) {
        errors.push_back(invalid(path.child(other), std::string{"true"},
                                 "must be false if x-kubernetes-int-or-string is true"));
      }
    }
  }

  void type(json::View schema, Position position, const FieldPath& path) {
    const auto at = path.child("type");
    const auto given = declared_type(schema);
    if (embedded(schema) && given != "object") {
      constexpr std::string_view kWhy = "must be object if x-kubernetes-embedded-resource is true";
      errors.push_back(given.empty() ? required(at, std::string{kWhy})
                                     : invalid(at, shown(given), std::string{kWhy}));
    } else if (given.empty() && !int_or_string(schema) && !preserving(schema)) {
      constexpr std::array kWhy{"must not be empty at the root",
                                "must not be empty for specified array items",
                                "must not be empty for specified object fields"};
      errors.push_back(required(at, kWhy[static_cast<std::size_t>(position)]));
    }
    if (embedded(schema) && !schema.get("additionalProperties").is_null()) {
      errors.push_back(forbidden(path.child("additionalProperties"),
                                 "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (position == Position::Root && !given.empty() && given != "object") {
      errors.push_back(invalid(at, shown(given), "must be object at the root"));
    }
  }

  void meta(json::View schema, Position position, const FieldPath& path) {
    const auto properties = schema.get("properties");
    const bool resource = position == Position::Root || embedded(schema);
    const auto at = path.child("properties");
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const auto property = properties.find(name);
      if (!resource || !property || declared_type(*property) == "string") continue;
      errors.push_back(
          invalid(at.key(name).child("type"), shown(declared_type(*property)), "must be string"));
    }
    const auto metadata = properties.find("metadata");
    if (!metadata) return;
    const auto meta_at = at.key("metadata");
    if (resource && declared_type(*metadata) != "object") {
      errors.push_back(
          invalid(meta_at.child("type"), shown(declared_type(*metadata)), "must be object"));
    }
    if (position == Position::Root && says_too_much(*metadata)) {
      errors.push_back(forbidden(meta_at,
                                 "must not specify anything other than name and generateName, but "
                                 "metadata is implicitly specified"));
    }
  }

  // Anything besides type, default, and properties called name and generateName.
  static bool says_too_much(json::View metadata) {
    for (auto [keyword, value] : metadata.members()) {
      if (keyword == "type" || keyword == "default") continue;
      if (value.is_null() || (value.is_bool() && !value.as_bool())) continue;
      if ((value.is_array() || value.is_object()) && value.empty()) continue;
      if (value.is_string() && value.as_string().empty()) continue;
      if (keyword != "properties") return true;
      for (auto [name, property] : value.members()) {
        if (name != "name" && name != "generateName") return true;
      }
    }
    return false;
  }

  void value_validation(json::View schema, bool skip_any_of, bool skip_first_any_of,
                        const FieldPath& path) {
    if (!skip_any_of) branches(schema, "anyOf", false, path);
    branches(schema, "allOf", skip_first_any_of, path);
    branches(schema, "oneOf", false, path);
    if (const auto negated = schema.get("not"); negated.is_object()) {
      nested(negated, false, path.child("not"));
    }
    const auto pattern = schema.get("pattern").as_string();
    if (pattern.empty()) return;
    if (const auto compiled = Pattern::compile(pattern); !compiled) {
      errors.push_back(
          invalid(path.child("pattern"), shown(pattern),
                  "must be a valid regular expression, but isn't: " + compiled.error().message));
    }
  }

  void branches(json::View schema, std::string_view keyword, bool skip_first_any_of,
                const FieldPath& path) {
    const auto at = path.child(keyword);
    std::size_t index = 0;
    for (const auto branch : schema.get(keyword).elements()) {
      nested(branch, skip_first_any_of && index == 0, at.index(index));
      ++index;
    }
  }

  // Inside anyOf, allOf, oneOf and not: values may be constrained, nothing may be described.
  void nested(json::View schema, bool skip_any_of, const FieldPath& path) {
    value_validation(schema, skip_any_of, false, path);
    if (const auto items = schema.get("items"); items.is_object()) {
      nested(items, false, path.child("items"));
    }
    const auto properties = path.child("properties");
    for (auto [name, property] : schema.get("properties").members()) {
      nested(property, false, properties.key(name));
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kForbidden{
        {
         {"type", "must be empty to be structural"},
         {"additionalProperties", "must be undefined to be structural"},
         {"default", "must be undefined to be structural"},
         {"title", "must be empty to be structural"},
         {"description", "must be empty to be structural"},
         {"nullable", "must be false to be structural"},
         {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
         {"x-kubernetes-embedded-resource", "must be false to be structural"},
         {"x-kubernetes-int-or-string", "must be false to be structural"},
         {"x-kubernetes-list-map-keys", "must be empty to be structural"},
         {"x-kubernetes-validations", "must be empty to be structural"},
         }
    };
    for (const auto& [keyword, why] : kForbidden) {
      if (says_something(schema, keyword)) {
        errors.push_back(forbidden(path.child(keyword), std::string{why}));
      }
    }
    for (const std::string_view keyword : {"x-kubernetes-list-type", "x-kubernetes-map-type"}) {
      if (schema.get(keyword).is_string()) {
        errors.push_back(forbidden(path.child(keyword), "must be undefined to be structural"));
      }
    }
    if (schema.get("properties").contains("metadata")) {
      errors.push_back(
          forbidden(properties.key("metadata"), "must not be specified in a nested context"));
    }
  }

  static bool says_something(json::View schema, std::string_view keyword) {
    if (keyword == "additionalProperties") return has_additional(schema);
    const auto value = schema.get(keyword);
    if (keyword == "default") return !value.is_null();
    if (value.is_bool()) return value.as_bool();
    if (value.is_string()) return !value.as_string().empty();
    return !value.empty();
  }
};

// Kubernetes asks of the root alone that what its anyOf and kin constrain is also described.
class Completeness {
 public:
  FieldErrors errors;

  void validation(json::View value, json::View schema, const FieldPath& at, const FieldPath& from) {
    if (const auto negated = value.get("not"); negated.is_object()) {
      nested(negated, schema, at, from.child("not"));
    }
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto list = from.child(keyword);
      std::size_t index = 0;
      for (const auto branch : value.get(keyword).elements()) {
        nested(branch, schema, at, list.index(index++));
      }
    }
  }

 private:
  void nested(json::View value, json::View schema, const FieldPath& at, const FieldPath& from) {
    if (!schema.is_object()) {
      missing(at, from);
      return;
    }
    validation(value, schema, at, from);
    if (const auto items = value.get("items"); items.is_object()) {
      nested(items, schema.get("items"), at.child("items"), from.child("items"));
    }
    const auto properties = at.child("properties");
    const auto properties_from = from.child("properties");
    for (auto [name, property] : value.get("properties").members()) {
      const auto described = schema.get("properties").find(name);
      if (described) {
        nested(property, *described, properties.key(name), properties_from.key(name));
      } else {
        missing(properties.key(name), properties_from.key(name));
      }
    }
  }

  void missing(const FieldPath& at, const FieldPath& from) {
    errors.push_back(required(at, "because it is defined in " + from.to_string()));
  }
};

}  // namespace

FieldErrors validate_structural(json::View schema, const FieldPath& path) {
  Structural structural;
  structural.node(schema, Position::Root, path);
  Completeness completeness;
  completeness.validation(schema, schema, path, path);
  append(structural.errors, std::move(completeness.errors));
  std::ranges::sort(structural.errors, {}, &FieldError::to_string);
  return std::move(structural.errors);
}

}  // namespace fixpoint::kube
