// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/validate_schema.h"

#include "json/print.h"
#include "kube/crd/go_json.h"
#include "kube/go/text.h"
#include "kube/meta/validate_metadata.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::array<std::string_view, 6> kTypes{"array",  "boolean", "integer",
                                                 "number", "object",  "string"};

bool has_newline(std::string_view text) {
  return text.find_first_of("\n\r") != text.npos;
}

// What is known of a place on the way down.
struct Context {
  bool defaults_allowed = true;
  std::string why_no_defaults;
  bool inside_meta = false;

  Context without_defaults(std::string why) const {
    auto copy = *this;
    copy.defaults_allowed = false;
    copy.why_no_defaults = std::move(why);
    return copy;
  }
};

class SchemaChecker {
 public:
  explicit SchemaChecker(const SchemaRules& rules) : rules_(rules) {}

  void node(json::View schema, bool root, const Context& context, const FieldPath& path) {
    keywords(schema, context, path);
    if (schema.get("uniqueItems").as_bool()) {
      errors.push_back(forbidden(path.child("uniqueItems"),
                                 "uniqueItems cannot be set to true since the runtime complexity "
                                 "becomes quadratic"));
    }
    additional(schema, context, path);
    properties(schema, root, context, path);
    branches(schema, context, path);
    items(schema, context, path);
    const auto preserve = schema.find("x-kubernetes-preserve-unknown-fields");
    if (preserve && preserve->is_bool() && !preserve->as_bool()) {
      errors.push_back(invalid(path.child("x-kubernetes-preserve-unknown-fields"),
                               std::string{"false"}, "must be true or undefined"));
    }
    map_type(schema, path);
    list_type(schema, path);
    list_keys(schema, path);
    if (rules_.list_map_keys) append(errors, validate_list_keys(schema, path));
    rules_shape(schema, path);
  }

  FieldErrors errors;

 private:
  void keywords(json::View schema, const Context& context, const FieldPath& path) {
    const auto type = declared_type(schema);
    const auto refuse = [&](std::string_view keyword) {
      errors.push_back(forbidden(path.child(keyword), fmt::format("{} is not supported", keyword)));
    };
    if (rules_.valid_types && !type.empty() && !valid_type_name(type)) {
      errors.push_back(
          not_supported(path.child("type"), schema.get("type"), {kTypes.begin(), kTypes.end()}));
    }
    if (!schema.get("default").is_null() && !context.defaults_allowed) {
      errors.push_back(
          forbidden(path.child("default"), context.why_no_defaults.empty()
                                               ? "must not be set"
                                               : "must not be set " + context.why_no_defaults));
    }
    if (!schema.get("id").as_string().empty()) refuse("id");
    if (!schema.get("additionalItems").is_null()) refuse("additionalItems");
    if (!schema.get("patternProperties").empty()) refuse("patternProperties");
    if (!schema.get("definitions").empty()) refuse("definitions");
    if (schema.get("dependencies").is_object()) refuse("dependencies");
    if (!schema.get("$ref").is_null()) refuse("$ref");
    if (type == "null") {
      errors.push_back(forbidden(path.child("type"),
                                 "type cannot be set to null, use nullable as an alternative"));
    }
    if (schema.get("items").is_array() && !schema.get("items").empty()) {
      errors.push_back(
          forbidden(path.child("items"), "items must be a schema object and not an array"));
    }
    if (context.inside_meta && schema.get("x-kubernetes-embedded-resource").as_bool()) {
      errors.push_back(forbidden(path.child("x-kubernetes-embedded-resource"),
                                 "must not be used inside of resource meta"));
    }
  }

  void additional(json::View schema, const Context& context, const FieldPath& path) {
    const auto given = schema.get("additionalProperties");
    if (given.is_null()) return;
    const auto at = path.child("additionalProperties");
    if (!schema.get("properties").empty() && (given.is_object() || !given.as_bool())) {
      errors.push_back(forbidden(at, "additionalProperties and properties are mutual exclusive"));
    }
    if (!given.is_object()) return;
    node(given, false,
         context.inside_meta
             ? context.without_defaults("inside additionalProperties applying to object metadata")
             : context,
         at);
  }

  void properties(json::View schema, bool root, const Context& context, const FieldPath& path) {
    const bool resource = root || schema.get("x-kubernetes-embedded-resource").as_bool();
    const auto at = path.child("properties");
    for (auto [name, property] : schema.get("properties").members()) {
      auto below = context;
      if (resource && (name == "metadata" || name == "kind" || name == "apiVersion")) {
        below.inside_meta = true;
        if (root) below = below.without_defaults(fmt::format("in top-level {}", name));
      }
      node(property, false, below, at.key(name));
    }
  }

  void branches(json::View schema, const Context& context, const FieldPath& path) {
    if (const auto negated = schema.get("not"); negated.is_object()) {
      node(negated, false, context, path.child("not"));
    }
    for (const std::string_view keyword : {"allOf", "oneOf", "anyOf"}) {
      const auto at = path.child(keyword);
      std::size_t index = 0;
      for (const auto branch : schema.get(keyword).elements()) {
        node(branch, false, context, at.index(index++));
      }
    }
    const auto definitions = path.child("definitions");
    for (auto [name, definition] : schema.get("definitions").members()) {
      node(definition, false, context, definitions.key(name));
    }
  }

  void items(json::View schema, const Context& context, const FieldPath& path) {
    const auto given = schema.get("items");
    const auto at = path.child("items");
    if (given.is_object()) node(given, false, context, at);
    std::size_t index = 0;
    for (const auto each : given.elements()) node(each, false, context, at.index(index++));
    const auto dependencies = path.child("dependencies");
    for (auto [name, dependency] : schema.get("dependencies").members()) {
      if (dependency.is_object()) node(dependency, false, context, dependencies.key(name));
    }
  }

  void wrong_type(json::View schema, const FieldPath& path, std::string why) {
    const auto type = declared_type(schema);
    errors.push_back(type.empty() ? required(path.child("type"), std::move(why))
                                  : invalid(path.child("type"), shown(type), std::move(why)));
  }

  void map_type(json::View schema, const FieldPath& path) {
    const auto given = schema.get("x-kubernetes-map-type");
    if (!given.is_string()) return;
    if (declared_type(schema) != "object") {
      wrong_type(schema, path, "must be object if x-kubernetes-map-type is specified");
    }
    if (given.as_string() != "atomic" && given.as_string() != "granular") {
      errors.push_back(
          not_supported(path.child("x-kubernetes-map-type"), given, {"atomic", "granular"}));
    }
  }

  void list_type(json::View schema, const FieldPath& path) {
    const auto given = schema.get("x-kubernetes-list-type");
    if (!given.is_string()) return;
    if (declared_type(schema) != "array") {
      wrong_type(schema, path, "must be array if x-kubernetes-list-type is specified");
    } else if (rules_.atomic_set_items && has_loose_set_items(schema)) {
      const auto item = schema.get("items");
      const auto keyword =
          declared_type(item) == "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
      errors.push_back(invalid(path.child("items").child(keyword),
                               item.get("x-kubernetes-list-type"),
                               "must be atomic as item of a list with x-kubernetes-list-type=set"));
    }
    const auto name = given.as_string();
    if (name != "atomic" && name != "set" && name != "map") {
      errors.push_back(
          not_supported(path.child("x-kubernetes-list-type"), given, {"atomic", "set", "map"}));
    }
  }

  void list_keys(json::View schema, const FieldPath& path) {
    const auto keys = schema.get("x-kubernetes-list-map-keys");
    const auto type = schema.get("x-kubernetes-list-type");
    const auto type_at = path.child("x-kubernetes-list-type");
    constexpr std::string_view kMustBeMap =
        "must be map if x-kubernetes-list-map-keys is non-empty";
    if (!keys.empty() && !type.is_string()) {
      errors.push_back(required(type_at, std::string{kMustBeMap}));
    } else if (!keys.empty() && type.as_string() != "map") {
      errors.push_back(invalid(type_at, type, std::string{kMustBeMap}));
    }
    if (type.as_string() != "map") return;
    const auto keys_at = path.child("x-kubernetes-list-map-keys");
    if (keys.empty()) {
      errors.push_back(required(keys_at, "must not be empty if x-kubernetes-list-type is map"));
    }
    const auto item = schema.get("items");
    const auto items_at = path.child("items");
    if (item.is_null()) {
      errors.push_back(required(items_at, "must have a schema if x-kubernetes-list-type is map"));
    } else if (item.is_array()) {
      errors.push_back(invalid(items_at, go_json_items(item),
                               "must only have a single schema if x-kubernetes-list-type is map"));
    } else if (item.is_object() && declared_type(item) != "object") {
      errors.push_back(invalid(items_at.child("type"), shown(declared_type(item)),
                               "must be object if parent array's x-kubernetes-list-type is map"));
    } else if (item.is_object()) {
      key_names(keys, item, path);
    }
  }

  void key_names(json::View keys, json::View item, const FieldPath& path) {
    const auto keys_at = path.child("x-kubernetes-list-map-keys");
    const auto items_at = path.child("items");
    const auto properties_at = items_at.child("properties");
    std::set<std::string_view> seen;
    for (const auto key : keys.elements()) {
      const auto name = key.as_string();
      const auto property = item.get("properties").find(name);
      if (!property) {
        errors.push_back(invalid(keys_at, keys, "entries must all be names of item properties"));
      } else if (declared_type(*property) == "array" || declared_type(*property) == "object") {
        errors.push_back(
            invalid(properties_at.key(name).child("type"), shown(declared_type(item)),
                    "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      }
      if (!seen.insert(name).second) {
        errors.push_back(invalid(keys_at, keys, "must not contain duplicate entries"));
      }
    }
  }

  void rules_shape(json::View schema, const FieldPath& path) {
    const auto at = path.child("x-kubernetes-validations");
    std::size_t index = 0;
    for (const auto rule : schema.get("x-kubernetes-validations").elements()) {
      rule_shape(rule, schema, at.index(index++));
    }
  }

  void rule_shape(json::View rule, json::View schema, const FieldPath& at) {
    const auto text = [&](std::string_view key) { return rule.get(key).as_string(); };
    const auto message = trimmed(text("message"));
    if (trimmed(text("rule")).empty()) {
      errors.push_back(required(at.child("rule"), "rule is not specified"));
    } else if (!text("message").empty() && message.empty()) {
      errors.push_back(
          invalid(at.child("message"), rule.get("message"), "must be non-empty if specified"));
    } else if (has_newline(message)) {
      errors.push_back(
          invalid(at.child("message"), rule.get("message"), "must not contain line breaks"));
    } else if (has_newline(trimmed(text("rule"))) && message.empty()) {
      errors.push_back(
          required(at.child("message"), "message must be specified if rule contains line breaks"));
    }
    if (!text("messageExpression").empty() && trimmed(text("messageExpression")).empty()) {
      errors.push_back(required(at.child("messageExpression"),
                                "messageExpression must be non-empty if specified"));
    }
    const std::vector<std::string> reasons{"FieldValueDuplicate", "FieldValueForbidden",
                                           "FieldValueInvalid", "FieldValueRequired"};
    if (const auto reason = rule.get("reason");
        reason.is_string() && std::ranges::find(reasons, reason.as_string()) == reasons.end()) {
      errors.push_back(not_supported(at.child("reason"), reason, reasons));
    }
    rule_path(rule.get("fieldPath"), schema, at.child("fieldPath"));
  }

  void rule_path(json::View given, json::View schema, const FieldPath& at) {
    const auto text = given.as_string();
    if (text.empty()) return;
    if (trimmed(text).empty()) {
      errors.push_back(invalid(at, given, "must be non-empty if specified"));
    }
    if (has_newline(text)) errors.push_back(invalid(at, given, "must not contain line breaks"));
    if (!not_convertible(schema) && !follow_path(schema, text, Brackets::Allowed).error.empty()) {
      errors.push_back(invalid(at, given, "must be a valid path"));
    }
  }

  const SchemaRules& rules_;
};

}  // namespace

std::string_view declared_type(json::View schema) {
  return schema.get("type").as_string();
}

bool valid_type_name(std::string_view type) {
  return std::ranges::find(kTypes, type) != kTypes.end();
}

bool has_loose_set_items(json::View list) {
  if (list.get("x-kubernetes-list-type").as_string() != "set") return false;
  const auto item = list.get("items");
  const auto list_type = item.get("x-kubernetes-list-type");
  if (declared_type(item) == "array")
    return list_type.is_string() && list_type.as_string() != "atomic";
  return declared_type(item) == "object" &&
         item.get("x-kubernetes-map-type").as_string() != "atomic";
}

FieldErrors validate_list_keys(json::View list, const FieldPath& path) {
  FieldErrors errors;
  const auto type = list.get("x-kubernetes-list-type").as_string();
  const auto item = list.get("items");
  if (!item.is_object() || (type != "set" && type != "map")) return errors;
  const auto items_at = path.child("items");
  if (item.get("nullable").as_bool()) {
    errors.push_back(
        forbidden(items_at.child("nullable"),
                  fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type)));
  }
  if (type != "map") return errors;
  const auto properties_at = items_at.child("properties");
  for (const auto key : list.get("x-kubernetes-list-map-keys").elements()) {
    const auto name = key.as_string();
    const auto property = item.get("properties").find(name);
    if (!property) continue;
    const auto named = [&](json::View each) { return each.as_string() == name; };
    if (std::ranges::none_of(item.get("required").elements(), named) &&
        property->get("default").is_null()) {
      errors.push_back(required(properties_at.key(name).child("default"),
                                "this property is in x-kubernetes-list-map-keys, so it must have a "
                                "default or be a required property"));
    }
    if (property->get("nullable").as_bool()) {
      errors.push_back(
          forbidden(properties_at.key(name).child("nullable"),
                    "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
    }
  }
  return errors;
}

std::optional<std::string> not_convertible(json::View schema) {
  const auto refused = [](std::string_view keyword) {
    return fmt::format("OpenAPIV3Schema '{}' is not supported", keyword);
  };
  if (!schema.get("id").as_string().empty()) return refused("id");
  if (!schema.get("$schema").as_string().empty()) return refused("schema");
  if (!schema.get("$ref").as_string().empty()) return refused("$ref");
  if (!schema.get("patternProperties").empty()) return refused("patternProperties");
  if (!schema.get("dependencies").empty()) return refused("dependencies");
  if (!schema.get("additionalItems").is_null()) return refused("additionalItems");
  if (!schema.get("definitions").empty()) return refused("definitions");
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
    for (const auto branch : schema.get(keyword).elements()) {
      if (auto why = not_convertible(branch)) return why;
    }
  }
  if (const auto negated = schema.get("not"); negated.is_object()) {
    if (auto why = not_convertible(negated)) return why;
  }
  const auto preserve = schema.find("x-kubernetes-preserve-unknown-fields");
  if (preserve && preserve->is_bool() && !preserve->as_bool()) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  const auto items = schema.get("items");
  if (items.is_array() && !items.empty()) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const auto below : {items, schema.get("additionalProperties")}) {
    if (!below.is_object()) continue;
    if (auto why = not_convertible(below)) return why;
  }
  for (auto [name, property] : schema.get("properties").members()) {
    if (auto why = not_convertible(property)) return why;
  }
  return std::nullopt;
}

FieldErrors validate_schema(json::View schema, const SchemaRules& rules, const FieldPath& path) {
  FieldErrors errors;
  std::optional<std::string> unusable;
  if (rules.structural) {
    unusable = not_convertible(schema);
    if (!unusable) {
      errors = validate_structural(schema, path);
      if (errors.empty()) errors = validate_defaults(schema, rules.pruned_defaults, path);
    }
  }
  const bool rules_make_sense = rules.structural && !unusable && errors.empty();
  SchemaChecker checker{rules};
  checker.node(schema, true, {}, path);
  FieldErrors rule_errors;
  if (rules_make_sense && rules.rule_check != nullptr) {
    rule_errors = rules.rule_check(schema, checker.errors, path);
  }
  append(errors, std::move(checker.errors));
  append(errors, std::move(rule_errors));
  if (errors.empty() && unusable) errors.push_back(invalid(path, std::string{"\"\""}, *unusable));
  return errors;
}

}  // namespace fixpoint::kube
