// SPDX-License-Identifier: Apache-2.0
#include "kube/ownership/new_ownership.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace fixpoint::kube {
namespace {

// As many templates as are busy at the same time; another of the same place is made anew.
constexpr std::size_t kShapesMax = 64;

// Go's zeros that are printed are short: "", "0", "0s". Texts as short as that count in full.
constexpr std::size_t kZeroBytesMax = 2;

struct Remembered {
  Hash128 shape;
  json::Value fields;
};

Remembered& place_of(const Hash128& shape) {
  thread_local std::array<Remembered, kShapesMax> places;
  return places[shape.low % kShapesMax];
}

// A text that tells apart what has to be told apart. Sizes come before what they count, so no two
// objects write the same.
class ShapeText {
 public:
  void add(std::string_view text) {
    number(text.size());
    text_ += text;
  }
  void number(std::uint64_t value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void object(json::View value) {
    number(value.size());
    for (const auto [key, member] : value.members()) {
      add(key);
      field(member);
    }
  }

  Hash128 hash() const { return hash128(text_); }

 private:
  void tag(json::Type type) { text_ += static_cast<char>(type); }

  void field(json::View value) {
    tag(value.type());
    switch (value.type()) {
      case json::Type::Null: return;
      case json::Type::Bool: text_ += value.as_bool() ? '1' : '0'; return;
      case json::Type::Int:
      case json::Type::Float: text_ += value.as_double() == 0 ? '0' : '1'; return;
      case json::Type::String: {
        const auto text = value.as_string();
        add(text.size() <= kZeroBytesMax ? text : std::string_view{"..."});
        return;
      }
      case json::Type::Array: return whole(value);
      case json::Type::Object: return object(value);
    }
  }

  void whole(json::View value) {
    tag(value.type());
    switch (value.type()) {
      case json::Type::Null: return;
      case json::Type::Bool: text_ += value.as_bool() ? '1' : '0'; return;
      case json::Type::Int: return number(static_cast<std::uint64_t>(value.as_int()));
      case json::Type::Float: return number(std::bit_cast<std::uint64_t>(value.as_double()));
      case json::Type::String: return add(value.as_string());
      case json::Type::Array:
        number(value.size());
        for (const json::View element : value.elements()) whole(element);
        return;
      case json::Type::Object:
        number(value.size());
        for (const auto [key, member] : value.members()) {
          add(key);
          whole(member);
        }
        return;
    }
  }

  std::string text_;
};

}  // namespace

Hash128 shape_of_new(const Writer& writer, json::View object) {
  ShapeText shape;
  shape.number(reinterpret_cast<std::uintptr_t>(writer.schema));
  shape.add(writer.kind.group);
  shape.add(writer.kind.version);
  shape.number(writer.reset_fields.size());
  for (const auto& path : writer.reset_fields) {
    shape.number(path.size());
    for (const auto& name : path) shape.add(name);
  }
  shape.object(object);
  return shape.hash();
}

std::optional<json::Value> remembered_fields(const Hash128& shape) {
  const auto& place = place_of(shape);
  if (place.fields.is_null() || !(place.shape == shape)) return std::nullopt;
  return place.fields;
}

void remember_fields(const Hash128& shape, json::Value fields) {
  place_of(shape) = {.shape = shape, .fields = std::move(fields)};
}

}  // namespace fixpoint::kube
