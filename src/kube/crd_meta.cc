// SPDX-License-Identifier: Apache-2.0
#include "kube/crd_meta.h"

#include "json/print.h"
#include "kube/go_scalars.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

Schema* leaf(SchemaArena& arena, SchemaType type, GoKind go_kind) {
  auto* node = arena.make();
  node->type = type;
  node->go_kind = go_kind;
  return node;
}

Schema* object(SchemaArena& arena, std::string go_type, std::vector<Property> properties) {
  auto* node = leaf(arena, SchemaType::Object, GoKind::Struct);
  node->go_type = std::move(go_type);
  node->properties = std::move(properties);
  for (auto& property : node->properties) property.omit_empty = true;
  return node;
}

Schema* string_map(SchemaArena& arena, const Schema* text) {
  auto* node = leaf(arena, SchemaType::Object, GoKind::Map);
  node->additional_properties = text;
  return node;
}

Schema* list_of(SchemaArena& arena, const Schema* items, ListType type) {
  auto* node = leaf(arena, SchemaType::Array, GoKind::Slice);
  node->items = items;
  node->list_type = type;
  return node;
}

struct MetaSchemas {
  Ref<SchemaArena> arena = make_ref<SchemaArena>();
  const Schema* text = nullptr;
  const Schema* object_meta = nullptr;
};

Property field(std::string_view name, const Schema* schema) {
  Property property;
  property.name = name;
  property.schema = schema;
  return property;
}

MetaSchemas make_schemas() {
  MetaSchemas made;
  auto& arena = *made.arena;
  const auto* text = leaf(arena, SchemaType::String, GoKind::String);
  const auto* number = leaf(arena, SchemaType::Integer, GoKind::Int64);
  const auto* flag = leaf(arena, SchemaType::Boolean, GoKind::Bool);
  auto* time = leaf(arena, SchemaType::String, GoKind::Time);
  time->format = "date-time";
  auto* fields = leaf(arena, SchemaType::Object, GoKind::FieldsV1);
  fields->preserve_unknown_fields = true;
  fields->map_type = MapType::Atomic;

  auto* owner = object(
      arena, "OwnerReference",
      {field("apiVersion", text), field("blockOwnerDeletion", flag), field("controller", flag),
       field("kind", text), field("name", text), field("uid", text)});
  owner->map_type = MapType::Atomic;
  owner->required = {"apiVersion", "kind", "name", "uid"};
  auto* owners = list_of(arena, owner, ListType::Map);
  owners->list_map_keys = {"uid"};

  auto* entry = object(arena, "ManagedFieldsEntry",
                       {field("apiVersion", text), field("fieldsType", text),
                        field("fieldsV1", fields), field("manager", text), field("operation", text),
                        field("subresource", text), field("time", time)});

  made.object_meta =
      object(arena, "ObjectMeta",
             {field("annotations", string_map(arena, text)), field("creationTimestamp", time),
              field("deletionGracePeriodSeconds", number), field("deletionTimestamp", time),
              field("finalizers", list_of(arena, text, ListType::Set)), field("generateName", text),
              field("generation", number), field("labels", string_map(arena, text)),
              field("managedFields", list_of(arena, entry, ListType::Atomic)), field("name", text),
              field("namespace", text), field("ownerReferences", owners),
              field("resourceVersion", text), field("selfLink", text), field("uid", text)});
  made.text = text;
  return made;
}

const MetaSchemas& schemas() {
  static const MetaSchemas made = make_schemas();
  return made;
}

std::string_view go_json_type(json::View value) {
  switch (value.type()) {
    case json::Type::Bool: return "bool";
    case json::Type::Int:
    case json::Type::Float: return "number";
    case json::Type::String: return "string";
    case json::Type::Array: return "array";
    case json::Type::Object: return "object";
    default: return "null";
  }
}

std::string_view go_type_name(const Schema& schema) {
  switch (schema.go_kind) {
    case GoKind::String: return "string";
    case GoKind::Int64: return "int64";
    case GoKind::Bool: return "bool";
    case GoKind::Map: return "map[string]string";
    case GoKind::Slice:
      if (schema.items->go_type == "OwnerReference") return "[]v1.OwnerReference";
      if (schema.items->go_type == "ManagedFieldsEntry") return "[]v1.ManagedFieldsEntry";
      return "[]string";
    case GoKind::Struct:
      if (schema.go_type == "OwnerReference") return "v1.OwnerReference";
      return schema.go_type == "ObjectMeta" ? "v1.ObjectMeta" : "v1.ManagedFieldsEntry";
    default: return "string";
  }
}

// Walks one metadata tree the way Go's decoder fills ObjectMeta.
class Coercer {
 public:
  // The error names the place as Go does: the innermost struct, then the path below ObjectMeta.
  Result<json::Draft> run(json::View value, const Schema& schema, const std::string& path,
                          std::string_view go_struct) {
    switch (schema.go_kind) {
      case GoKind::Struct: return structure(value, schema, path);
      case GoKind::Map: return map(value, schema, path, go_struct);
      case GoKind::Slice: return slice(value, schema, path, go_struct);
      case GoKind::Time: return time(value, path, go_struct);
      case GoKind::FieldsV1: return json::Draft{value};
      default: return scalar(value, schema, path, go_struct);
    }
  }

  std::vector<std::string> unknown;

 private:
  // Go names the number too when it is one that the type cannot hold.
  static std::string found(json::View value, const Schema& schema) {
    std::string text{go_json_type(value)};
    if (schema.go_kind == GoKind::Int64 && value.is_number()) text += " " + json::to_text(value);
    return text;
  }

  std::unexpected<Error> mismatch(json::View value, const Schema& schema, const std::string& path,
                                  std::string_view go_struct) {
    return fail(ErrorKind::Invalid,
                path.empty()
                    ? fmt::format("json: cannot unmarshal {} into Go value of type {}",
                                  found(value, schema), go_type_name(schema))
                    : fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                                  found(value, schema), go_struct, without_indexes(path),
                                  go_type_name(schema)));
  }

  static std::string without_indexes(const std::string& path) {
    std::string out;
    bool inside = false;
    for (const char c : path) {
      if (c == '[') inside = true;
      if (!inside) out += c;
      if (c == ']') inside = false;
    }
    return out;
  }

  Result<json::Draft> structure(json::View value, const Schema& schema, const std::string& path) {
    if (value.is_null()) return json::Draft::object();
    if (!value.is_object()) return mismatch(value, schema, path, schema.go_type);
    auto out = json::Draft::object();
    for (auto [key, member] : value.members()) {
      const std::string at = path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
      const auto* property = schema.property(key);
      if (property == nullptr) {
        unknown.push_back(at);
        continue;
      }
      FP_TRY(coerced, run(member, *property->schema, at, schema.go_type));
      if (kept(*property, schema, coerced)) out[key] = std::move(coerced);
    }
    return out;
  }

  // omitempty drops zero values; the pointers among the fields keep theirs. The four required
  // fields of an owner reference are always printed.
  static bool kept(const Property& property, const Schema& owner, const json::Draft& value) {
    if (value.is_null()) return false;
    if (std::ranges::find(owner.required, property.name) != owner.required.end()) return true;
    switch (property.schema->go_kind) {
      case GoKind::String: return !value.as_string().empty();
      case GoKind::Int64:
        return property.name == "deletionGracePeriodSeconds" || value.as_int() != 0;
      case GoKind::Map:
      case GoKind::Slice: return !value.empty();
      default: return true;
    }
  }

  Result<json::Draft> map(json::View value, const Schema& schema, const std::string& path,
                          std::string_view go_struct) {
    if (value.is_null()) return json::Draft{};
    if (!value.is_object()) return mismatch(value, schema, path, go_struct);
    auto out = json::Draft::object();
    for (auto [key, member] : value.members()) {
      if (!member.is_string() && !member.is_null()) {
        return mismatch(member, *schema.additional_properties, path, go_struct);
      }
      out[key] = member.as_string();
    }
    return out;
  }

  Result<json::Draft> slice(json::View value, const Schema& schema, const std::string& path,
                            std::string_view go_struct) {
    if (value.is_null()) return json::Draft{};
    if (!value.is_array()) return mismatch(value, schema, path, go_struct);
    auto out = json::Draft::array();
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      FP_TRY(coerced, run(element, *schema.items, fmt::format("{}[{}]", path, index++), go_struct));
      out.push_back(coerced.is_null() ? json::Draft{""} : std::move(coerced));
    }
    return out;
  }

  Result<json::Draft> time(json::View value, const std::string& path, std::string_view go_struct) {
    if (value.is_null()) return json::Draft{};
    if (!value.is_string()) {
      return mismatch(value, *schemas().text, path, go_struct);
    }
    FP_TRY(text, canonical_time(value.as_string()));
    return text.empty() ? json::Draft{} : json::Draft{std::move(text)};
  }

  Result<json::Draft> scalar(json::View value, const Schema& schema, const std::string& path,
                             std::string_view go_struct) {
    if (value.is_null()) return json::Draft{};
    const bool fits = (schema.go_kind == GoKind::String && value.is_string()) ||
                      (schema.go_kind == GoKind::Int64 && value.is_int()) ||
                      (schema.go_kind == GoKind::Bool && value.is_bool());
    if (!fits) return mismatch(value, schema, path, go_struct);
    return json::Draft{value};
  }
};

// Stored data keeps every field that decodes on its own.
CoercedMeta coerce_field_by_field(json::View metadata) {
  CoercedMeta out{json::Draft::object(), {}};
  for (auto [key, member] : metadata.members()) {
    Coercer coercer;
    auto alone = json::Draft::object();
    alone[key] = json::Draft{member};
    const auto frozen = alone.freeze();
    auto coerced = coercer.run(frozen, *object_meta_schema(), "", "ObjectMeta");
    if (!coerced) continue;  // dropped on purpose: BadMeta::Drop
    for (auto& entry : coerced->members()) out.metadata[entry.key] = std::move(entry.value);
    std::ranges::move(coercer.unknown, std::back_inserter(out.unknown_fields));
  }
  return out;
}

}  // namespace

const Schema* object_meta_schema() {
  return schemas().object_meta;
}
const Schema* type_meta_schema() {
  return schemas().text;
}

Result<CoercedMeta> coerce_object_meta(json::View metadata, BadMeta bad) {
  Coercer coercer;
  auto coerced = coercer.run(metadata, *object_meta_schema(), "", "ObjectMeta");
  if (coerced) return CoercedMeta{std::move(*coerced), std::move(coercer.unknown)};
  if (bad == BadMeta::Refuse || !metadata.is_object()) return std::unexpected(coerced.error());
  return coerce_field_by_field(metadata);
}

}  // namespace fixpoint::kube
