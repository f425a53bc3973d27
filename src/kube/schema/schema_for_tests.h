// SPDX-License-Identifier: Apache-2.0
//
// Schemas written as JSON for tests: OpenAPI with Kubernetes' extensions, and for built-in kinds
// what their Go types add ("go": the kind, "omit": omitempty, "pointer", "patch", "mergeKey").
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"

#include <map>
#include <string>

namespace fixpoint::kube {

class TestSchemas {
 public:
  // Reads {"Kind": schema, …}.
  explicit TestSchemas(json::View kinds) {
    for (const auto [name, schema] : kinds.members()) roots_[std::string(name)] = read(schema);
  }

  const Schema& of(const std::string& kind) const { return *roots_.at(kind); }

 private:
  static SchemaType type_of(json::View from) {
    const std::string_view name = from.get("type").as_string();
    if (name == "object") return SchemaType::Object;
    if (name == "array") return SchemaType::Array;
    if (name == "string") return SchemaType::String;
    if (name == "integer") return SchemaType::Integer;
    if (name == "number") return SchemaType::Number;
    if (name == "boolean") return SchemaType::Boolean;
    return SchemaType::Any;
  }

  static GoKind go_kind_of(json::View from) {
    static const std::map<std::string_view, GoKind> kinds{
        {"Struct",   GoKind::Struct  },
        {"Map",      GoKind::Map     },
        {"Slice",    GoKind::Slice   },
        {"String",   GoKind::String  },
        {"Bool",     GoKind::Bool    },
        {"Int32",    GoKind::Int32   },
        {"Int64",    GoKind::Int64   },
        {"Bytes",    GoKind::Bytes   },
        {"Time",     GoKind::Time    },
        {"Quantity", GoKind::Quantity}
    };
    const std::string_view name = from.get("go").as_string();
    return name.empty() ? GoKind::None : kinds.at(name);
  }

  const Schema* read(json::View from) {
    Schema* out = arena_.make();
    out->type = type_of(from);
    out->go_kind = go_kind_of(from);
    out->go_type = from.get("goType").as_string();
    out->format = from.get("format").as_string();
    out->nullable = from.get("nullable").as_bool();
    out->int_or_string = from.get("x-kubernetes-int-or-string").as_bool();
    out->preserve_unknown_fields = from.get("x-kubernetes-preserve-unknown-fields").as_bool();
    const std::string_view list = from.get("x-kubernetes-list-type").as_string();
    if (list == "set") out->list_type = ListType::Set;
    if (list == "map") out->list_type = ListType::Map;
    for (const json::View key : from.get("x-kubernetes-list-map-keys").elements())
      out->list_map_keys.emplace_back(key.as_string());
    if (from.get("x-kubernetes-map-type").as_string() == "atomic") out->map_type = MapType::Atomic;
    if (const auto value = from.find("default")) out->default_value = json::Value(*value);
    if (const auto items = from.find("items")) out->items = read(*items);
    if (const auto more = from.find("additionalProperties"))
      out->additional_properties = read(*more);
    for (const auto [name, property] : from.get("properties").members())
      out->properties.push_back(read_property(name, property));
    return out;
  }

  Property read_property(std::string_view name, json::View from) {
    Property out;
    out.name = name;
    out.schema = read(from);
    out.omit_empty = from.get("omit").as_bool();
    out.pointer = from.get("pointer").as_bool();
    out.patch.merge = from.get("patch").as_string() == "merge";
    out.patch.replace = from.get("patch").as_string() == "replace";
    out.patch.merge_key = from.get("mergeKey").as_string();
    return out;
  }

  SchemaArena arena_;
  std::map<std::string, const Schema*> roots_;
};

}  // namespace fixpoint::kube
