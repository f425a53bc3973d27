// SPDX-License-Identifier: Apache-2.0
#include "cel/checking/shape.h"

#include "cel/syntax/escape.h"

#include <algorithm>
#include <optional>

namespace fixpoint::cel {
namespace {

// Bytes of the smallest JSON of each kind, and of the largest where a format bounds it.
constexpr std::int64_t kStringBytesMin = 2;
constexpr std::int64_t kBoolBytesMin = 4;
constexpr std::int64_t kNumberBytesMin = 1;
constexpr std::int64_t kDurationBytesMin = 3;
constexpr std::int64_t kDateBytes = 12;
constexpr std::int64_t kDateTimeBytesMin = 21;
constexpr std::int64_t kTimeBytesMax = 32;
constexpr std::int64_t kContainerBytesMin = 2;
// A code point takes up to four bytes; maxLength counts code points, costs count bytes.
constexpr std::int64_t kCodePointBytesMax = 4;

constexpr std::int64_t kTextMax = kRequestBytesMax - 2;

std::optional<std::int64_t> bound(const std::optional<std::int64_t>& given) {
  if (!given) return std::nullopt;
  return std::max<std::int64_t>(*given, 0);
}

std::int64_t utf8_bytes_max(std::int64_t length) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(length, kCodePointBytesMax, &out) ? kTextMax : out;
}

std::int64_t text_max(const kube::Schema& schema) {
  const auto* validation = schema.validation.get();
  if (validation == nullptr) return kTextMax;
  if (const auto length = bound(validation->max_length)) return utf8_bytes_max(*length);
  if (schema.int_or_string || validation->enumeration.empty()) return kTextMax;
  std::int64_t longest = 0;
  for (const auto& each : validation->enumeration) {
    longest = std::max(longest, static_cast<std::int64_t>(each.as_string().size()));
  }
  return longest;
}

void build_text(const kube::Schema& schema, Shape& shape) {
  shape.typed = true;
  shape.kind = ShapeKind::String;
  shape.bytes_min = kStringBytesMin;
  if (schema.format == "byte") {
    shape.kind = ShapeKind::Bytes;
    const auto length =
        schema.validation ? bound(schema.validation->max_length) : std::optional<std::int64_t>{};
    shape.elements_max = length.value_or(kTextMax);
  } else if (schema.format == "duration") {
    shape.kind = ShapeKind::Duration;
    shape.bytes_min = kDurationBytesMin;
    shape.elements_max = kTimeBytesMax;
  } else if (schema.format == "date") {
    shape.kind = ShapeKind::Date;
    shape.bytes_min = kDateBytes;
    shape.elements_max = kDateBytes;
  } else if (schema.format == "date-time") {
    shape.kind = ShapeKind::DateTime;
    shape.bytes_min = kDateTimeBytesMin;
    shape.elements_max = kTimeBytesMax;
  } else {
    shape.elements_max = text_max(schema);
  }
}

void build_scalar(Shape& shape, ShapeKind kind, std::int64_t bytes_min) {
  shape.kind = kind;
  shape.typed = true;
  shape.bytes_min = bytes_min;
}

bool is_text(const Shape* shape) {
  return shape != nullptr && shape->schema_type == "string";
}

const Shape* field_shape(const Shape& shape, std::string_view name) {
  const auto* field = shape.field(name);
  return field == nullptr ? nullptr : field->shape;
}

}  // namespace

std::string_view schema_type_name(kube::SchemaType type) {
  switch (type) {
    case kube::SchemaType::Any: return "";
    case kube::SchemaType::Object: return "object";
    case kube::SchemaType::Array: return "array";
    case kube::SchemaType::String: return "string";
    case kube::SchemaType::Integer: return "integer";
    case kube::SchemaType::Number: return "number";
    case kube::SchemaType::Boolean: return "boolean";
  }
  return "";
}

const Shape::Field* Shape::field(std::string_view name) const {
  const auto found = std::ranges::lower_bound(fields, name, {}, &Field::name);
  return found != fields.end() && found->name == name ? &*found : nullptr;
}

const Shape::Field* Shape::field_escaped(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::escaped);
  return found == fields.end() || name.empty() ? nullptr : &*found;
}

const Shape* ShapePool::make(const kube::Schema& schema, ShapeRole role) {
  auto& shape = build(schema);
  if (role == ShapeRole::ResourceRoot && !schema.int_or_string) add_metadata(shape);
  return &shape;
}

Shape& ShapePool::build(const kube::Schema& schema) {
  auto& shape = shapes_.emplace_back();
  shape.nullable = schema.nullable;
  shape.preserves_unknown = schema.preserve_unknown_fields;
  shape.schema_type = schema_type_name(schema.type);
  if (schema.int_or_string) {
    build_scalar(shape, ShapeKind::IntOrString, kNumberBytesMin);
    shape.elements_max = text_max(schema);
    return shape;
  }
  switch (schema.type) {
    case kube::SchemaType::Any: break;
    case kube::SchemaType::Object:
      if (schema.additional_properties != nullptr) {
        build_map(schema, shape);
      } else {
        build_object(schema, shape);
      }
      break;
    case kube::SchemaType::Array: build_list(schema, shape); break;
    case kube::SchemaType::String: build_text(schema, shape); break;
    case kube::SchemaType::Integer: build_scalar(shape, ShapeKind::Int, kNumberBytesMin); break;
    case kube::SchemaType::Number: build_scalar(shape, ShapeKind::Double, kNumberBytesMin); break;
    case kube::SchemaType::Boolean: build_scalar(shape, ShapeKind::Bool, kBoolBytesMin); break;
  }
  return shape;
}

void ShapePool::build_object(const kube::Schema& schema, Shape& shape) {
  shape.kind = ShapeKind::Object;
  shape.typed = true;
  shape.bytes_min = kContainerBytesMin;
  shape.has_properties = !schema.properties.empty();
  for (const auto& property : schema.properties) {
    const auto role =
        property.schema->embedded_resource ? ShapeRole::ResourceRoot : ShapeRole::Field;
    const auto* below = make(*property.schema, role);
    shape.fields.push_back({property.name, escaped(property.name).value_or(""), below});
    if (!below->typed) continue;
    const bool required =
        std::ranges::find(schema.required, property.name) != schema.required.end();
    // Its quotes, its colon and a comma.
    if (required && !property.schema->default_value) {
      shape.bytes_min += static_cast<std::int64_t>(property.name.size()) + below->bytes_min + 4;
    }
  }
  std::ranges::sort(shape.fields, {}, &Shape::Field::name);
}

void ShapePool::build_list(const kube::Schema& schema, Shape& shape) {
  shape.kind = ShapeKind::List;
  shape.list_type = schema.list_type;
  shape.list_keys = schema.list_map_keys;
  shape.bytes_min = kContainerBytesMin;
  if (schema.items == nullptr) return;
  shape.element = make(
      *schema.items, schema.items->embedded_resource ? ShapeRole::ResourceRoot : ShapeRole::Field);
  shape.typed = shape.element->typed;
  const auto given =
      schema.validation ? bound(schema.validation->max_items) : std::optional<std::int64_t>{};
  shape.elements_max =
      given.value_or((kRequestBytesMax - 2) / (shape.element->bytes_min + 1));  // and a comma
}

void ShapePool::build_map(const kube::Schema& schema, Shape& shape) {
  shape.kind = ShapeKind::Map;
  shape.bytes_min = kContainerBytesMin;
  const auto& values = *schema.additional_properties;
  shape.element =
      make(values, values.embedded_resource ? ShapeRole::ResourceRoot : ShapeRole::Field);
  shape.typed = shape.element->typed;
  const auto given =
      schema.validation ? bound(schema.validation->max_properties) : std::optional<std::int64_t>{};
  // A key of two bytes in quotes, a colon and a comma.
  shape.elements_max = given.value_or((kRequestBytesMax - 2) / (shape.element->bytes_min + 6));
}

const Shape* ShapePool::text() {
  auto& shape = shapes_.emplace_back();
  shape.schema_type = "string";
  shape.elements_max = kTextMax;
  build_scalar(shape, ShapeKind::String, kStringBytesMin);
  return &shape;
}

void ShapePool::add_metadata(Shape& shape) {
  shape.has_properties = true;
  const auto* metadata = field_shape(shape, "metadata");
  if (is_text(field_shape(shape, "kind")) && is_text(field_shape(shape, "apiVersion")) &&
      metadata != nullptr && metadata->schema_type == "object" &&
      is_text(field_shape(*metadata, "name")) && is_text(field_shape(*metadata, "generateName"))) {
    return;
  }
  auto& names = shapes_.emplace_back();
  names.kind = ShapeKind::Object;
  names.typed = true;
  names.has_properties = true;
  names.bytes_min = kContainerBytesMin;
  names.schema_type = "object";
  names.fields = {
      {"generateName", "generateName", text()},
      {"name",         "name",         text()}
  };
  const auto put = [&](std::string_view name, const Shape* below) {
    const auto at = std::ranges::lower_bound(shape.fields, name, {}, &Shape::Field::name);
    if (at != shape.fields.end() && at->name == name) {
      at->shape = below;
    } else {
      shape.fields.insert(at, {std::string{name}, std::string{name}, below});
    }
  };
  put("apiVersion", text());
  put("kind", text());
  put("metadata", &names);
}

}  // namespace fixpoint::cel
