// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/schema.h"

#include "json/strings.h"
#include "kube/crd/meta.h"
#include "kube/nesting.h"
#include "kube/schema/prune.h"
#include "kube/schema/validate_format.h"
#include "kube/schema/validate_pattern.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

SchemaType type_named(std::string_view name) {
  if (name == "object") return SchemaType::Object;
  if (name == "array") return SchemaType::Array;
  if (name == "string") return SchemaType::String;
  if (name == "integer") return SchemaType::Integer;
  if (name == "number") return SchemaType::Number;
  if (name == "boolean") return SchemaType::Boolean;
  return SchemaType::Any;
}

ListType list_type_named(std::string_view name) {
  if (name == "set") return ListType::Set;
  return name == "map" ? ListType::Map : ListType::Atomic;
}

std::optional<std::int64_t> whole(json::View value) {
  if (!value.is_number()) return std::nullopt;
  return value.is_int() ? value.as_int() : static_cast<std::int64_t>(value.as_double());
}

std::optional<double> real(json::View value) {
  return value.is_number() ? std::optional{value.as_double()} : std::nullopt;
}

class Compiler {
 public:
  Compiler(SchemaArena& arena, IntOrStringRule int_or_string)
      : arena_(arena), int_or_string_(int_or_string) {}

  Result<const Schema*> compile(json::View from, std::size_t depth);
  bool has_cel_rules = false;

 private:
  Result<void> refuse_unsupported(json::View from) const;
  void read_shape(json::View from, Schema& node);
  Result<void> read_children(json::View from, Schema& node, std::size_t depth);
  Result<void> read_validation(json::View from, Schema& node, std::size_t depth);
  Result<std::vector<const Schema*>> branches(json::View list, std::size_t depth);

  SchemaArena& arena_;
  IntOrStringRule int_or_string_;
};

Result<void> Compiler::refuse_unsupported(json::View from) const {
  constexpr std::array kRefused{
      "id",           "$schema",         "$ref",       "patternProperties",
      "dependencies", "additionalItems", "definitions"};
  for (const std::string_view keyword : kRefused) {
    if (from.contains(keyword)) {
      return fail(ErrorKind::Invalid,
                  fmt::format("OpenAPIV3Schema '{}' is not supported", keyword));
    }
  }
  // An empty list of schemas is no schema at all.
  if (const auto items = from.get("items"); items.is_array() && !items.empty()) {
    return fail(ErrorKind::Invalid, "OpenAPIV3Schema 'items' must be a schema, but is an array");
  }
  return {};
}

void Compiler::read_shape(json::View from, Schema& node) {
  node.type = type_named(from.get("type").as_string());
  node.format = from.get("format").as_string();
  node.nullable = from.get("nullable").as_bool();
  node.int_or_string = int_or_string_ == IntOrStringRule::IsAType &&
                       from.get("x-kubernetes-int-or-string").as_bool();
  node.preserve_unknown_fields = from.get("x-kubernetes-preserve-unknown-fields").as_bool();
  node.embedded_resource = from.get("x-kubernetes-embedded-resource").as_bool();
  node.list_type = list_type_named(from.get("x-kubernetes-list-type").as_string());
  node.map_type = from.get("x-kubernetes-map-type").as_string() == "atomic" ? MapType::Atomic
                                                                            : MapType::Granular;
  node.list_map_keys = json::strings_of(from.get("x-kubernetes-list-map-keys"));
  node.required = json::strings_of(from.get("required"));
  node.description = from.get("description").as_string();
  if (const auto rules = from.get("x-kubernetes-validations"); !rules.empty()) {
    node.cel_rules = json::Value(rules).compact();
    has_cel_rules = true;
  }
}

Result<void> Compiler::read_children(json::View from, Schema& node, std::size_t depth) {
  for (auto [name, property] : from.get("properties").members()) {
    FP_TRY(schema, compile(property, depth + 1));
    node.properties.emplace_back().name = name;
    node.properties.back().schema = schema;
  }
  if (const auto items = from.get("items"); items.is_object()) {
    FP_TRY(schema, compile(items, depth + 1));
    node.items = schema;
  }
  const auto additional = from.get("additionalProperties");
  if (additional.is_object()) {
    FP_TRY(schema, compile(additional, depth + 1));
    node.additional_properties = schema;
  } else if (additional.is_bool()) {
    node.extra_fields = additional.as_bool() ? ExtraFields::Allowed : ExtraFields::Denied;
  }
  // null means "no default", as an absent one does.
  if (const auto value = from.get("default"); !value.is_null()) {
    node.default_value = prune(json::Value(value).compact(), node, Place::Field).value;
  }
  return {};
}

Result<std::vector<const Schema*>> Compiler::branches(json::View list, std::size_t depth) {
  std::vector<const Schema*> out;
  for (const auto branch : list.elements()) {
    FP_TRY(schema, compile(branch, depth + 1));
    out.push_back(schema);
  }
  return out;
}

Result<void> Compiler::read_validation(json::View from, Schema& node, std::size_t depth) {
  auto validation = std::make_unique<Validation>();
  bool any = false;
  const auto given = [&](std::string_view keyword) {
    const auto value = from.get(keyword);
    if (!value.is_null()) any = true;
    return value;
  };
  validation->minimum = real(given("minimum"));
  validation->maximum = real(given("maximum"));
  validation->exclusive_minimum = given("exclusiveMinimum").as_bool();
  validation->exclusive_maximum = given("exclusiveMaximum").as_bool();
  validation->multiple_of = real(given("multipleOf"));
  validation->min_length = whole(given("minLength"));
  validation->max_length = whole(given("maxLength"));
  validation->min_items = whole(given("minItems"));
  validation->max_items = whole(given("maxItems"));
  validation->unique_items = given("uniqueItems").as_bool();
  validation->min_properties = whole(given("minProperties"));
  validation->max_properties = whole(given("maxProperties"));
  validation->pattern = given("pattern").as_string();
  if (!validation->pattern.empty()) {
    FP_TRY(compiled, Pattern::compile(validation->pattern));
    validation->compiled_pattern = std::move(compiled);
  }
  for (const auto value : given("enum").elements()) {
    validation->enumeration.push_back(json::Value(value).compact());
  }
  validation->format = format_named(node.format);
  if (validation->format != Format::None) any = true;

  FP_TRY(all_of, branches(given("allOf"), depth));
  FP_TRY(any_of, branches(given("anyOf"), depth));
  FP_TRY(one_of, branches(given("oneOf"), depth));
  validation->all_of = std::move(all_of);
  validation->any_of = std::move(any_of);
  validation->one_of = std::move(one_of);
  if (const auto negated = given("not"); negated.is_object()) {
    FP_TRY(schema, compile(negated, depth + 1));
    validation->negated = schema;
  }
  if (any) node.validation = std::move(validation);
  return {};
}

Result<const Schema*> Compiler::compile(json::View from, std::size_t depth) {
  if (depth > kSchemaDepthMax) {
    return fail(ErrorKind::Invalid,
                fmt::format("OpenAPIV3Schema is nested more than {} levels deep", kSchemaDepthMax));
  }
  FP_TRY_VOID(refuse_unsupported(from));
  auto* node = arena_.make();
  read_shape(from, *node);
  FP_TRY_VOID(read_children(from, *node, depth));
  node->contains_resource =
      node->embedded_resource || (node->items != nullptr && node->items->contains_resource) ||
      (node->additional_properties != nullptr && node->additional_properties->contains_resource) ||
      std::ranges::any_of(node->properties,
                          [](const Property& p) { return p.schema->contains_resource; });
  FP_TRY_VOID(read_validation(from, *node, depth));
  return node;
}

// Rebuilds the way from the root to each embedded resource with the implied fields added.
class MetaAdder {
 public:
  explicit MetaAdder(SchemaArena& arena) : arena_(arena) {}

  const Schema* typed(const Schema& node, bool resource) {
    const Schema* items = node.items == nullptr ? nullptr : typed(*node.items, false);
    const Schema* values =
        node.additional_properties == nullptr ? nullptr : typed(*node.additional_properties, false);
    bool changed = resource || node.embedded_resource || items != node.items ||
                   values != node.additional_properties;
    std::vector<const Schema*> properties;
    for (const auto& property : node.properties) {
      properties.push_back(typed(*property.schema, false));
      if (properties.back() != property.schema) changed = true;
    }
    if (!changed) return &node;
    auto* copy = arena_.make();
    copy_shape(node, *copy);
    copy->items = items;
    copy->additional_properties = values;
    for (std::size_t i = 0; i < properties.size(); ++i) {
      copy->properties[i].schema = properties[i];
    }
    if (resource || node.embedded_resource) add_meta(*copy);
    return copy;
  }

 private:
  // Everything but the validation, which `declared` keeps.
  static void copy_shape(const Schema& from, Schema& to) {
    to.type = from.type;
    to.format = from.format;
    to.nullable = from.nullable;
    to.int_or_string = from.int_or_string;
    to.preserve_unknown_fields = from.preserve_unknown_fields;
    to.embedded_resource = from.embedded_resource;
    to.contains_resource = from.contains_resource;
    to.list_type = from.list_type;
    to.map_type = from.map_type;
    to.list_map_keys = from.list_map_keys;
    to.properties = from.properties;
    to.required = from.required;
    to.extra_fields = from.extra_fields;
    to.default_value = from.default_value;
    to.cel_rules = from.cel_rules;
    to.description = from.description;
  }

  static void add_meta(Schema& node) {
    put(node, "apiVersion", type_meta_schema());
    put(node, "kind", type_meta_schema());
    put(node, "metadata", object_meta_schema());
  }

  static void put(Schema& node, std::string_view name, const Schema* schema) {
    auto at = std::ranges::lower_bound(node.properties, name, {}, &Property::name);
    if (at == node.properties.end() || at->name != name) {
      at = node.properties.insert(at, Property{});
      at->name = name;
    }
    at->schema = schema;
  }

  SchemaArena& arena_;
};

}  // namespace

// One level of schema is at most two of JSON: a map of properties, or a list of branches, and the
// schema in it. Defaults and enumerations may go on for as long again.
bool nests_too_deep(json::View schema) {
  return deeper_than(schema, 3 * kSchemaDepthMax);
}

Result<CompiledSchema> compile_schema(json::View open_api_v3_schema,
                                      IntOrStringRule int_or_string) {
  CompiledSchema out;
  out.arena = make_ref<SchemaArena>();
  Compiler compiler{*out.arena, int_or_string};
  FP_TRY(declared, compiler.compile(open_api_v3_schema, 0));
  out.declared = declared;
  out.typed = MetaAdder{*out.arena}.typed(*declared, true);
  out.has_cel_rules = compiler.has_cel_rules;
  return out;
}

namespace {

CompiledSchema of_root(bool preserve_unknown_fields) {
  CompiledSchema out;
  out.arena = make_ref<SchemaArena>();
  auto* node = out.arena->make();
  node->type = SchemaType::Object;
  node->preserve_unknown_fields = preserve_unknown_fields;
  out.declared = node;
  out.typed = MetaAdder{*out.arena}.typed(*node, true);
  return out;
}

}  // namespace

CompiledSchema schemaless() {
  return of_root(true);
}

CompiledSchema fieldless() {
  return of_root(false);
}

}  // namespace fixpoint::kube
