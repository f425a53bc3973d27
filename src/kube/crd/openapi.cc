// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/openapi.h"

#include "json/draft.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
constexpr std::string_view kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

// Kept as given; schemas below them are published in turn. externalDocs and example are not.
constexpr std::array<std::string_view, 28> kPlain{"type",
                                                  "description",
                                                  "title",
                                                  "nullable",
                                                  "default",
                                                  "format",
                                                  "maximum",
                                                  "minimum",
                                                  "exclusiveMaximum",
                                                  "exclusiveMinimum",
                                                  "maxLength",
                                                  "minLength",
                                                  "pattern",
                                                  "maxItems",
                                                  "minItems",
                                                  "uniqueItems",
                                                  "multipleOf",
                                                  "enum",
                                                  "maxProperties",
                                                  "minProperties",
                                                  "required",
                                                  "x-kubernetes-preserve-unknown-fields",
                                                  "x-kubernetes-embedded-resource",
                                                  "x-kubernetes-int-or-string",
                                                  "x-kubernetes-list-map-keys",
                                                  "x-kubernetes-list-type",
                                                  "x-kubernetes-map-type",
                                                  "x-kubernetes-validations"};

// Go leaves out what is empty; a number that is zero was asked for.
bool worth_saying(json::View value) {
  switch (value.type()) {
    case json::Type::Null: return false;
    case json::Type::Bool: return value.as_bool();
    case json::Type::String: return !value.as_string().empty();
    case json::Type::Array: return !value.empty();
    default: return true;
  }
}

json::Draft described(json::Draft schema, std::string_view description) {
  schema["description"] = description;
  return schema;
}

json::Draft text_schema(std::string_view description) {
  return described(json::Draft::object({
                       {"type", "string"}
  }),
                   description);
}

std::string target(std::string_view definition, PublishedFor form) {
  return (form == PublishedFor::OpenApiV3 ? "#/components/schemas/" : "#/definitions/") +
         std::string{definition};
}

json::Draft plain_reference(std::string_view to, PublishedFor form) {
  return json::Draft::object({
      {"$ref", json::Draft{target(to, form)}}
  });
}

// Beside a description a reference stands alone only in v2.
json::Draft reference(std::string_view to, std::string_view description, PublishedFor form) {
  auto plain = plain_reference(to, form);
  if (form == PublishedFor::OpenApiV2) return described(std::move(plain), description);
  auto made = json::Draft::object();
  made.array_at("allOf").push_back(std::move(plain));
  return described(std::move(made), description);
}

void add_type_meta(json::Draft& properties) {
  properties["apiVersion"] =
      text_schema("The group and version of the API that this object is written in.");
  properties["kind"] = text_schema("The kind of this object, in CamelCase. It never changes.");
}

json::Draft object_meta(PublishedFor form) {
  return reference(kObjectMeta, "The object's metadata.", form);
}

void require(json::Draft& schema, std::string_view name) {
  auto& list = schema.array_at("required");
  const auto same = [&](const json::Draft& each) { return each.as_string() == name; };
  if (std::ranges::none_of(list.elements(), same)) list.push_back(name);
}

bool is_true(json::View schema, std::string_view keyword) {
  return schema.get(keyword).as_bool();
}

bool loose(json::View schema) {
  return is_true(schema, "x-kubernetes-preserve-unknown-fields");
}

// What v2 does not say of a schema. Clients of v2 take what has no type for anything; they fail on
// nullable values with a type, on lists without items, and on open objects with properties.
bool hidden_in_v2(json::View schema, std::string_view keyword) {
  if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf" || keyword == "not" ||
      keyword == "nullable" || keyword == "default") {
    return true;
  }
  const bool nullable = is_true(schema, "nullable");
  const bool bare = nullable || loose(schema);
  if (keyword == "items" || keyword == "properties") return bare;
  if (keyword != "type") return false;
  const auto type = schema.get("type").as_string();
  return nullable || (type == "object" && loose(schema)) ||
         (type == "array" && (bare || !schema.get("items").is_object()));
}

// A member that may be null cannot be required in v2.
void drop_nullable_from_required(json::View schema, json::Draft& out) {
  if (schema.get("required").empty()) return;
  auto kept = json::Draft::array();
  for (const auto name : schema.get("required").elements()) {
    const auto property = schema.get("properties", name.as_string());
    if (!is_true(property, "nullable")) kept.push_back(name);
  }
  const bool nothing = is_true(schema.get("additionalProperties"), "nullable");
  out.erase("required");
  if (!nothing && kept.size() > 0) out["required"] = std::move(kept);
}

json::Draft published(json::View schema, PublishedFor form);

void add_embedded(json::Draft& out, PublishedFor form) {
  auto& properties = out.object_at("properties");
  add_type_meta(properties);
  properties["metadata"] = object_meta(form);
  require(out, "kind");
  require(out, "apiVersion");
}

json::Draft integer_or_string() {
  const auto typed = [](std::string_view type) {
    return json::Draft::object({
        {"type", type}
    });
  };
  return json::Draft::array({typed("integer"), typed("string")});
}

bool is_integer_or_string(json::View branches) {
  return branches.size() == 2 && branches[0].get("type").as_string() == "integer" &&
         branches[1].get("type").as_string() == "string";
}

// What int-or-string means in plain words, unless the schema says so itself.
void spell_out_int_or_string(json::View schema, json::Draft& out) {
  const auto any_of = schema.get("anyOf");
  const auto all_of = schema.get("allOf");
  const bool said = is_integer_or_string(any_of) ||
                    (!all_of.empty() && is_integer_or_string(all_of[0].get("anyOf")));
  if (said) return;
  if (any_of.empty()) {
    out["anyOf"] = integer_or_string();
    return;
  }
  auto first = json::Draft::object();
  first["anyOf"] = integer_or_string();
  auto branches = json::Draft::array();
  branches.push_back(std::move(first));
  for (const auto branch : all_of.elements()) {
    branches.push_back(published(branch, PublishedFor::OpenApiV3));
  }
  out["allOf"] = std::move(branches);
}

json::Draft published(json::View schema, PublishedFor form) {
  const bool v2 = form == PublishedFor::OpenApiV2;
  const auto shown = [&](std::string_view keyword) {
    return !v2 || !hidden_in_v2(schema, keyword);
  };
  auto out = json::Draft::object();
  for (const auto keyword : kPlain) {
    const auto value = schema.get(keyword);
    if (!shown(keyword)) continue;
    if (keyword == "default" ? !value.is_null() : worth_saying(value)) out[keyword] = value;
  }
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
    if (!shown(keyword)) continue;
    for (const auto branch : schema.get(keyword).elements()) {
      out.array_at(keyword).push_back(published(branch, form));
    }
  }
  for (const std::string_view keyword : {"not", "items", "additionalProperties"}) {
    if (!shown(keyword)) continue;
    const auto below = schema.get(keyword);
    if (below.is_object()) out[keyword] = published(below, form);
    if (below.is_bool()) out[keyword] = below;
  }
  if (shown("properties")) {
    for (auto [name, property] : schema.get("properties").members()) {
      out.object_at("properties")[name] = published(property, form);
    }
  }
  if (v2) drop_nullable_from_required(schema, out);
  if (!v2 && is_true(schema, "x-kubernetes-int-or-string")) spell_out_int_or_string(schema, out);
  if (is_true(schema, "x-kubernetes-embedded-resource") && !(v2 && loose(schema))) {
    add_embedded(out, form);
  }
  return out;
}

void add_kind(json::Draft& schema, const CustomResource& resource, const CustomVersion& version,
              std::string_view kind) {
  schema["x-kubernetes-group-version-kind"] = json::Draft::array({
      json::Draft::object({{"group", json::Draft{resource.group}},
                           {"kind", json::Draft{kind}},
                           {"version", json::Draft{version.name}}}
      )
  });
  for (std::string_view path : version.selectable_fields) {
    if (path.starts_with('.')) path.remove_prefix(1);
    schema.array_at("x-kubernetes-selectable-fields")
        .push_back(json::Draft::object({
            {"fieldPath", json::Draft{path}}
    }));
  }
}

json::Draft object_schema(const CustomVersion& version, PublishedFor form) {
  const bool open = form == PublishedFor::OpenApiV2 && loose(version.schema);
  if (!version.schema.is_object() || open)
    return json::Draft::object({
        {"type", "object"}
    });
  auto out = published(version.schema, form);
  auto& properties = out.object_at("properties");
  add_type_meta(properties);
  properties["metadata"] = object_meta(form);
  return out;
}

json::Draft list_schema(const CustomResource& resource, std::string_view item, PublishedFor form) {
  auto out = json::Draft::object({
      {"type", "object"}
  });
  out["description"] =
      fmt::format("{} is a list of {}", resource.names.list_kind, resource.names.kind);
  out["required"] = json::Draft::array({"items"});
  auto& properties = out.object_at("properties");
  add_type_meta(properties);
  properties["metadata"] = reference(kListMeta, "The list's metadata.", form);
  auto& items = properties["items"] = json::Draft::object({
      {"type", "array"}
  });
  items["description"] = fmt::format("The {} in this list.", resource.names.plural);
  items["items"] = plain_reference(item, form);
  return out;
}

}  // namespace

std::string definition_name(std::string_view group, std::string_view version,
                            std::string_view kind) {
  std::string reversed;
  while (!group.empty()) {
    const auto dot = group.rfind('.');
    reversed += dot == group.npos ? group : group.substr(dot + 1);
    reversed += '.';
    group = dot == group.npos ? std::string_view{} : group.substr(0, dot);
  }
  return fmt::format("{}{}.{}", reversed, version, kind);
}

PublishedSchemas openapi_schemas(const CustomResource& resource, const CustomVersion& version,
                                 PublishedFor form) {
  PublishedSchemas out;
  out.name = definition_name(resource.group, version.name, resource.names.kind);
  out.list_name = definition_name(resource.group, version.name, resource.names.list_kind);
  auto schema = object_schema(version, form);
  add_kind(schema, resource, version, resource.names.kind);
  out.schema = schema.freeze();
  auto list = list_schema(resource, out.name, form);
  add_kind(list, resource, version, resource.names.list_kind);
  out.list_schema = list.freeze();
  return out;
}

}  // namespace fixpoint::kube
