// SPDX-License-Identifier: Apache-2.0
//
// PathElement: one step from a value to a part of it, as field ownership names it.
//
// On the wire a step is a key of a FieldsV1 object: `f:data` (a member), `k:{"name":"web"}` (the
// list item with these key fields), `v:"a"` (an item of a set), `i:3` (an index). The order is
// Kubernetes': members by name, then keyed items by key fields, then set items, then indexes;
// numbers compare as numbers, so port 80 comes before port 443.
// Read next: field_set.h.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

class PathElement {
 public:
  enum class Kind : std::uint8_t { Field, Key, Value, Index };

  static PathElement field(std::string_view name);
  // `fields` is an object of the key fields; its members are sorted, which is the canonical order.
  static PathElement key(json::Value fields);
  static PathElement value(json::Value item);
  static PathElement index(std::int64_t at);

  Kind kind() const { return kind_; }
  bool is_field() const { return kind_ == Kind::Field; }
  const std::string& name() const { return name_; }
  // Key: an object of the key fields. Value: the item. Null for others.
  json::View operand() const { return value_; }
  std::int64_t position() const { return index_; }  // Index

  // As messages show it: .name, [name="web"], [="a"], [3].
  std::string to_string() const;
  // As FieldsV1 writes it: f:name, k:{"name":"web"}, v:"a", i:3.
  std::string wire() const;

  friend std::weak_ordering operator<=>(const PathElement& a, const PathElement& b);
  friend bool operator==(const PathElement& a, const PathElement& b) { return (a <=> b) == 0; }

 private:
  Kind kind_ = Kind::Field;
  std::string name_;        // Field
  json::Value value_;       // Key, Value
  std::int64_t index_ = 0;  // Index
};

using Path = std::vector<PathElement>;

std::string to_string(const Path& path);

// A step from its wire form. No value for a kind of step that a later version may know: readers
// skip those. An error for what cannot be a step.
Result<std::optional<PathElement>> parse_path_element(std::string_view wire);

// The order of values inside steps: numbers, strings, booleans, lists, objects, null. 1 and 1.0
// are the same, as one writer's YAML and another's JSON may differ in nothing else.
std::weak_ordering compare_values(json::View a, json::View b);

}  // namespace fixpoint::kube
