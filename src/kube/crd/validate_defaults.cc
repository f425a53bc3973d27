// SPDX-License-Identifier: Apache-2.0
//
// Defaults must be what they are defaults for: valid, without unknown fields, and inside an
// embedded resource's metadata such that the metadata is valid with them.
#include "kube/crd/coerce.h"
#include "kube/crd/schema.h"
#include "kube/crd/validate_schema.h"
#include "kube/go/text.h"
#include "kube/meta/validate_metadata.h"
#include "kube/schema/prune.h"
#include "kube/schema/validate.h"

#include <vector>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// The way from a resource's root to a default in its metadata; an empty step is a list.
using Way = std::vector<std::string_view>;

// The smallest resource that has the value at the end of the way.
json::Draft resource_around(json::View value, const Way& way) {
  json::Draft around{value};
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    if (step->empty()) {
      around = json::Draft::array({std::move(around)});
    } else {
      auto outer = json::Draft::object();
      outer[*step] = std::move(around);
      around = std::move(outer);
    }
  }
  for (const auto& [key, filler] : {
           std::pair{"apiVersion", "validation/v1"},
           std::pair{"kind",       "Validation"   }
  }) {
    if (!around.contains(key)) around[key] = filler;
  }
  return around;
}

std::vector<std::string> error_texts(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const auto& error : errors) texts.push_back(error.to_string());
  return texts;
}

class DefaultChecker {
 public:
  explicit DefaultChecker(bool must_be_pruned) : must_be_pruned_(must_be_pruned) {}

  // `resource` is the innermost resource around this place, `inside_meta` whether the way from
  // there leads through apiVersion, kind or metadata.
  void node(json::View given, const Schema& schema, bool is_resource, const Schema* resource,
            bool inside_meta, const Way& way, const FieldPath& path) {
    is_resource = is_resource || schema.embedded_resource;
    if (is_resource) {
      resource = &schema;
      inside_meta = false;
    }
    const Way here = is_resource ? Way{} : way;
    if (const auto value = given.get("default"); !value.is_null()) {
      const auto at = path.child("default");
      if (inside_meta) {
        in_meta(value, schema, *resource, here, at);
      } else {
        plain(value, schema, is_resource ? Place::Resource : Place::Field, at);
      }
    }
    if (schema.items != nullptr) {
      node(given.get("items"), *schema.items, false, resource, inside_meta, extended(here, ""),
           path.child("items"));
    }
    const auto properties = path.child("properties");
    for (const auto& property : schema.properties) {
      const bool meta = is_resource && (property.name == "metadata" || property.name == "kind" ||
                                        property.name == "apiVersion");
      node(given.get("properties", property.name), *property.schema, false, resource,
           inside_meta || meta, extended(here, property.name), properties.key(property.name));
    }
  }

  FieldErrors errors;

 private:
  static Way extended(Way way, std::string_view step) {
    way.push_back(step);
    return way;
  }

  void plain(json::View value, const Schema& schema, Place place, const FieldPath& at) {
    if (must_be_pruned_ && !prune(json::Value(value), schema, place).unknown_fields.empty()) {
      errors.push_back(invalid(at, value, "must not have unknown fields"));
    }
    json::Draft coerced{value};
    if (auto error = coerce_embedded(coerced, schema, place, BadMeta::Refuse, at.to_string())) {
      errors.push_back(std::move(*error));
      return;
    }
    auto problems = place == Place::Resource ? validate_as_resource(value, schema, at)
                                             : validate_embedded(value, schema, at);
    if (problems.empty()) problems = validate_keywords({value, {}}, schema, at.to_string());
    append(errors, std::move(problems));
  }

  void in_meta(json::View value, const Schema& schema, const Schema& resource, const Way& way,
               const FieldPath& at) {
    auto around = resource_around(value, way);
    const auto bad = [&](const std::string& why) {
      errors.push_back(invalid(at, value, "must result in valid metadata: " + why));
    };
    if (const auto error =
            coerce_embedded(around, resource, Place::Resource, BadMeta::Refuse, {})) {
      bad(error->to_string());
      return;
    }
    const auto frozen = around.freeze();
    if (const auto problems = validate_as_resource(frozen, resource, FieldPath{});
        !problems.empty()) {
      bad(go_aggregate(error_texts(problems)));
      return;
    }
    append(errors, validate_keywords({value, {}}, schema, at.to_string()));
  }

  bool must_be_pruned_;
};

}  // namespace

FieldErrors validate_defaults(json::View schema, bool must_be_pruned, const FieldPath& path) {
  const auto compiled = compile_schema(schema, IntOrStringRule::SaysNothing);
  if (!compiled) return {invalid(path, std::string{"\"\""}, compiled.error().message)};
  DefaultChecker checker{must_be_pruned};
  checker.node(schema, *compiled->declared, true, compiled->declared, false, {}, path);
  return std::move(checker.errors);
}

}  // namespace fixpoint::kube
