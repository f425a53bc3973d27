// SPDX-License-Identifier: Apache-2.0
//
// Draft: opening levels of an immutable tree, changing them, packing the result.
#include "json/draft.h"

#include "base/error.h"
#include "json/builder.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace fixpoint::json {
namespace {

template <class Content>
Content cloned(const Content& content) {
  return std::visit(
      [](const auto& held) -> Content {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (requires { typename Held::element_type; }) {
          return std::make_unique<typename Held::element_type>(*held);
        } else {
          return held;
        }
      },
      content);
}

auto lower(auto& members, std::string_view key) {
  return std::lower_bound(
      members.begin(), members.end(), key,
      [](const Draft::Entry& entry, std::string_view k) { return entry.key < k; });
}

// Writes `draft` as node `to`. Only what was opened is walked as a Draft.
class Packer {
 public:
  explicit Packer(BlockBuilder& out) : out_(out) {}

  void pack(const Draft& draft, std::uint32_t key, std::uint32_t to) {
    FP_CHECK(depth_ <= kDepthMax);
    ++depth_;
    if (draft.frozen()) {
      out_.copy(draft.frozen_view(), key, to);
    } else if (draft.is_object()) {
      pack_object(draft.members(), key, to);
    } else if (draft.is_array()) {
      pack_array(draft.elements(), key, to);
    } else {
      const auto node = scalar(draft, key);
      out_.at(to) = node;
    }
    --depth_;
  }

 private:
  Node scalar(const Draft& draft, std::uint32_t key) {
    switch (draft.type()) {
      case Type::Bool: return BlockBuilder::boolean(key, draft.as_bool());
      case Type::Int: return BlockBuilder::integer(key, draft.as_int());
      case Type::Float: return BlockBuilder::number(key, draft.as_double());
      case Type::String: return out_.string(key, draft.as_string());
      default: return BlockBuilder::null(key);
    }
  }

  void pack_object(const Draft::Object& members, std::uint32_t key, std::uint32_t to) {
    const auto count = static_cast<std::uint32_t>(members.size());
    const auto first = out_.reserve(count);
    out_.at(to) = BlockBuilder::container(Type::Object, key, count, first);
    for (std::uint32_t i = 0; i < count; ++i) {
      pack(members[i].value, out_.key(members[i].key), first + i);
    }
    FP_CHECK(out_.sort_members(first, count));
  }

  void pack_array(const Draft::Array& elements, std::uint32_t key, std::uint32_t to) {
    const auto count = static_cast<std::uint32_t>(elements.size());
    const auto first = out_.reserve(count);
    out_.at(to) = BlockBuilder::container(Type::Array, key, count, first);
    for (std::uint32_t i = 0; i < count; ++i) pack(elements[i], kNoKey, first + i);
  }

  BlockBuilder& out_;
  std::size_t depth_ = 0;
};

}  // namespace

Draft::Draft() = default;
Draft::Draft(Value value) : content_(std::move(value)) {}
Draft::Draft(View view) : content_(Value{view}) {}
Draft::Draft(bool value) : content_(value) {}
Draft::Draft(int value) : content_(std::int64_t{value}) {}
Draft::Draft(std::int64_t value) : content_(value) {}
Draft::Draft(double value) : content_(value) {}
Draft::Draft(std::string value) : content_(std::move(value)) {}
Draft::Draft(std::string_view value) : content_(std::string{value}) {}
Draft::Draft(const char* value) : content_(std::string{value}) {}
Draft::Draft(const Draft& other) : content_(cloned(other.content_)) {}

Draft::Draft(Draft&& other) noexcept : content_(std::move(other.content_)) {
  other.content_ = Value{};  // a moved-from Draft is null, never a null pointer
}

Draft& Draft::operator=(Draft other) noexcept {
  std::swap(content_, other.content_);
  return *this;
}

Draft::~Draft() = default;

Draft Draft::object() {
  Draft draft;
  draft.content_ = std::make_unique<Object>();
  return draft;
}

Draft Draft::object(std::initializer_list<std::pair<std::string_view, Draft>> members) {
  auto draft = object();
  draft.members().reserve(members.size());
  for (const auto& [key, value] : members) draft[key] = value;
  return draft;
}

Draft Draft::array() {
  Draft draft;
  draft.content_ = std::make_unique<Array>();
  return draft;
}

Draft Draft::array(std::initializer_list<Draft> elements) {
  auto draft = array();
  draft.elements() = elements;
  return draft;
}

Type Draft::type() const {
  constexpr Type kTypes[] = {Type::Null,   Type::Bool,   Type::Int,  Type::Float,
                             Type::String, Type::Object, Type::Array};
  if (const auto* value = std::get_if<Value>(&content_)) return value->type();
  return kTypes[content_.index()];
}

bool Draft::as_bool(bool fallback) const {
  if (const auto* value = std::get_if<Value>(&content_)) return value->as_bool(fallback);
  const auto* held = std::get_if<bool>(&content_);
  return held == nullptr ? fallback : *held;
}

std::int64_t Draft::as_int(std::int64_t fallback) const {
  if (const auto* value = std::get_if<Value>(&content_)) return value->as_int(fallback);
  const auto* held = std::get_if<std::int64_t>(&content_);
  return held == nullptr ? fallback : *held;
}

double Draft::as_double(double fallback) const {
  if (const auto* value = std::get_if<Value>(&content_)) return value->as_double(fallback);
  if (const auto* held = std::get_if<double>(&content_)) return *held;
  const auto* whole = std::get_if<std::int64_t>(&content_);
  return whole == nullptr ? fallback : static_cast<double>(*whole);
}

std::string_view Draft::as_string(std::string_view fallback) const {
  if (const auto* value = std::get_if<Value>(&content_)) return value->as_string(fallback);
  const auto* held = std::get_if<std::string>(&content_);
  return held == nullptr ? fallback : std::string_view{*held};
}

std::size_t Draft::size() const {
  if (const auto* value = std::get_if<Value>(&content_)) return value->size();
  if (is_object()) return members().size();
  return is_array() ? elements().size() : 0;
}

void Draft::open() const {
  const auto* value = std::get_if<Value>(&content_);
  if (value == nullptr) return;
  const Value held = *value;
  if (held.is_object()) {
    auto opened = std::make_unique<Object>();
    opened->reserve(held.size() + 1);
    for (const auto [key, member] : held.members()) opened->push_back({std::string{key}, member});
    content_ = std::move(opened);
  } else if (held.is_array()) {
    auto opened = std::make_unique<Array>();
    opened->reserve(held.size() + 1);
    for (const auto element : held.elements()) opened->emplace_back(element);
    content_ = std::move(opened);
  }
}

const Draft* Draft::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  // An absent member is answered without opening anything.
  if (const auto* value = std::get_if<Value>(&content_); value && !value->contains(key)) {
    return nullptr;
  }
  const auto& all = members();
  const auto at = lower(all, key);
  return at != all.end() && at->key == key ? &at->value : nullptr;
}

Draft* Draft::find(std::string_view key) {
  return const_cast<Draft*>(std::as_const(*this).find(key));  // NOLINT: one look-up for both
}

Draft& Draft::operator[](std::string_view key) {
  if (is_null()) content_ = std::make_unique<Object>();
  auto& all = members();
  auto at = lower(all, key);
  if (at == all.end() || at->key != key) at = all.insert(at, Entry{std::string{key}, Draft{}});
  return at->value;
}

Draft& Draft::object_at(std::string_view key) {
  auto& member = (*this)[key];
  if (member.is_null()) member = object();
  FP_CHECK(member.is_object());
  return member;
}

Draft& Draft::array_at(std::string_view key) {
  auto& member = (*this)[key];
  if (member.is_null()) member = array();
  FP_CHECK(member.is_array());
  return member;
}

bool Draft::erase(std::string_view key) {
  if (find(key) == nullptr) return false;
  auto& all = members();
  all.erase(lower(all, key));
  return true;
}

void Draft::add_members(Object added) {
  if (added.empty()) return;
  auto& all = members();
  const auto known = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), std::make_move_iterator(added.begin()),
             std::make_move_iterator(added.end()));
  std::ranges::inplace_merge(all, all.begin() + known, {}, &Entry::key);
}

Draft::Object& Draft::members() {
  open();
  FP_CHECK(std::holds_alternative<std::unique_ptr<Object>>(content_));
  return *std::get<std::unique_ptr<Object>>(content_);
}

const Draft::Object& Draft::members() const {
  open();
  FP_CHECK(std::holds_alternative<std::unique_ptr<Object>>(content_));
  return *std::get<std::unique_ptr<Object>>(content_);
}

Draft::Array& Draft::elements() {
  open();
  FP_CHECK(std::holds_alternative<std::unique_ptr<Array>>(content_));
  return *std::get<std::unique_ptr<Array>>(content_);
}

const Draft::Array& Draft::elements() const {
  open();
  FP_CHECK(std::holds_alternative<std::unique_ptr<Array>>(content_));
  return *std::get<std::unique_ptr<Array>>(content_);
}

Draft& Draft::push_back(Draft element) {
  return elements().emplace_back(std::move(element));
}

bool Draft::frozen() const {
  return std::holds_alternative<Value>(content_);
}

View Draft::frozen_view() const {
  return std::get<Value>(content_).view();
}

Value Draft::freeze() const {
  if (const auto* value = std::get_if<Value>(&content_)) return *value;
  auto& builder = BlockBuilder::fresh();
  Packer{builder}.pack(*this, kNoKey, builder.reserve(1));
  return builder.finish();
}

bool operator==(const Draft& a, const Draft& b) {
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.frozen() && b.frozen()) return a.frozen_view() == b.frozen_view();
  switch (a.type()) {
    case Type::Null: return true;
    case Type::Bool: return a.as_bool() == b.as_bool();
    case Type::Int: return a.as_int() == b.as_int();
    case Type::String: return a.as_string() == b.as_string();
    case Type::Float:
      return std::bit_cast<std::uint64_t>(a.as_double()) ==
             std::bit_cast<std::uint64_t>(b.as_double());
    case Type::Array: return a.elements() == b.elements();
    case Type::Object: break;
  }
  const auto same = [](const Draft::Entry& x, const Draft::Entry& y) {
    return x.key == y.key && x.value == y.value;
  };
  return std::ranges::equal(a.members(), b.members(), same);
}

}  // namespace fixpoint::json
