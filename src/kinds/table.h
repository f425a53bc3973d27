// SPDX-License-Identifier: Apache-2.0
//
// The generated tables of built-in types: their rows as text, and a reader of one row.
//
// tables/*.inc are made by tools/kinds. A type is named by its package alias and Go name,
// "core.v1.Pod"; a row is `name type flags attributes…`, the flags with the protobuf field number,
// e.g.
//   ports []core.v1.ContainerPort o6 list=map:containerPort,protocol merge=containerPort
// The text stays where the linker put it: only what is asked for is ever read.
// Read next: schema_table.h, which makes Schemas of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kinds {

struct TypeRow {
  std::string_view name;  // "Pod"
  std::string_view rows;
};

struct Package {
  std::string_view alias;       // "core.v1"
  std::string_view definition;  // OpenAPI prefix, "io.k8s.api.core.v1."
  std::span<const TypeRow> types;
};

std::span<const Package> packages();

struct TypeName {
  const Package* package = nullptr;
  const TypeRow* type = nullptr;

  std::string definition() const;
};

// "core.v1.Pod"; nullopt when no table has it.
std::optional<TypeName> find_type(std::string_view name);
// The same by OpenAPI name, "io.k8s.api.core.v1.Pod".
std::optional<TypeName> find_definition(std::string_view definition);

// One field. Views point into the table.
struct FieldRow {
  std::string_view name;
  std::string_view type;
  bool omit_empty = false;
  bool omit_zero = false;
  bool pointer = false;
  bool required = false;
  bool list_key = false;                        // some list tells its items apart by it
  std::array<std::uint8_t, 3> field_numbers{};  // kube::Property's
  std::string_view list_type;                   // "", "atomic", "set", "map"
  std::string_view list_keys;                   // "containerPort,protocol"
  std::string_view map_type;                    // "", "atomic", "granular"
  std::string_view default_json;                // "" when there is none
  std::string_view format;
  std::string_view enumeration;               // "Always,IfNotPresent,Never"; "_" stands for a space
  std::optional<std::string_view> merge_key;  // patchStrategy merge; empty for sets of primitives
  bool retain_keys = false;
  bool replace = false;  // patchStrategy replace, which says what would be so anyway
  bool bare = false;     // published without a word beside its type
};

struct TypeRows {
  std::string_view map_type;  // of the whole struct
  // x-kubernetes-unions: which member says which one of the others is there; its values are their
  // names in Go.
  std::string_view discriminator;
  std::string_view union_members;  // "exempt,limited"
  std::vector<FieldRow> fields;
};

TypeRows read_rows(std::string_view rows);

// Splits `a,b,c`.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace fixpoint::kinds
