// SPDX-License-Identifier: Apache-2.0
//
// Reading, comparing and hashing packed trees.
#include "json/value.h"

#include "base/error.h"
#include "json/builder.h"
#include "json/sink.h"

#include <algorithm>
#include <bit>
#include <string>

namespace fixpoint::json {
namespace {

// Up to here a walk over the ids beats a binary search over the texts.
constexpr std::uint32_t kScanMax = 32;

const Node* find_by_text(const Block& block, const Node* first, const Node* last,
                         std::string_view key) {
  const auto* at = std::lower_bound(
      first, last, key, [&](const Node& n, std::string_view k) { return block.key_text(n) < k; });
  return at != last && block.key_text(*at) == key ? at : nullptr;
}

const Node* find_member(const Block& block, const Node& object, std::string_view key) {
  const Node* first = &block.node(object.first_child());
  const Node* last = first + object.size;
  if (object.size > kScanMax || block.local_keys() > 0) {
    return find_by_text(block, first, last, key);
  }
  const auto id = find_interned(key);
  if (!id) return nullptr;
  const auto* at = std::find_if(first, last, [&](const Node& n) { return n.key() == *id; });
  return at == last ? nullptr : at;
}

bool same_key(const Block& a, std::uint32_t left, const Block& b, std::uint32_t right) {
  // Ids decide only if both are of the process-wide table: a key may be local to one block because
  // the table had no room, or did not take it, when that block was made.
  if (((left | right) & kLocalKey) == 0) return left == right;
  return a.key_text(left) == b.key_text(right);
}

bool equal(const Block& a, const Node& left, const Block& b, const Node& right);

bool equal_children(const Block& a, const Node& left, const Block& b, const Node& right) {
  const bool members = left.type() == Type::Object;
  for (std::uint32_t i = 0; i < left.size; ++i) {
    const auto& x = a.node(left.first_child() + i);
    const auto& y = b.node(right.first_child() + i);
    if (members && !same_key(a, x.key(), b, y.key())) return false;
    if (!equal(a, x, b, y)) return false;
  }
  return true;
}

bool equal(const Block& a, const Node& left, const Block& b, const Node& right) {
  if (&left == &right) return true;
  if (left.type() != right.type() || left.size != right.size) return false;
  if (left.type() >= Type::Array) return equal_children(a, left, b, right);
  if (left.is_long_text()) return a.text(left) == b.text(right);
  return left.integer == right.integer;  // floats too: 0 and -0 print differently
}

// The canonical bytes: type, then a fixed-width value or a length and what it counts. A prefix
// code, so two different trees never give the same bytes.
class Canonical {
 public:
  Canonical(const Block& block, Sink& out) : block_(block), out_(out) {}

  void put(const Node& node) {
    static_assert(std::endian::native == std::endian::little, "the bytes are little-endian");
    out_.need(1 + sizeof node.integer);
    out_.put(static_cast<char>(node.type()));
    switch (node.type()) {
      case Type::Null: return;
      case Type::Bool: out_.put(node.integer != 0 ? '\1' : '\0'); return;
      case Type::Int:
      case Type::Float: out_.put_raw(node.integer); return;
      case Type::String: put_sized(block_.text(node)); return;
      case Type::Array:
      case Type::Object: put_children(node);
    }
  }

 private:
  void put_sized(std::string_view text) {
    out_.need(text.size() + sizeof(std::uint32_t));
    out_.put_raw(static_cast<std::uint32_t>(text.size()));
    out_.put(text);
  }

  void put_key(std::uint32_t key) {
    if ((key & kLocalKey) != 0) return put_sized(block_.key_text(key));
    const auto& known = interned_keys[key];
    out_.need(kInternedKeyBytesMax + Sink::kPadding);
    out_.put_raw(known.size);
    out_.put_padded(known.text, known.size);
  }

  void put_children(const Node& node) {
    out_.put_raw(node.size);
    for (std::uint32_t i = 0; i < node.size; ++i) {
      const auto& child = block_.node(node.first_child() + i);
      if (node.type() == Type::Object) put_key(child.key());
      put(child);
    }
  }

  const Block& block_;
  Sink& out_;
};

Value single(Node node) {
  auto& builder = BlockBuilder::fresh();
  builder.at(builder.reserve(1)) = node;
  return builder.finish();
}

}  // namespace

std::string_view to_string(Type type) {
  switch (type) {
    case Type::Null: return "null";
    case Type::Bool: return "boolean";
    case Type::Int: return "integer";
    case Type::Float: return "number";
    case Type::String: return "string";
    case Type::Array: return "array";
    case Type::Object: return "object";
  }
  return "unknown";
}

bool View::as_bool(bool fallback) const {
  return is_bool() ? block_->node(node_).integer != 0 : fallback;
}

std::int64_t View::as_int(std::int64_t fallback) const {
  return is_int() ? block_->node(node_).integer : fallback;
}

double View::as_double(double fallback) const {
  if (is_int()) return static_cast<double>(block_->node(node_).integer);
  return type() == Type::Float ? block_->node(node_).number : fallback;
}

std::string_view View::as_string(std::string_view fallback) const {
  return is_string() ? block_->text(block_->node(node_)) : fallback;
}

std::size_t View::size() const {
  return type() >= Type::Array ? block_->node(node_).size : 0;
}

std::optional<View> View::find(std::string_view key) const {
  if (!is_object() || empty()) return std::nullopt;
  const auto* member = find_member(*block_, block_->node(node_), key);
  if (member == nullptr) return std::nullopt;
  return View{block_, static_cast<std::uint32_t>(member - &block_->node(0))};
}

View View::get(std::string_view key) const {
  return find(key).value_or(View{});
}

View View::operator[](std::size_t index) const {
  if (!is_array() || index >= size()) return {};
  return {block_, block_->node(node_).first_child() + static_cast<std::uint32_t>(index)};
}

View::Range<View::MemberIterator> View::members() const {
  if (!is_object()) return {};
  const auto first = block_->node(node_).first_child();
  const auto last = first + block_->node(node_).size;
  return {MemberIterator{{block_, first}}, MemberIterator{{block_, last}}};
}

View::Range<View::ElementIterator> View::elements() const {
  if (!is_array()) return {};
  const auto first = block_->node(node_).first_child();
  const auto last = first + block_->node(node_).size;
  return {ElementIterator{{block_, first}}, ElementIterator{{block_, last}}};
}

Member View::MemberIterator::operator*() const {
  return {at_.block()->key_text(at_.block()->node(at_.node())), at_};
}

bool operator==(View a, View b) {
  if (a.same_as(b)) return true;
  if (a.block_ == nullptr || b.block_ == nullptr) return a.is_null() && b.is_null();
  return equal(*a.block_, a.block_->node(a.node_), *b.block_, b.block_->node(b.node_));
}

Hash128 View::hash() const {
  thread_local std::string bytes;
  constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;  // a huge tree's bytes are not kept
  bytes.clear();
  if (block_ == nullptr) {
    bytes.push_back(static_cast<char>(Type::Null));
  } else {
    Sink sink{bytes, node_ == 0 ? block_->total_bytes() : 0};
    Canonical{*block_, sink}.put(block_->node(node_));
  }
  const auto hash = hash128(bytes);
  if (bytes.capacity() > kKeptBytes) bytes = {};
  return hash;
}

Value::Value(View view) : block_(view.block()), node_(view.node()) {}

Value Value::boolean(bool value) {
  static const Value yes = single(BlockBuilder::boolean(kNoKey, true));
  static const Value no = single(BlockBuilder::boolean(kNoKey, false));
  return value ? yes : no;
}

Value Value::integer(std::int64_t value) {
  return single(BlockBuilder::integer(kNoKey, value));
}

Value Value::number(double value) {
  return single(BlockBuilder::number(kNoKey, value));
}

Value Value::string(std::string_view value) {
  auto& builder = BlockBuilder::fresh();
  const auto root = builder.reserve(1);
  const auto node = builder.string(kNoKey, value);
  builder.at(root) = node;
  return builder.finish();
}

Value Value::empty_object() {
  static const Value empty = single(BlockBuilder::container(Type::Object, kNoKey, 0, 0));
  return empty;
}

Value Value::empty_array() {
  static const Value empty = single(BlockBuilder::container(Type::Array, kNoKey, 0, 0));
  return empty;
}

std::size_t Value::block_bytes() const {
  return block_ ? block_->total_bytes() : 0;
}

Value Value::compact() const {
  if (!block_ || (node_ == 0 && block_->node(0).key() == kNoKey)) return *this;
  auto& builder = BlockBuilder::fresh();
  builder.copy(view(), kNoKey, builder.reserve(1));
  return builder.finish();
}

}  // namespace fixpoint::json
