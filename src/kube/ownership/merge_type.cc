// SPDX-License-Identifier: Apache-2.0
//
// From Schema to the shapes of merging. The rules are those by which Kubernetes reads its OpenAPI:
// no type means any; an object that declares nothing is free; formats other than byte make a string
// any scalar; lists are atomic unless they say otherwise.
#include "kube/ownership/merge_type.h"

#include "json/draft.h"
#include "kube/crd/meta.h"

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

const std::vector<std::string> kNoKeys;

Scalar scalar_of(const Schema& schema) {
  switch (schema.type) {
    case SchemaType::Integer:
    case SchemaType::Number: return Scalar::Numeric;
    case SchemaType::Boolean: return Scalar::Boolean;
    case SchemaType::String:
      return schema.format.empty() || schema.format == "byte" ? Scalar::String : Scalar::Untyped;
    case SchemaType::Any: return Scalar::Untyped;
    case SchemaType::Object:
    case SchemaType::Array: return Scalar::None;
  }
  std::unreachable();
}

// Go types whose JSON is a scalar whatever the tables call it.
bool scalar_only(GoKind kind) {
  return kind == GoKind::Quantity || kind == GoKind::IntOrString || kind == GoKind::Time ||
         kind == GoKind::MicroTime;
}

// What a Go field that is always written holds when nobody set it.
std::optional<json::Value> go_zero(const Property& field) {
  if (field.omit_empty || field.pointer) return std::nullopt;
  switch (field.schema->go_kind) {
    case GoKind::String: return json::Value::string("");
    case GoKind::Bool: return json::Value::boolean(false);
    case GoKind::Int32:
    case GoKind::Int64:
    case GoKind::Uint8:
    case GoKind::Uint16:
    case GoKind::Uint32:
    case GoKind::Uint64: return json::Value::integer(0);
    default: return std::nullopt;
  }
}

}  // namespace

MergeType root_type(const Schema& schema) {
  MergeType type;
  type.schema = &schema;
  type.form = MergeType::Form::Declared;
  type.root = true;
  type.preserve = schema.preserve_unknown_fields;
  return type;
}

Atom::Atom(const MergeType& type) : type_(type) {
  if (type_.depth > kMergeDepthMax) type_.form = MergeType::Form::Atomic;
  switch (type_.form) {
    case MergeType::Form::Undeclared: return;
    case MergeType::Form::Atomic:
    case MergeType::Form::Deduced:
      map_ = list_ = true;
      scalar_ = Scalar::Untyped;
      map_atomic_ = type_.form == MergeType::Form::Atomic;
      return;
    case MergeType::Form::Declared: break;
  }
  const Schema& schema = *type_.schema;
  if (schema.go_kind == GoKind::RawExtension) {
    *this = Atom(child(MergeType::Form::Atomic));
    return;
  }
  if (scalar_only(schema.go_kind)) {
    scalar_ = Scalar::Untyped;
    return;
  }
  const bool any = schema.type == SchemaType::Any || schema.int_or_string;
  map_ = any || schema.type == SchemaType::Object;
  list_ = any || schema.type == SchemaType::Array;
  scalar_ = any ? Scalar::Untyped : scalar_of(schema);
  map_atomic_ = map_ && schema.map_type == MapType::Atomic;
  list_atomic_ = schema.list_type == ListType::Atomic;
}

Shape Atom::shape(json::View value) const {
  switch (value.type()) {
    case json::Type::Null: break;
    case json::Type::Array:
      if (list_) return Shape::List;
      break;
    case json::Type::Object:
      if (map_) return Shape::Map;
      break;
    default:
      if (scalar_ != Scalar::None) return Shape::Scalar;
  }
  if (map_) return Shape::Map;
  return scalar_ != Scalar::None ? Shape::Scalar : Shape::List;
}

const std::vector<std::string>& Atom::keys() const {
  if (type_.form != MergeType::Form::Declared || type_.schema->list_type != ListType::Map)
    return kNoKeys;
  return type_.schema->list_map_keys;
}

MergeType Atom::child(const Schema& schema) const {
  MergeType out;
  out.schema = &schema;
  out.form = MergeType::Form::Declared;
  out.root = schema.embedded_resource;
  out.preserve = type_.preserve || schema.preserve_unknown_fields;
  out.depth = type_.depth + 1;
  return out;
}

MergeType Atom::child(MergeType::Form form) const {
  MergeType out;
  out.form = form;
  out.depth = type_.depth + 1;
  return out;
}

std::optional<MergeType> Atom::field(std::string_view name) const {
  if (type_.form != MergeType::Form::Declared) return std::nullopt;
  const Property* found = type_.schema->property(name);
  if (type_.root && type_.schema->go_kind == GoKind::None) {
    if (name == "metadata") {
      // A type of its own: what is preserved around it is not preserved in it.
      MergeType metadata = child(*object_meta_schema());
      metadata.preserve = false;
      return metadata;
    }
    if (name == "apiVersion" || name == "kind") return child(*type_meta_schema());
  }
  if (found == nullptr) return std::nullopt;
  return child(*found->schema);
}

MergeType Atom::map_element() const {
  if (type_.form != MergeType::Form::Declared) return child(type_.form);
  const Schema& schema = *type_.schema;
  // A schema or something else (items of a CRD's schema): OpenAPI knows no type for that.
  const bool typed = schema.additional_properties != nullptr && schema.go_kind != GoKind::Json;
  if (typed) return child(*schema.additional_properties);
  // An object that declares nothing is free-form.
  if (type_.preserve || schema.properties.empty()) return child(MergeType::Form::Deduced);
  return {};
}

MergeType Atom::list_element() const {
  if (type_.form == MergeType::Form::Declared && type_.schema->items != nullptr)
    return child(*type_.schema->items);
  return child(MergeType::Form::Atomic);
}

MergeType Atom::member(std::string_view name) const {
  if (const auto declared = field(name)) return *declared;
  return map_element();
}

bool Atom::deduced_map() const {
  if (type_.form != MergeType::Form::Declared) return map_;
  return type_.schema->properties.empty() && map_element().form == MergeType::Form::Deduced;
}

std::optional<json::Value> Atom::key_default(const std::string& key) const {
  const MergeType element = list_element();
  if (element.form != MergeType::Form::Declared) return std::nullopt;
  const Property* property = element.schema->property(key);
  if (property == nullptr) return std::nullopt;
  if (property->default_value) return property->default_value;
  if (property->schema->default_value) return property->schema->default_value;
  return go_zero(*property);
}

namespace {

Result<PathElement> keyed_step(const Atom& list, json::View item) {
  if (item.is_null())
    return fail(ErrorKind::Invalid, "associative list with keys may not have a null element");
  if (!item.is_object())
    return fail(ErrorKind::Invalid, "associative list with keys may not have non-map elements");
  json::Draft fields = json::Draft::object();
  for (const std::string& key : list.keys()) {
    if (const auto value = item.find(key)) {
      fields[key] = json::Draft(*value);
    } else if (auto fallback = list.key_default(key)) {
      fields[key] = json::Draft(*std::move(fallback));
    }
  }
  if (fields.empty()) {
    std::string names;
    for (const std::string& key : list.keys())
      names += fmt::format("{}\"{}\"", names.empty() ? "" : " ", key);
    return fail(ErrorKind::Invalid,
                fmt::format("associative list with keys has an element that omits all key fields "
                            "[{}] (and doesn't have default values for any key fields)",
                            names));
  }
  return PathElement::key(fields.freeze());
}

}  // namespace

Result<PathElement> list_step(const Atom& list, json::View item) {
  if (!list.keys().empty()) return keyed_step(list, item);
  switch (item.type()) {
    case json::Type::Object:
      return fail(ErrorKind::Invalid,
                  "associative list without keys has an element that's a map type");
    case json::Type::Array:
      return fail(ErrorKind::Invalid, "not supported: associative list with lists as elements");
    case json::Type::Null:
      return fail(ErrorKind::Invalid,
                  "associative list without keys has an element that's an explicit null");
    default: return PathElement::value(json::Value(item).compact());
  }
}

}  // namespace fixpoint::kube
