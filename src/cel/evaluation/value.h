// SPDX-License-Identifier: Apache-2.0
//
// Value: what an expression evaluates to.
//
// Lists, maps, objects and text of a resource are not copied: they are views of its JSON, read
// through the Shape of their place, and so live no longer than it. An error is a value too, since
// `||` and `&&` may ignore one.
#pragma once

#include "cel/checking/shape.h"
#include "json/value.h"
#include "kube/scalars/ip.h"
#include "kube/scalars/quantity.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace fixpoint::cel {

enum class Kind : std::uint8_t {
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Duration,
  Timestamp,
  List,
  Map,
  Type,
  Optional,
  Quantity,
  Ip,
  Cidr,
  Url,
  Format,
  Semver,
  Unknown,  // JSON without a type: can only be compared
  Error,
};

struct Text {
  std::string_view text;
  std::shared_ptr<const std::string> owner;  // null when somebody else keeps the text
};

struct Nanos {  // a duration
  std::int64_t count = 0;
  auto operator<=>(const Nanos&) const = default;
};

struct Moment {              // a timestamp
  std::int64_t seconds = 0;  // since 1970
  std::int32_t nanos = 0;
  auto operator<=>(const Moment&) const = default;
};

struct TypeName {
  std::string_view name;
};

struct Placed {  // JSON at a place
  json::View json;
  const Shape* shape = nullptr;
};

struct Url {
  std::string scheme;
  std::string host;
  std::string path;  // as spelled
  std::string query;
  std::string text;  // put together again
};

struct Semver {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::vector<std::string> before;  // pre-release identifiers
};

struct NamedFormat;  // cel/library/kube.cc

class Map;

class Value {
 public:
  using List = std::vector<Value>;

  Value() = default;  // null
  static Value boolean(bool value) { return {Kind::Bool, value}; }
  static Value integer(std::int64_t value) { return {Kind::Int, value}; }
  static Value unsigned_integer(std::uint64_t value) { return {Kind::Uint, value}; }
  static Value number(double value) { return {Kind::Double, value}; }
  static Value borrowed(std::string_view text) {
    return {
        Kind::String, Text{text, {}}
    };
  }
  static Value string(std::string text);
  static Value bytes(std::string bytes);
  static Value duration(std::int64_t nanos) { return {Kind::Duration, Nanos{nanos}}; }
  static Value timestamp(Moment at) { return {Kind::Timestamp, at}; }
  // `shape`: of the list that it was made from by adding, which is still a set or map of that sort.
  static Value list(List elements, const Shape* shape = nullptr);
  static Value map(Map entries);
  static Value type(std::string_view name) { return {Kind::Type, TypeName{name}}; }
  static Value none();
  static Value optional(Value value);
  static Value quantity(kube::Quantity value);
  static Value ip(const kube::Ip& ip);
  static Value cidr(const kube::Cidr& cidr);
  static Value url(Url url);
  static Value semver(Semver version);
  static Value format(const NamedFormat& format);
  static Value error(std::string message);
  // "no such overload": the arguments have types that nothing takes.
  static Value no_overload() { return error("no such overload"); }
  // JSON as its shape says; an error where it does not fit.
  static Value of(json::View json, const Shape& shape);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::Error; }
  bool is_true() const { return kind_ == Kind::Bool && as_bool(); }
  bool is_false() const { return kind_ == Kind::Bool && !as_bool(); }

  // Each needs the kind.
  bool as_bool() const { return std::get<bool>(content_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(content_); }
  std::uint64_t as_uint() const { return std::get<std::uint64_t>(content_); }
  double as_double() const { return std::get<double>(content_); }
  std::string_view text() const { return std::get<Text>(content_).text; }  // also bytes, errors
  std::int64_t nanos() const { return std::get<Nanos>(content_).count; }
  Moment moment() const { return std::get<Moment>(content_); }
  std::string_view type_name() const { return std::get<TypeName>(content_).name; }
  const Value* inner() const { return std::get<std::shared_ptr<const Value>>(content_).get(); }
  const kube::Quantity& quantity() const {
    return *std::get<std::shared_ptr<const kube::Quantity>>(content_);
  }
  const kube::Cidr& cidr() const { return *std::get<std::shared_ptr<const kube::Cidr>>(content_); }
  const kube::Ip& ip() const { return cidr().address; }
  const Url& url() const { return *std::get<std::shared_ptr<const Url>>(content_); }
  const Semver& semver() const { return *std::get<std::shared_ptr<const Semver>>(content_); }
  const NamedFormat& format() const { return *std::get<const NamedFormat*>(content_); }
  // The JSON behind a list or map that is read in place; nullptr otherwise.
  const Placed* placed() const { return std::get_if<Placed>(&content_); }

  // Of what sort a list from JSON is, or one that such a list was added to; nullptr otherwise.
  const Shape* list_shape() const;

  // Lists and maps, wherever their elements are. Of text: its characters; of bytes: its bytes.
  std::size_t size() const;
  Value at(std::size_t index) const;  // of a list; needs index < size()
  List elements() const;              // of a list
  // A map's or object's value under the key.
  struct Found;  // {bool found; Value value;}
  Found find(const Value& key) const;
  // Keys in a fixed order: by name for JSON, as written for literals.
  List keys() const;
  const Map& map() const { return *std::get<std::shared_ptr<const Map>>(content_); }

  // The name of its type at run time.
  std::string_view runtime_type() const;

 private:
  struct Made {  // a list that an expression made
    std::shared_ptr<const List> elements;
    const Shape* shape = nullptr;
  };

  using Content =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, Text, Nanos, Moment,
                   TypeName, Placed, Made, std::shared_ptr<const Map>, std::shared_ptr<const Value>,
                   std::shared_ptr<const kube::Quantity>, std::shared_ptr<const kube::Cidr>,
                   std::shared_ptr<const Url>, std::shared_ptr<const Semver>, const NamedFormat*>;
  template <class T>
  Value(Kind kind, T content) : kind_(kind), content_(std::move(content)) {}

  Kind kind_ = Kind::Null;
  Content content_;
};

struct Value::Found {
  bool found = false;
  Value value;
};

// A map that an expression made: entries in the order of their making, found by key at once.
class Map {
 public:
  struct Entry {
    Value key;
    Value value;
  };

  // False when the key is there already: then nothing changes.
  bool insert(Value key, Value value);
  void put(Value key, Value value);  // in the place of what is there
  const Value* find(const Value& key) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

// Equal for equal values and for no others: what scalars, and JSON read in place, are looked up by.
std::optional<std::string> key_text(const Value& value);
// What tells an element of a list of type map from the others; nothing if it is no object in JSON.
std::optional<std::string> element_keys(const Value& element, const std::vector<std::string>& keys);

// `==`: a bool, or an error. Values of unlike types are unequal, numbers compare across theirs;
// lists of type set or map disregard order.
Value equal(const Value& a, const Value& b);
// -1, 0 or 1; an error for what has no order.
Value compare(const Value& a, const Value& b);
// As %v shows it in an error: "no such key: a".
std::string shown(const Value& value);
std::size_t code_points(std::string_view text);

}  // namespace fixpoint::cel
