// SPDX-License-Identifier: Apache-2.0
//
// PathElement: ordering, the two printed forms, and parsing of the wire form.
#include "kube/ownership/path_element.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/errors/field_error.h"

#include <charconv>
#include <utility>

namespace fixpoint::kube {

namespace {

int type_rank(json::Type type) {
  switch (type) {
    case json::Type::Int:
    case json::Type::Float: return 0;
    case json::Type::String: return 1;
    case json::Type::Bool: return 2;
    case json::Type::Array: return 3;
    case json::Type::Object: return 4;
    case json::Type::Null: return 5;
  }
  std::unreachable();
}

std::weak_ordering compare_numbers(json::View a, json::View b) {
  if (a.is_int() && b.is_int()) return a.as_int() <=> b.as_int();
  const double left = a.as_double();
  const double right = b.as_double();
  if (left < right) return std::weak_ordering::less;
  return left > right ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

// Key fields in order of name; a key that is a prefix of another comes first.
std::weak_ordering compare_keys(json::View a, json::View b) {
  auto left = a.members();
  auto right = b.members();
  while (left.first != left.last && right.first != right.last) {
    const json::Member l = *left.first++;
    const json::Member r = *right.first++;
    if (const auto order = l.key <=> r.key; order != 0) return order;
    if (const auto order = compare_values(l.value, r.value); order != 0) return order;
  }
  return a.size() <=> b.size();
}

// A value inside a message: strings quoted, numbers bare, lists in brackets.
std::string shown_value(json::View value) {
  if (value.is_string()) return shown(value.as_string());
  return json::to_text(value, json::Escape::Plain);
}

std::unexpected<Error> bad_element(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

Result<std::optional<PathElement>> parse_index(std::string_view text) {
  std::int64_t at = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
  if (error != std::errc{} || end != text.data() + text.size())
    return bad_element("strconv.Atoi: parsing " + shown(text) + ": invalid syntax");
  return PathElement::index(at);
}

}  // namespace

std::weak_ordering compare_values(json::View a, json::View b) {
  const int left = type_rank(a.type());
  const int right = type_rank(b.type());
  if (left != right) return left <=> right;
  switch (a.type()) {
    case json::Type::Int:
    case json::Type::Float: return compare_numbers(a, b);
    case json::Type::String: return a.as_string() <=> b.as_string();
    case json::Type::Bool: return static_cast<int>(a.as_bool()) <=> static_cast<int>(b.as_bool());
    case json::Type::Array:
    case json::Type::Object:
      // No schema gives such keys; any total order does for what a client made up.
      return json::to_text(a) <=> json::to_text(b);
    case json::Type::Null: return std::weak_ordering::equivalent;
  }
  std::unreachable();
}

PathElement PathElement::field(std::string_view name) {
  PathElement element;
  element.name_ = name;
  return element;
}

PathElement PathElement::key(json::Value fields) {
  PathElement element;
  element.kind_ = Kind::Key;
  element.value_ = std::move(fields);
  return element;
}

PathElement PathElement::value(json::Value item) {
  PathElement element;
  element.kind_ = Kind::Value;
  element.value_ = std::move(item);
  return element;
}

PathElement PathElement::index(std::int64_t at) {
  PathElement element;
  element.kind_ = Kind::Index;
  element.index_ = at;
  return element;
}

std::weak_ordering operator<=>(const PathElement& a, const PathElement& b) {
  if (a.kind_ != b.kind_) return a.kind_ <=> b.kind_;
  switch (a.kind_) {
    case PathElement::Kind::Field: return a.name_ <=> b.name_;
    case PathElement::Kind::Key: return compare_keys(a.value_, b.value_);
    case PathElement::Kind::Value: return compare_values(a.value_, b.value_);
    case PathElement::Kind::Index: return a.index_ <=> b.index_;
  }
  std::unreachable();
}

std::string PathElement::to_string() const {
  switch (kind_) {
    case Kind::Field: return "." + name_;
    case Kind::Value: return "[=" + shown_value(value_) + "]";
    case Kind::Index: return "[" + std::to_string(index_) + "]";
    case Kind::Key: break;
  }
  std::string text = "[";
  for (const auto [name, field] : value_.view().members()) {
    if (text.size() > 1) text += ',';
    text.append(name).append("=").append(shown_value(field));
  }
  return text + "]";
}

std::string PathElement::wire() const {
  switch (kind_) {
    case Kind::Field: return "f:" + name_;
    case Kind::Key: return "k:" + json::to_text(value_);
    case Kind::Value: return "v:" + json::to_text(value_);
    case Kind::Index: return "i:" + std::to_string(index_);
  }
  std::unreachable();
}

std::string to_string(const Path& path) {
  std::string text;
  for (const PathElement& element : path) text += element.to_string();
  return text;
}

Result<std::optional<PathElement>> parse_path_element(std::string_view wire) {
  if (wire.size() < 2) return bad_element("key must be 2 characters long:");
  if (wire[1] != ':') return bad_element("missing colon: " + std::string(wire));
  const std::string_view rest = wire.substr(2);
  switch (wire[0]) {
    case 'f': return PathElement::field(rest);
    case 'i': return parse_index(rest);
    case 'v': {
      FP_TRY(item, json::parse(rest));
      return PathElement::value(std::move(item));
    }
    case 'k': {
      FP_TRY(fields, json::parse(rest));
      if (!fields.is_object())
        return bad_element("key fields must be an object: " + std::string(rest));
      return PathElement::key(std::move(fields));
    }
    default: return std::optional<PathElement>{};
  }
}

}  // namespace fixpoint::kube
