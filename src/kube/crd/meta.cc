// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/meta.h"

#include "json/print.h"
#include "kube/go/scalars.h"
#include "kube/typed/read.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

Schema* leaf(SchemaArena& arena, SchemaType type, GoKind go_kind, std::string_view go_type) {
  auto* node = arena.make();
  node->type = type;
  node->go_kind = go_kind;
  node->go_type = go_type;
  return node;
}

Schema* object(SchemaArena& arena, std::string_view go_type, std::vector<Property> properties) {
  auto* node = leaf(arena, SchemaType::Object, GoKind::Struct, go_type);
  node->definition = "meta.v1." + std::string{go_type};
  node->properties = std::move(properties);
  for (auto& property : node->properties) property.omit_empty = true;
  return node;
}

Schema* string_map(SchemaArena& arena, const Schema* text) {
  auto* node = leaf(arena, SchemaType::Object, GoKind::Map, "map[string]string");
  node->additional_properties = text;
  return node;
}

Schema* list_of(SchemaArena& arena, const Schema* items, ListType type) {
  const bool structs = items->go_kind == GoKind::Struct;
  auto* node =
      leaf(arena, SchemaType::Array, GoKind::Slice, (structs ? "[]v1." : "[]") + items->go_type);
  node->items = items;
  node->list_type = type;
  return node;
}

struct MetaSchemas {
  Ref<SchemaArena> arena = make_ref<SchemaArena>();
  const Schema* text = nullptr;
  const Schema* object_meta = nullptr;
};

Property make_property(std::string_view name, const Schema* schema) {
  Property property;
  property.name = name;
  property.schema = schema;
  return property;
}

MetaSchemas make_schemas() {
  MetaSchemas made;
  auto& arena = *made.arena;
  const auto* text = leaf(arena, SchemaType::String, GoKind::String, "string");
  const auto* uid = leaf(arena, SchemaType::String, GoKind::String, "types.UID");
  const auto* operation =
      leaf(arena, SchemaType::String, GoKind::String, "v1.ManagedFieldsOperationType");
  const auto* number = leaf(arena, SchemaType::Integer, GoKind::Int64, "int64");
  const auto* flag = leaf(arena, SchemaType::Boolean, GoKind::Bool, "bool");
  auto* time = leaf(arena, SchemaType::String, GoKind::Time, "string");
  time->format = "date-time";
  auto* fields = leaf(arena, SchemaType::Object, GoKind::FieldsV1, "v1.FieldsV1");
  fields->preserve_unknown_fields = true;
  fields->map_type = MapType::Atomic;

  auto* owner =
      object(arena, "OwnerReference",
             {make_property("apiVersion", text), make_property("blockOwnerDeletion", flag),
              make_property("controller", flag), make_property("kind", text),
              make_property("name", text), make_property("uid", uid)});
  owner->map_type = MapType::Atomic;
  owner->required = {"apiVersion", "kind", "name", "uid"};
  auto* owners = list_of(arena, owner, ListType::Map);
  owners->list_map_keys = {"uid"};

  auto* entry = object(arena, "ManagedFieldsEntry",
                       {make_property("apiVersion", text), make_property("fieldsType", text),
                        make_property("fieldsV1", fields), make_property("manager", text),
                        make_property("operation", operation), make_property("subresource", text),
                        make_property("time", time)});

  made.object_meta =
      object(arena, "ObjectMeta",
             {make_property("annotations", string_map(arena, text)),
              make_property("creationTimestamp", time),
              make_property("deletionGracePeriodSeconds", number),
              make_property("deletionTimestamp", time),
              make_property("finalizers", list_of(arena, text, ListType::Set)),
              make_property("generateName", text), make_property("generation", number),
              make_property("labels", string_map(arena, text)),
              make_property("managedFields", list_of(arena, entry, ListType::Atomic)),
              make_property("name", text), make_property("namespace", text),
              make_property("ownerReferences", owners), make_property("resourceVersion", text),
              make_property("selfLink", text), make_property("uid", uid)});
  made.text = text;
  return made;
}

const MetaSchemas& schemas() {
  static const MetaSchemas made = make_schemas();
  return made;
}

// omitempty drops zero values; the pointers among the fields keep theirs. The four required
// fields of an owner reference are always printed.
template <class Json>
bool kept(const Property& property, const Schema& owner, const Json& value) {
  if (value.is_null()) return false;
  if (std::ranges::find(owner.required, property.name) != owner.required.end()) return true;
  switch (property.schema->go_kind) {
    case GoKind::String: return !value.as_string().empty();
    case GoKind::Int64: return property.name == "deletionGracePeriodSeconds" || value.as_int() != 0;
    case GoKind::Map:
    case GoKind::Slice: return !value.empty();
    default: return true;
  }
}

// True only if the Coercer below would find nothing to change and nothing unknown.
bool is_coerced(json::View value, const Schema& schema) {
  switch (schema.go_kind) {
    case GoKind::Struct:
      return value.is_object() && std::ranges::all_of(value.members(), [&](json::Member member) {
               const auto* property = schema.property(member.key);
               return property != nullptr && kept(*property, schema, member.value) &&
                      is_coerced(member.value, *property->schema);
             });
    case GoKind::Map:
      return value.is_object() && std::ranges::all_of(value.members(), [](json::Member member) {
               return member.value.is_string();
             });
    case GoKind::Slice:
      return value.is_array() && std::ranges::all_of(value.elements(), [&](json::View element) {
               return is_coerced(element, *schema.items);
             });
    case GoKind::Time: return value.is_string() && is_canonical_time(value.as_string());
    case GoKind::FieldsV1: return true;
    case GoKind::Int64: return value.is_int();
    case GoKind::String: return value.is_string();
    case GoKind::Bool: return value.is_bool();
    default: return false;
  }
}

// Walks one metadata tree the way Go's decoder fills ObjectMeta.
class Coercer {
 public:
  // The error only says that there is one; kube/typed/read.h finds the words.
  Result<json::Draft> run(json::View value, const Schema& schema, const std::string& path) {
    switch (schema.go_kind) {
      case GoKind::Struct: return structure(value, schema, path);
      case GoKind::Map: return map(value);
      case GoKind::Slice: return slice(value, schema, path);
      case GoKind::Time: return time(value);
      case GoKind::FieldsV1: return json::Draft{value};
      default: return scalar(value, schema);
    }
  }

  std::vector<std::string> unknown;

 private:
  static std::unexpected<Error> mismatch() {
    return fail(ErrorKind::Invalid, "the metadata is of another shape");
  }

  Result<json::Draft> structure(json::View value, const Schema& schema, const std::string& path) {
    if (value.is_null()) return json::Draft::object();
    if (!value.is_object()) return mismatch();
    auto out = json::Draft::object();
    for (auto [key, member] : value.members()) {
      const std::string at = path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
      const auto* property = schema.property(key);
      if (property == nullptr) {
        unknown.push_back(at);
        continue;
      }
      FP_TRY(coerced, run(member, *property->schema, at));
      if (kept(*property, schema, coerced)) out[key] = std::move(coerced);
    }
    return out;
  }

  static Result<json::Draft> map(json::View value) {
    if (value.is_null()) return json::Draft{};
    if (!value.is_object()) return mismatch();
    auto out = json::Draft::object();
    for (auto [key, member] : value.members()) {
      if (!member.is_string() && !member.is_null()) return mismatch();
      out[key] = member.as_string();
    }
    return out;
  }

  Result<json::Draft> slice(json::View value, const Schema& schema, const std::string& path) {
    if (value.is_null()) return json::Draft{};
    if (!value.is_array()) return mismatch();
    auto out = json::Draft::array();
    std::size_t index = 0;
    for (const auto element : value.elements()) {
      FP_TRY(coerced, run(element, *schema.items, fmt::format("{}[{}]", path, index++)));
      out.push_back(coerced.is_null() ? json::Draft{""} : std::move(coerced));
    }
    return out;
  }

  static Result<json::Draft> time(json::View value) {
    if (value.is_null()) return json::Draft{};
    if (!value.is_string()) return mismatch();
    FP_TRY(text, canonical_time(value.as_string()));
    return text.empty() ? json::Draft{} : json::Draft{std::move(text)};
  }

  static Result<json::Draft> scalar(json::View value, const Schema& schema) {
    if (value.is_null()) return json::Draft{};
    if (schema.go_kind == GoKind::Int64) return integer(value);
    const bool fits = schema.go_kind == GoKind::String ? value.is_string() : value.is_bool();
    if (!fits) return mismatch();
    return json::Draft{value};
  }

  // A whole float was printed without its fraction before it came here.
  static Result<json::Draft> integer(json::View value) {
    if (value.is_int()) return json::Draft{value};
    constexpr double kExactMax = 9007199254740992.0;
    const double number = value.as_double();
    if (!value.is_number() || number != std::trunc(number) || std::abs(number) > kExactMax) {
      return mismatch();
    }
    return json::Draft{static_cast<std::int64_t>(number)};
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
    auto coerced = coercer.run(frozen, *object_meta_schema(), "");
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

bool is_coerced_object_meta(json::View metadata) {
  return is_coerced(metadata, *object_meta_schema());
}

Result<CoercedMeta> coerce_object_meta(json::View metadata, BadMeta bad) {
  Coercer coercer;
  auto coerced = coercer.run(metadata, *object_meta_schema(), "");
  if (coerced) return CoercedMeta{std::move(*coerced), std::move(coercer.unknown)};
  if (bad == BadMeta::Refuse || !metadata.is_object()) {
    auto read = read_object(*object_meta_schema(), json::to_text(metadata));
    return std::unexpected(read ? coerced.error() : read.error());
  }
  return coerce_field_by_field(metadata);
}

}  // namespace fixpoint::kube
