// SPDX-License-Identifier: Apache-2.0
//
// The trie of a Shape, and the cut on trees that exist already.
#include "json/shape/shape.h"

#include "json/builder.h"
#include "json/shape/shape_node.h"

#include <algorithm>
#include <span>
#include <utility>

namespace fixpoint::json {

const Shape::Node Shape::Node::kWhole{};

namespace {

using ShapeNode = Shape::Node;
using NodeRef = std::shared_ptr<const ShapeNode>;
using Names = std::span<const std::string>;

NodeRef whole() {
  static const auto node = std::make_shared<const ShapeNode>();
  return node;
}

NodeRef nothing() {
  static const auto node =
      std::make_shared<const ShapeNode>(ShapeNode{.others = false, .named = {}});
  return node;
}

NodeRef named(const ShapeNode& node, std::string_view name) {
  for (const auto& [known, part] : node.named) {
    if (known == name) return part;
  }
  return node.others ? whole() : nothing();
}

// The same level with another part under `name`; not listed where that says nothing new.
NodeRef with(ShapeNode node, const std::string& name, NodeRef part) {
  std::erase_if(node.named, [&](const auto& entry) { return entry.first == name; });
  const bool as_others = node.others ? part->whole() : part->nothing();
  if (!as_others) {
    const auto place = std::ranges::lower_bound(
        node.named, name, {}, [](const auto& entry) { return std::string_view{entry.first}; });
    node.named.emplace(place, name, std::move(part));
  }
  return std::make_shared<const ShapeNode>(std::move(node));
}

NodeRef added(const NodeRef& node, Names path) {
  if (path.empty() || node->whole()) return whole();
  return with(*node, path.front(), added(named(*node, path.front()), path.subspan(1)));
}

NodeRef removed(const NodeRef& node, Names path) {
  if (path.empty() || node->nothing()) return nothing();
  return with(*node, path.front(), removed(named(*node, path.front()), path.subspan(1)));
}

// What tells objects and their versions apart, and what the runtime's rules rest on.
NodeRef with_identity(NodeRef node) {
  for (const auto* name : {"apiVersion", "kind"}) node = added(node, Shape::Path{name});
  for (const auto* name : {"name", "namespace", "uid", "resourceVersion", "generation",
                           "deletionTimestamp", "ownerReferences", "finalizers"}) {
    node = added(node, Shape::Path{"metadata", name});
  }
  return node;
}

bool same(const ShapeNode& a, const ShapeNode& b) {
  return a.others == b.others &&
         std::ranges::equal(a.named, b.named, [](const auto& x, const auto& y) {
           return x.first == y.first && same(*x.second, *y.second);
         });
}

bool loses(View value, const ShapeNode& node) {
  if (node.whole()) return false;
  if (value.is_array()) {
    const auto elements = value.elements();
    return std::any_of(elements.begin(), elements.end(),
                       [&](View element) { return loses(element, node); });
  }
  if (!value.is_object()) return false;
  for (const auto [name, member] : value.members()) {
    const auto* part = node.of(name);
    if (part == nullptr || loses(member, *part)) return true;
  }
  return false;
}

class Cutter {
 public:
  Value cut(View value, const ShapeNode& node) {
    copy(value, node, kNoKey, out_.reserve(1));
    return out_.finish();
  }

 private:
  void copy(View value, const ShapeNode& node, std::uint32_t key, std::uint32_t to) {
    if (node.whole() || (!value.is_object() && !value.is_array())) {
      out_.copy(value, key, to);
    } else if (value.is_object()) {
      object(value, node, key, to);
    } else {
      const auto count = static_cast<std::uint32_t>(value.size());
      auto next = out_.reserve(count);
      out_.at(to) = BlockBuilder::container(Type::Array, key, count, next);
      for (const View element : value.elements()) copy(element, node, kNoKey, next++);
    }
  }

  void object(View value, const ShapeNode& node, std::uint32_t key, std::uint32_t to) {
    std::uint32_t count = 0;
    for (const auto [name, member] : value.members()) count += node.of(name) == nullptr ? 0 : 1;
    auto next = out_.reserve(count);
    out_.at(to) = BlockBuilder::container(Type::Object, key, count, next);
    for (const auto [name, member] : value.members()) {
      if (const auto* part = node.of(name)) copy(member, *part, out_.key(name), next++);
    }
  }

  BlockBuilder& out_ = BlockBuilder::fresh();
};

}  // namespace

Shape Shape::all() {
  return Shape{whole()};
}

Shape Shape::only(std::vector<Path> paths) {
  auto root = nothing();
  for (const auto& path : paths) root = added(root, path);
  return Shape{with_identity(std::move(root))};
}

Shape Shape::without(Path path) const {
  return Shape{with_identity(removed(root_, path))};
}

Value Shape::cut(View object) const {
  if (!loses(object, *root_)) return Value{object};
  return Cutter{}.cut(object, *root_);
}

bool Shape::keeps_all() const {
  return root_->whole();
}

bool Shape::operator==(const Shape& other) const {
  return same(*root_, *other.root_);
}

}  // namespace fixpoint::json
