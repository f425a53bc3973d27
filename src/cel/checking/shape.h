// SPDX-License-Identifier: Apache-2.0
//
// Shape: a schema as expressions see it.
//
// It says which CEL type a place has (none for what a schema leaves open), under which names its
// fields are reached, how large it can get in one request, which is what static costs are made of,
// and how JSON there becomes a value. Shapes are immutable and owned by a ShapePool.
#pragma once

#include "kube/schema/schema.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

// The largest request a server takes: bounds everything whose size no schema bounds.
inline constexpr std::int64_t kRequestBytesMax = 3 * 1024 * 1024;

enum class ShapeKind : std::uint8_t {
  Unknown,      // no type: x-kubernetes-preserve-unknown-fields alone
  IntOrString,  // checked at run time
  Object,
  Map,
  List,
  String,
  Bytes,
  Duration,
  Date,
  DateTime,
  Bool,
  Double,
  Int,
};

struct Shape {
  struct Field {
    std::string name;
    std::string escaped;  // empty when no expression can name it
    const Shape* shape = nullptr;
  };

  ShapeKind kind = ShapeKind::Unknown;
  bool typed = false;  // expressions may use it: it and all that it is made of have types
  bool nullable = false;
  bool preserves_unknown = false;
  bool has_properties = false;     // a struct, even without fields
  std::vector<Field> fields;       // by name
  const Shape* element = nullptr;  // of a list or map
  kube::ListType list_type = kube::ListType::Atomic;
  std::vector<std::string> list_keys;
  std::int64_t elements_max = 0;  // characters, items or entries
  std::int64_t bytes_min = 0;     // when printed as JSON
  std::string_view schema_type;   // "object", as errors name it

  const Field* field(std::string_view name) const;
  const Field* field_escaped(std::string_view name) const;
};

enum class ShapeRole : std::uint8_t { Field, ResourceRoot };

class ShapePool {
 public:
  // A resource's root always has apiVersion, kind and the names in its metadata.
  const Shape* make(const kube::Schema& schema, ShapeRole role);

 private:
  Shape& build(const kube::Schema& schema);
  void build_object(const kube::Schema& schema, Shape& shape);
  void build_list(const kube::Schema& schema, Shape& shape);
  void build_map(const kube::Schema& schema, Shape& shape);
  void add_metadata(Shape& shape);
  const Shape* text();

  std::deque<Shape> shapes_;
};

std::string_view schema_type_name(kube::SchemaType type);

}  // namespace fixpoint::cel
