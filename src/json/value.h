// SPDX-License-Identifier: Apache-2.0
//
// Value and View: an immutable JSON tree packed into one block of memory.
//
// A Value owns a share of its block; a View borrows one, as std::string_view borrows a string.
// Reading never allocates and never touches the reference count: pass Views, keep Values.
// Invariants: object members are sorted by key (byte order, as Go prints a map) and unique, so
// equal trees have equal shape; integers that fit int64 and floats are kept apart, as Kubernetes
// does; strings are valid UTF-8; depth is at most kDepthMax.
// Read next: draft.h to change one, json/parsing/parse.h and print.h for text.
#pragma once

#include "base/hash.h"
#include "base/ref.h"
#include "json/block.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace fixpoint::json {

// Deeper input is refused, so that recursion over a Value is safe even with frames of several
// kilobytes, in the sanitizers too. Kubernetes draws its line at 10,000, no real object comes near
// either: the deepest schemas allowed are some dozens of levels.
inline constexpr std::size_t kDepthMax = 1'000;

// "null", "boolean", "integer", "number", "string", "array", "object".
std::string_view to_string(Type type);

class Value;
struct Member;

class View {
 public:
  View() = default;  // null
  View(const Block* block, std::uint32_t node) : block_(block), node_(node) {}

  Type type() const { return block_ == nullptr ? Type::Null : block_->node(node_).type(); }
  bool is_null() const { return type() == Type::Null; }
  bool is_bool() const { return type() == Type::Bool; }
  bool is_int() const { return type() == Type::Int; }
  bool is_number() const { return type() == Type::Int || type() == Type::Float; }
  bool is_string() const { return type() == Type::String; }
  bool is_array() const { return type() == Type::Array; }
  bool is_object() const { return type() == Type::Object; }

  // The value if it has that type, else the fallback: absent, null and wrong type read alike, which
  // is what code after validation wants. Validators ask type() first.
  bool as_bool(bool fallback = false) const;
  std::int64_t as_int(std::int64_t fallback = 0) const;
  double as_double(double fallback = 0) const;  // an Int converts
  std::string_view as_string(std::string_view fallback = {}) const;

  // Members of an object or elements of an array; 0 for everything else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // A member, or null when absent or when this is no object. `find` tells absent from null.
  View get(std::string_view key) const;
  std::optional<View> find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key).has_value(); }
  // get("metadata", "labels", "app"): null as soon as a step is missing. By value, so that literals
  // of every length share one instance.
  template <class... Rest>
  View get(std::string_view key,
           Rest... rest) const {  // NOLINT(performance-unnecessary-value-param)
    return get(key).get(rest...);
  }
  // An element; null past the end.
  View operator[](std::size_t index) const;

  // Iteration in key order: for (auto [key, value] : view.members()); for (View e :
  // view.elements()).
  class MemberIterator;
  class ElementIterator;
  template <class Iterator>
  struct Range {
    Iterator first;
    Iterator last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  Range<MemberIterator> members() const;
  Range<ElementIterator> elements() const;

  // Same place in the same block: a fast "surely equal".
  bool same_as(View other) const { return block_ == other.block_ && node_ == other.node_; }
  // Deep equality. 1 and 1.0 differ, as they do for Kubernetes. Pointer equality answers first.
  friend bool operator==(View a, View b);

  // Canonical hash: equal trees have equal hashes in every process of every version.
  Hash128 hash() const;

  const Block* block() const { return block_; }
  std::uint32_t node() const { return node_; }

 private:
  const Block* block_ = nullptr;
  std::uint32_t node_ = 0;
};

struct Member {
  std::string_view key;
  View value;
};

class View::MemberIterator {
 public:
  using value_type = Member;
  using difference_type = std::ptrdiff_t;
  MemberIterator() = default;
  explicit MemberIterator(View at) : at_(at) {}
  Member operator*() const;
  MemberIterator& operator++() {
    at_ = View{at_.block(), at_.node() + 1};
    return *this;
  }
  MemberIterator operator++(int) {
    auto old = *this;
    ++*this;
    return old;
  }
  bool operator==(const MemberIterator& other) const { return at_.same_as(other.at_); }

 private:
  View at_;
};

class View::ElementIterator {
 public:
  using value_type = View;
  using difference_type = std::ptrdiff_t;
  ElementIterator() = default;
  explicit ElementIterator(View at) : at_(at) {}
  View operator*() const { return at_; }
  ElementIterator& operator++() {
    at_ = View{at_.block(), at_.node() + 1};
    return *this;
  }
  ElementIterator operator++(int) {
    auto old = *this;
    ++*this;
    return old;
  }
  bool operator==(const ElementIterator& other) const { return at_.same_as(other.at_); }

 private:
  View at_;
};

class Value {
 public:
  Value() = default;  // null
  Value(View view);   // NOLINT: keeping a borrowed tree is implicit; takes a share of its block
  explicit Value(Ref<const Block> block) : block_(std::move(block)) {}  // its root
  static Value null() { return {}; }
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value number(double value);  // finite
  static Value string(std::string_view value);
  static Value empty_object();
  static Value empty_array();

  View view() const& { return {block_.get(), node_}; }
  View view() const&& = delete;
  operator View() const& { return view(); }  // NOLINT: lending is implicit
  operator View() && = delete;               // the tree would die before the View

  // The reads of View, so that `value.get("spec")` works; on a temporary they do not compile.
  Type type() const { return view().type(); }
  bool is_null() const { return view().is_null(); }
  bool is_bool() const { return view().is_bool(); }
  bool is_int() const { return view().is_int(); }
  bool is_number() const { return view().is_number(); }
  bool is_string() const { return view().is_string(); }
  bool is_array() const { return view().is_array(); }
  bool is_object() const { return view().is_object(); }
  bool as_bool(bool fallback = false) const { return view().as_bool(fallback); }
  std::int64_t as_int(std::int64_t fallback = 0) const { return view().as_int(fallback); }
  double as_double(double fallback = 0) const { return view().as_double(fallback); }
  std::string_view as_string(std::string_view fallback = {}) const& {
    return view().as_string(fallback);
  }
  std::string_view as_string(std::string_view fallback = {}) && = delete;
  std::size_t size() const { return view().size(); }
  bool empty() const { return view().empty(); }
  View operator[](std::size_t index) const& { return view()[index]; }
  View operator[](std::size_t index) && = delete;
  View::Range<View::MemberIterator> members() const& { return view().members(); }
  View::Range<View::MemberIterator> members() && = delete;
  View::Range<View::ElementIterator> elements() const& { return view().elements(); }
  View::Range<View::ElementIterator> elements() && = delete;
  bool contains(std::string_view key) const { return view().contains(key); }
  template <class... Keys>
  View get(std::string_view key, Keys... rest) const& {
    return view().get(key, rest...);
  }
  template <class... Keys>
  View get(std::string_view key, Keys... rest) && = delete;
  std::optional<View> find(std::string_view key) const& { return view().find(key); }
  std::optional<View> find(std::string_view key) && = delete;
  Hash128 hash() const { return view().hash(); }

  // Memory held by the whole block, for accounting and bounds.
  std::size_t block_bytes() const;
  // A Value of its own block: drops the rest of a big tree of which only this part is kept.
  Value compact() const;

  friend bool operator==(const Value& a, const Value& b) { return a.view() == b.view(); }
  friend bool operator==(const Value& a, View b) { return a.view() == b; }

 private:
  Ref<const Block> block_;
  std::uint32_t node_ = 0;
};

}  // namespace fixpoint::json
