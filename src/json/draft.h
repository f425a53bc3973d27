// SPDX-License-Identifier: Apache-2.0
//
// Draft: a JSON tree that can be changed, made from immutable parts.
//
// A Draft made from a Value copies nothing: each level is opened only when it is first looked into,
// so changing metadata.labels of a large object costs two small levels. freeze() packs the whole
// tree into one new block. Object members stay sorted by key, as in Value.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fixpoint::json {

class Draft {
 public:
  struct Entry;  // {std::string key; Draft value;}
  using Object = std::vector<Entry>;
  using Array = std::vector<Draft>;

  Draft();                        // null
  Draft(Value value);             // NOLINT: a frozen subtree is a Draft
  Draft(View view);               // NOLINT
  Draft(bool value);              // NOLINT
  Draft(int value);               // NOLINT
  Draft(std::int64_t value);      // NOLINT
  Draft(double value);            // NOLINT
  Draft(std::string value);       // NOLINT
  Draft(std::string_view value);  // NOLINT
  Draft(const char* value);       // NOLINT
  Draft(const Draft&);
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft) noexcept;
  ~Draft();

  static Draft object();
  static Draft object(std::initializer_list<std::pair<std::string_view, Draft>> members);
  static Draft array();
  static Draft array(std::initializer_list<Draft> elements);

  Type type() const;
  bool is_null() const { return type() == Type::Null; }
  bool is_object() const { return type() == Type::Object; }
  bool is_array() const { return type() == Type::Array; }
  bool is_string() const { return type() == Type::String; }
  bool as_bool(bool fallback = false) const;
  std::int64_t as_int(std::int64_t fallback = 0) const;
  double as_double(double fallback = 0) const;
  std::string_view as_string(std::string_view fallback = {}) const;
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Object: a member or nullptr (also when this is no object). Looking opens this level only.
  const Draft* find(std::string_view key) const;
  Draft* find(std::string_view key);
  // find along a path.
  template <class... Rest>
  Draft* find(std::string_view key, std::string_view next, Rest... rest) {
    Draft* child = find(key);
    return child == nullptr ? nullptr : child->find(next, rest...);
  }
  template <class... Rest>
  const Draft* find(std::string_view key, std::string_view next, Rest... rest) const {
    const Draft* child = find(key);
    return child == nullptr ? nullptr : child->find(next, rest...);
  }
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  // The member, made null if absent; a null Draft becomes an object first. FP_CHECKs otherwise.
  Draft& operator[](std::string_view key);
  // The member as an object, made so if absent or null.
  Draft& object_at(std::string_view key);
  // The member as an array, made so if absent or null.
  Draft& array_at(std::string_view key);
  bool erase(std::string_view key);  // true if it was there
  // Members that are not there yet, sorted by key: many at once, where one by one each would push
  // aside what stands behind it.
  void add_members(Object added);
  // Sorted by key, each key once: whoever adds here keeps it so. freeze() checks.
  Object& members();
  const Object& members() const;

  // Array.
  Array& elements();
  const Array& elements() const;
  Draft& push_back(Draft element);

  // The tree as one packed Value. Free when nothing was opened.
  Value freeze() const;
  // True while this is an untouched piece of an immutable tree.
  bool frozen() const;
  // That piece. Needs frozen().
  View frozen_view() const;

  friend bool operator==(const Draft& a, const Draft& b);

 private:
  using Content = std::variant<Value, bool, std::int64_t, double, std::string,
                               std::unique_ptr<Object>, std::unique_ptr<Array>>;
  void open() const;  // one level: Value object/array -> Object/Array of frozen children
  mutable Content content_;
};

struct Draft::Entry {
  std::string key;
  Draft value;
};

}  // namespace fixpoint::json
