// SPDX-License-Identifier: Apache-2.0
//
// Schema: what one place in an object may hold. The one description that pruning, defaulting,
// validation, typed decoding, strategic merge, server-side apply and OpenAPI all read.
//
// Custom resources compile theirs from the CRD (kube/crd/schema.h); built-in kinds load theirs from
// the generated tables (kinds/). Invariant: nodes are immutable once published and owned by a
// SchemaArena, so schemas may be recursive (a CRD's own schema is) and are passed as const Schema*.
#pragma once

#include "base/ref.h"
#include "json/value.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

enum class SchemaType : std::uint8_t { Any, Object, Array, String, Integer, Number, Boolean };

// x-kubernetes-list-type / map-type / struct-type.
enum class ListType : std::uint8_t { Atomic, Set, Map };
enum class MapType : std::uint8_t { Granular, Atomic };

// What the Go type of a built-in field does to JSON beyond its shape; None for custom resources.
enum class GoKind : std::uint8_t {
  None,
  Struct,
  Map,
  Slice,
  String,
  Bool,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float64,
  Bytes,
  Time,
  MicroTime,
  Duration,
  Quantity,
  IntOrString,
  RawExtension,
  FieldsV1,
  Json,
};

// patchStrategy tags of built-in list fields, for strategic merge.
struct PatchStrategy {
  bool merge = false;
  bool replace = false;       // of an object: taken whole (PodDisruptionBudget's selector)
  bool replace_keys = false;  // retainKeys
  std::string merge_key;      // "name", "containerPort", …; empty for merged sets of primitives
};

// additionalProperties given as a boolean instead of a schema.
enum class ExtraFields : std::uint8_t { Unstated, Allowed, Denied };

struct Schema;
class Pattern;                     // validate_pattern.h
enum class Format : std::uint8_t;  // validate_format.h; zero is "not enforced"

struct Property {
  std::string name;
  const Schema* schema = nullptr;
  // Built-ins only: Go's `omitempty`, and whether nil is told apart from zero (pointer, slice,
  // map).
  bool omit_empty = false;
  bool pointer = false;
  // Built-ins only: the protobuf field numbers that lead to it, outermost first, ended by zeros.
  // More than one where Go embeds a struct that is a message of its own: VolumeSource in Volume.
  std::array<std::uint8_t, 3> field_numbers{};
  // The field's own default from the OpenAPI (rare; most defaults are code, kinds/defaults).
  std::optional<json::Value> default_value;
  PatchStrategy patch;
};

// A property by name: the first eight bytes as a number that compares as the text does, so that
// most comparisons touch no string.
struct PropertyName {
  std::uint64_t prefix = 0;
  std::uint16_t at = 0;  // in Schema::properties
};
std::uint64_t name_prefix(std::string_view name);

struct Validation {
  std::optional<double> minimum;
  std::optional<double> maximum;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::string pattern;
  std::shared_ptr<const Pattern> compiled_pattern;  // null when there is no pattern
  Format format{};                                  // what Schema::format makes a validator check
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  bool unique_items = false;
  std::optional<std::int64_t> min_properties;
  std::optional<std::int64_t> max_properties;
  std::vector<json::Value> enumeration;
  std::vector<const Schema*> all_of;
  std::vector<const Schema*> any_of;
  std::vector<const Schema*> one_of;
  const Schema* negated = nullptr;  // `not`
};

struct Schema {
  SchemaType type = SchemaType::Any;
  std::string format;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;
  bool contains_resource = false;  // custom resources: an embedded resource here or below
  ListType list_type = ListType::Atomic;
  MapType map_type = MapType::Granular;
  std::vector<std::string> list_map_keys;
  // Properties in Go struct order for built-ins, sorted by name for custom resources.
  std::vector<Property> properties;
  std::vector<std::string> required;
  const Schema* additional_properties = nullptr;  // map values
  ExtraFields extra_fields = ExtraFields::Unstated;
  const Schema* items = nullptr;  // list elements
  std::optional<json::Value> default_value;
  std::unique_ptr<Validation> validation;  // null when nothing but shape is asked
  json::Value cel_rules;                   // x-kubernetes-validations as given
  std::string description;
  std::string go_type;  // built-ins: "ConfigMap", "ContainerPort"; names decode errors
  GoKind go_kind = GoKind::None;
  std::string definition;  // built-ins: OpenAPI definition name, e.g. io.k8s.api.core.v1.PodSpec
  // Built-in structs, for typed decoding: properties in name order, and the positions in that order
  // of those that Go prints even when the input left them out.
  std::vector<PropertyName> by_name;
  std::vector<std::uint16_t> always_printed;

  const Property* property(std::string_view name) const;
  // Of any member: its property's, else that of additional properties. Null if there is neither.
  const Schema* member(std::string_view name) const;
};

// Owns nodes; addresses are stable. Shared by everything that points into it.
class SchemaArena : public RefCounted {
 public:
  Schema* make() { return &nodes_.emplace_back(); }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::deque<Schema> nodes_;
};

}  // namespace fixpoint::kube
