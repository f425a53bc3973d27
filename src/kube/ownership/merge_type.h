// SPDX-License-Identifier: Apache-2.0
//
// MergeType and Atom: a Schema as merging sees it, a scalar, a list or a map, each of which is one
// unit (atomic) or is owned part by part.
//
// Places without a schema have types of their own: `Atomic` owns anything whole, `Deduced` owns
// objects member by member and everything else whole. This is internal to merge.cc and its
// siblings.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/ownership/path_element.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

// Parts nested deeper are owned whole: it bounds the recursion of every walk below.
inline constexpr std::uint32_t kMergeDepthMax = 500;

struct MergeType {
  enum class Form : std::uint8_t { Undeclared, Declared, Atomic, Deduced };

  const Schema* schema = nullptr;  // when Declared
  Form form = Form::Undeclared;
  bool root = false;      // a whole object: apiVersion, kind and metadata are declared
  bool preserve = false;  // a schema above preserves unknown fields
  std::uint32_t depth = 0;

  bool declared() const { return form != Form::Undeclared; }
};

MergeType root_type(const Schema& schema);

enum class Shape : std::uint8_t { Map, Scalar, List };
enum class Scalar : std::uint8_t { None, Numeric, String, Boolean, Untyped };

class Atom {
 public:
  explicit Atom(const MergeType& type);

  bool map() const { return map_; }
  bool list() const { return list_; }
  Scalar scalar() const { return scalar_; }
  // The shape a value takes here: its own if allowed, else the first that is.
  Shape shape(json::View value) const;

  bool map_atomic() const { return map_atomic_; }
  bool list_atomic() const { return list_atomic_; }
  // The keys of a list of objects; empty for a set of scalars.
  const std::vector<std::string>& keys() const;
  // A declared member, or nothing.
  std::optional<MergeType> field(std::string_view name) const;
  // Of members that are not declared, and of list items; may be Undeclared.
  MergeType map_element() const;
  MergeType list_element() const;
  // Of any member: declared or not.
  MergeType member(std::string_view name) const;
  // True for maps of which nothing is declared.
  bool deduced_map() const;
  // The value a missing key field of this list's items stands for, if any.
  std::optional<json::Value> key_default(const std::string& key) const;

 private:
  MergeType child(const Schema& schema) const;
  MergeType child(MergeType::Form form) const;

  MergeType type_;
  bool map_ = false;
  bool list_ = false;
  Scalar scalar_ = Scalar::None;
  bool map_atomic_ = false;
  bool list_atomic_ = true;
};

// The step that names an item of an associative list, or why it cannot be named.
Result<PathElement> list_step(const Atom& list, json::View item);

}  // namespace fixpoint::kube
