// SPDX-License-Identifier: Apache-2.0
#include "kinds/schema_table.h"

#include "base/error.h"
#include "json/parsing/parse.h"
#include "kinds/table.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

namespace fixpoint::kinds {
namespace {

using kube::GoKind;
using kube::Property;
using kube::Schema;
using kube::SchemaType;

struct Basic {
  std::string_view word;
  SchemaType type;
  GoKind go_kind;
  std::string_view format;
  std::string_view go_type;  // as Go's decode errors name it
};

// What a type word stands for. Quantities and int-or-strings are Any: their JSON may be a number or
// a string. Raw JSON keeps whatever it holds.
constexpr Basic kBasics[] = {
    {"string",        SchemaType::String,  GoKind::String,       "",              "string"              },
    {"bool",          SchemaType::Boolean, GoKind::Bool,         "",              "bool"                },
    {"int",           SchemaType::Integer, GoKind::Int64,        "int32",         "int"                 },
    {"int32",         SchemaType::Integer, GoKind::Int32,        "int32",         "int32"               },
    {"int64",         SchemaType::Integer, GoKind::Int64,        "int64",         "int64"               },
    {"uint8",         SchemaType::Integer, GoKind::Uint8,        "int32",         "uint8"               },
    {"uint16",        SchemaType::Integer, GoKind::Uint16,       "int32",         "uint16"              },
    {"uint32",        SchemaType::Integer, GoKind::Uint32,       "int64",         "uint32"              },
    {"uint64",        SchemaType::Integer, GoKind::Uint64,       "int64",         "uint64"              },
    {"float64",       SchemaType::Number,  GoKind::Float64,      "double",        "float64"             },
    {"bytes",         SchemaType::String,  GoKind::Bytes,        "byte",          "[]uint8"             },
    {"time",          SchemaType::String,  GoKind::Time,         "date-time",     "v1.Time"             },
    {"microtime",     SchemaType::String,  GoKind::MicroTime,    "date-time",     "v1.MicroTime"        },
    {"duration",      SchemaType::String,  GoKind::Duration,     "",              "v1.Duration"         },
    {"quantity",      SchemaType::Any,     GoKind::Quantity,     "",              "resource.Quantity"   },
    {"int-or-string", SchemaType::Any,     GoKind::IntOrString,  "int-or-string", "intstr.IntOrString"  },
    {"raw",           SchemaType::Object,  GoKind::RawExtension, "",              "runtime.RawExtension"},
    {"fields",        SchemaType::Object,  GoKind::FieldsV1,     "",              "v1.FieldsV1"         },
    {"json",          SchemaType::Any,     GoKind::Json,         "",              "v1.JSON"             },
};

const Basic* find_basic(std::string_view word) {
  const auto found = std::ranges::find(kBasics, word, &Basic::word);
  return found == std::end(kBasics) ? nullptr : &*found;
}

// How Go names the type of a list's items or a map's values. A struct's package is its version:
// "v1.PodSpec" of io.k8s.api.core.v1.PodSpec.
std::string go_name(const Schema& schema) {
  if (schema.go_kind != GoKind::Struct) return schema.go_type;
  const auto last = schema.definition.rfind('.');
  return schema.definition.substr(schema.definition.rfind('.', last - 1) + 1);
}

kube::ListType list_type(std::string_view word) {
  if (word == "map") return kube::ListType::Map;
  return word == "set" ? kube::ListType::Set : kube::ListType::Atomic;
}

kube::MapType map_type(std::string_view word) {
  return word == "atomic" ? kube::MapType::Atomic : kube::MapType::Granular;
}

// Go's encoder leaves an omitempty field out when it is false, 0, nil, or of length 0; a struct is
// none of these, so only omitzero leaves one out.
bool printed_when_absent(const Property& property) {
  if (!property.omit_empty) return true;
  if (property.pointer) return false;
  switch (property.schema->go_kind) {
    case GoKind::Struct:
    case GoKind::Time:
    case GoKind::MicroTime:
    case GoKind::Duration:
    case GoKind::Quantity:
    case GoKind::IntOrString:
    case GoKind::RawExtension:
    case GoKind::Json: return true;
    default: return false;
  }
}

class Loader {
 public:
  const Schema* named(std::string_view type) {
    if (const auto known = structs_.find(type); known != structs_.end()) return known->second;
    const auto found = find_type(type);
    FP_CHECK(found.has_value());
    Schema* node = arena_.make();
    structs_.emplace(std::string{type}, node);  // before the fields: types may reach themselves
    fill(*found, *node);
    return node;
  }

  std::size_t size() const { return arena_.size(); }

 private:
  void fill(const TypeName& type, Schema& node) {
    const auto rows = read_rows(type.type->rows);
    node.type = SchemaType::Object;
    node.go_kind = GoKind::Struct;
    node.go_type = type.type->name;
    node.definition = type.definition();
    node.map_type = map_type(rows.map_type);
    node.properties.reserve(rows.fields.size());
    for (const auto& field : rows.fields) {
      node.properties.push_back(property(field));
      if (field.required) node.required.emplace_back(field.name);
    }
    index(node);
  }

  static void index(Schema& node) {
    for (std::size_t at = 0; at < node.properties.size(); ++at) {
      node.by_name.push_back(
          {kube::name_prefix(node.properties[at].name), static_cast<std::uint16_t>(at)});
    }
    std::ranges::sort(node.by_name, {}, [&](const kube::PropertyName& name) -> const std::string& {
      return node.properties[name.at].name;
    });
    for (std::size_t rank = 0; rank < node.by_name.size(); ++rank) {
      if (printed_when_absent(node.properties[node.by_name[rank].at])) {
        node.always_printed.push_back(static_cast<std::uint16_t>(rank));
      }
    }
  }

  Property property(const FieldRow& field) {
    Property made;
    made.name = field.name;
    made.schema = schema(field.type, field);
    made.omit_empty = field.omit_empty;
    made.field_numbers = field.field_numbers;
    made.pointer = field.pointer || field.omit_zero;
    made.patch.merge = field.merge_key.has_value();
    made.patch.merge_key = field.merge_key.value_or("");
    made.patch.replace = field.replace;
    made.patch.replace_keys = field.retain_keys;
    made.default_value = default_value(field);
    return made;
  }

  // Zero defaults say nothing except where they complete the key of a list item.
  std::optional<json::Value> default_value(const FieldRow& field) {
    const auto text = field.default_json;
    if (text.empty()) return std::nullopt;
    const bool zero = text == "\"\"" || text == "0" || text == "false";
    if (zero && !field.list_key) return std::nullopt;
    const auto known = defaults_.find(text);
    if (known != defaults_.end()) return known->second;
    auto parsed = json::parse(text);
    FP_CHECK(parsed.has_value());
    return defaults_.emplace(std::string{text}, *std::move(parsed)).first->second;
  }

  // Equal descriptions share one node: most fields are plain strings and numbers.
  const Schema* schema(std::string_view type, const FieldRow& field) {
    if (const auto* shared = unadorned(type, field)) return shared;
    std::string key{type};
    for (const auto part : {field.list_type, field.list_keys, field.map_type, field.format}) {
      key += '|';
      key += part;
    }
    if (const auto known = shapes_.find(key); known != shapes_.end()) return known->second;
    Schema* node = arena_.make();
    shapes_.emplace(std::move(key), node);
    shape(type, field, *node);
    return node;
  }

  // A struct is its own node, unless the field itself makes the whole map atomic.
  const Schema* unadorned(std::string_view type, const FieldRow& field) {
    const bool is_struct = find_type(type).has_value();
    return is_struct && field.map_type.empty() ? named(type) : nullptr;
  }

  void shape(std::string_view type, const FieldRow& field, Schema& node) {
    if (const auto colon = type.find(':');
        colon != std::string_view::npos && colon < type.find('[')) {
      shape(type.substr(colon + 1), field, node);
      node.go_type = type.substr(0, colon);
      return;
    }
    if (type.starts_with("[]")) return list(type.substr(2), field, node);
    if (type.starts_with("map[")) return map(type, field, node);
    const auto equals = std::min(type.find('='), type.size());
    const auto word = type.substr(0, equals);
    const auto name = type.substr(std::min(equals + 1, type.size()));
    if (word == "props-or") return props_or(name, node);
    if (const auto* basic = find_basic(word)) return fill_basic(*basic, name, field, node);
    const auto found = find_type(type);
    FP_CHECK(found.has_value());
    fill(*found, node);
    node.map_type = map_type(field.map_type);
  }

  static void fill_basic(const Basic& basic, std::string_view name, const FieldRow& field,
                         Schema& node) {
    node.type = basic.type;
    node.go_kind = basic.go_kind;
    node.go_type = name.empty() ? basic.go_type : name;
    node.format = field.format.empty() ? basic.format : field.format;
    node.int_or_string = basic.go_kind == GoKind::IntOrString;
    node.preserve_unknown_fields = basic.go_kind == GoKind::RawExtension ||
                                   basic.go_kind == GoKind::FieldsV1 ||
                                   basic.go_kind == GoKind::Json;
  }

  void list(std::string_view item, const FieldRow& field, Schema& node) {
    node.type = SchemaType::Array;
    node.go_kind = GoKind::Slice;
    node.list_type = list_type(field.list_type);
    for (const auto key : split(field.list_keys, ',')) node.list_map_keys.emplace_back(key);
    node.items = schema(item, FieldRow{});
    node.go_type = "[]" + go_name(*node.items);
  }

  void map(std::string_view type, const FieldRow& field, Schema& node) {
    node.type = SchemaType::Object;
    node.go_kind = GoKind::Map;
    node.map_type = map_type(field.map_type);
    const auto close = type.find(']');
    node.additional_properties = schema(type.substr(close + 1), FieldRow{});
    node.go_type = std::string{type.substr(0, close + 1)} + go_name(*node.additional_properties);
  }

  // A schema, or a bool, a list of schemas, a list of names: go_type tells which.
  void props_or(std::string_view name, Schema& node) {
    node.type = SchemaType::Any;
    node.go_kind = GoKind::Json;
    node.go_type = "v1." + std::string{name};
    node.preserve_unknown_fields = true;
    node.additional_properties = named("apiextensions.v1.JSONSchemaProps");
  }

  kube::SchemaArena arena_;
  std::map<std::string, Schema*, std::less<>> structs_;
  std::map<std::string, Schema*, std::less<>> shapes_;
  std::map<std::string, json::Value, std::less<>> defaults_;
};

// The loader and its lock: `mutex` guards `loader`. Never destroyed, as Schemas are held by
// address.
struct Shared {
  std::mutex mutex;
  Loader loader;
};

Shared& shared() {
  static auto* made = new Shared;
  return *made;
}

}  // namespace

const Schema* schema_of(std::string_view type) {
  auto& [mutex, loader] = shared();
  const std::lock_guard lock{mutex};
  return loader.named(type);
}

const Schema* find_schema(const kube::GroupVersionKind& kind) {
  if (kind.kind == "DeleteOptions") return schema_of("meta.v1.DeleteOptions");
  // Packages are named by the first label of the group: "rbac" of rbac.authorization.k8s.io.
  const auto group = std::string_view{kind.group}.substr(0, kind.group.find('.'));
  std::string type{group.empty() ? "core" : group};
  type += '.' + kind.version + '.' + kind.kind;
  const auto found = find_type(type);
  return found ? schema_of(type) : nullptr;
}

std::size_t schema_nodes() {
  auto& [mutex, loader] = shared();
  const std::lock_guard lock{mutex};
  return loader.size();
}

}  // namespace fixpoint::kinds
