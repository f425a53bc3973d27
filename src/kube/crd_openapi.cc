// SPDX-License-Identifier: Apache-2.0
#include "kube/crd_openapi.h"

#include "json/draft.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::string_view kObjectMeta =
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
constexpr std::string_view kListMeta =
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

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

json::Draft reference(std::string_view to, std::string_view description) {
  return described(json::Draft::object({
                       {"allOf", json::Draft::array({json::Draft::object({{"$ref", to}})})}
  }),
                   description);
}

void add_type_meta(json::Draft& properties) {
  properties["apiVersion"] =
      text_schema("The group and version of the API that this object is written in.");
  properties["kind"] = text_schema("The kind of this object, in CamelCase. It never changes.");
}

json::Draft object_meta() {
  return reference(kObjectMeta, "The object's metadata.");
}

void require(json::Draft& schema, std::string_view name) {
  auto& list = schema.array_at("required");
  const auto same = [&](const json::Draft& each) { return each.as_string() == name; };
  if (std::ranges::none_of(list.elements(), same)) list.push_back(name);
}

json::Draft published(json::View schema) {
  auto out = json::Draft::object();
  for (const auto keyword : kPlain) {
    const auto value = schema.get(keyword);
    if (keyword == "default" ? !value.is_null() : worth_saying(value)) out[keyword] = value;
  }
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
    for (const auto branch : schema.get(keyword).elements()) {
      out.array_at(keyword).push_back(published(branch));
    }
  }
  for (const std::string_view keyword : {"not", "items", "additionalProperties"}) {
    const auto below = schema.get(keyword);
    if (below.is_object()) out[keyword] = published(below);
    if (below.is_bool()) out[keyword] = below;
  }
  for (auto [name, property] : schema.get("properties").members()) {
    out.object_at("properties")[name] = published(property);
  }
  if (schema.get("x-kubernetes-embedded-resource").as_bool()) {
    auto& properties = out.object_at("properties");
    add_type_meta(properties);
    properties["metadata"] = object_meta();
    require(out, "kind");
    require(out, "apiVersion");
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

json::Draft object_schema(const CustomVersion& version) {
  if (!version.schema.is_object())
    return json::Draft::object({
        {"type", "object"}
    });
  auto out = published(version.schema);
  auto& properties = out.object_at("properties");
  add_type_meta(properties);
  properties["metadata"] = object_meta();
  return out;
}

json::Draft list_schema(const CustomResource& resource, std::string_view item) {
  auto out = json::Draft::object({
      {"type", "object"}
  });
  out["description"] =
      fmt::format("{} is a list of {}", resource.names.list_kind, resource.names.kind);
  out["required"] = json::Draft::array({"items"});
  auto& properties = out.object_at("properties");
  add_type_meta(properties);
  properties["metadata"] = reference(kListMeta, "The list's metadata.");
  auto& items = properties["items"] = json::Draft::object({
      {"type", "array"}
  });
  items["description"] = fmt::format("The {} in this list.", resource.names.plural);
  items["items"] = json::Draft::object({
      {"$ref", json::Draft{fmt::format("#/components/schemas/{}", item)}}
  });
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

PublishedSchemas openapi_schemas(const CustomResource& resource, const CustomVersion& version) {
  PublishedSchemas out;
  out.name = definition_name(resource.group, version.name, resource.names.kind);
  out.list_name = definition_name(resource.group, version.name, resource.names.list_kind);
  auto schema = object_schema(version);
  add_kind(schema, resource, version, resource.names.kind);
  out.schema = schema.freeze();
  auto list = list_schema(resource, out.name);
  add_kind(list, resource, version, resource.names.list_kind);
  out.list_schema = list.freeze();
  return out;
}

}  // namespace fixpoint::kube
