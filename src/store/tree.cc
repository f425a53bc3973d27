// SPDX-License-Identifier: Apache-2.0
#include "store/tree.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace fixpoint::store {

namespace {

template <class Item>
class Node final : public Tree {
 public:
  explicit Node(std::uint8_t levels) : Tree(levels) {}
  Node(const Node&) = default;

  std::array<Ref<Item>, kFanout> slots;
};
using Leaf = Node<const Record>;

// Knows the least record below each of its children: a look-up would otherwise go down to a leaf
// for every key that it compares with.
template <>
class Node<Tree> final : public Tree {
 public:
  explicit Node(std::uint8_t levels) : Tree(levels) {}
  Node(const Node&) = default;

  std::array<Ref<Tree>, kFanout> slots;
  // Held by the child, and the child by the slot beside it.
  std::array<const Record*, kFanout> least{};
};
using Inner = Node<Tree>;

const Leaf& as_leaf(const Tree& node) {
  return static_cast<const Leaf&>(node);
}
const Inner& as_inner(const Tree& node) {
  return static_cast<const Inner&>(node);
}
Leaf& as_leaf(Tree& node) {
  return static_cast<Leaf&>(node);
}
Inner& as_inner(Tree& node) {
  return static_cast<Inner&>(node);
}

const Record* least_in(const Tree& node) {
  if (node.count == 0) return nullptr;
  return node.leaf() ? as_leaf(node).slots[0].get() : as_inner(node).least[0];
}

// After a child changed.
void note_least(Inner& node, std::size_t at) {
  node.least[at] = least_in(*node.slots[at]);
}

// The first slot of a leaf that is not below the bound.
std::size_t first_from(const Leaf& node, Bound bound) {
  const auto* begin = node.slots.data();
  const auto* at = std::partition_point(
      begin, begin + node.count, [&](const RecordRef& record) { return bound.above(record->key); });
  return static_cast<std::size_t>(at - begin);
}

// The child in which a key at the bound lies or would lie.
std::size_t child_at(const Inner& node, Bound bound) {
  const auto* second = node.least.data() + 1;
  const auto* at = std::partition_point(second, second + node.count - 1, [&](const Record* least) {
    return bound.above(least->key);
  });
  return static_cast<std::size_t>(at - second);
}

// Makes the tree behind `slot` one that only `slot` holds, and returns it to be changed.
Tree& own(Ref<Tree>& slot) {
  if (!slot->unique()) {
    slot =
        slot->leaf() ? Ref<Tree>{new Leaf(as_leaf(*slot))} : Ref<Tree>{new Inner(as_inner(*slot))};
  }
  slot->hash.reset();
  return *slot;
}

std::uint32_t size_of(const RecordRef&) {
  return 1;
}
std::uint32_t size_of(const Ref<Tree>& child) {
  return child->total;
}

template <class Item>
void open_slot(Node<Item>& node, std::size_t at, Ref<Item> item) {
  node.total += size_of(item);
  auto* slots = node.slots.data();
  std::move_backward(slots + at, slots + node.count, slots + node.count + 1);
  slots[at] = std::move(item);
  if constexpr (std::is_same_v<Item, Tree>) {
    auto* least = node.least.data();
    std::copy_backward(least + at, least + node.count, least + node.count + 1);
    note_least(node, at);
  }
  ++node.count;
}

template <class Item>
void close_slot(Node<Item>& node, std::size_t at) {
  auto* slots = node.slots.data();
  std::move(slots + at + 1, slots + node.count, slots + at);
  if constexpr (std::is_same_v<Item, Tree>) {
    auto* least = node.least.data();
    std::copy(least + at + 1, least + node.count, least + at);
  }
  slots[--node.count] = {};
}

// Adds an item at a slot. A full node gives its upper part to a new right neighbour, which is
// returned. An addition at the end leaves the left node full: names that rise, as most do, then
// fill the tree completely.
template <class Item>
Ref<Tree> add(Node<Item>& node, std::size_t at, Ref<Item> item) {
  if (node.count < Tree::kFanout) {
    open_slot(node, at, std::move(item));
    return {};
  }
  const std::size_t keep = at == Tree::kFanout ? Tree::kFanout : Tree::kFanout / 2;
  auto right = make_ref<Node<Item>>(node.height);
  for (std::size_t i = keep; i < Tree::kFanout; ++i) {
    node.total -= size_of(node.slots[i]);
    open_slot(*right, i - keep, std::move(node.slots[i]));
  }
  node.count = static_cast<std::uint8_t>(keep);
  if (at > keep || keep == Tree::kFanout) {
    open_slot(*right, at - keep, std::move(item));
  } else {
    open_slot(node, at, std::move(item));
  }
  return Ref<Tree>{right.get()};
}

// What putting one record did.
struct Put {
  Ref<Record> fresh;  // to be put; its `created` may still be set
  RecordRef record;   // the same
  RecordRef before;   // what it replaced
};

Ref<Tree> put_into_leaf(Leaf& node, Put& put) {
  const auto at = first_from(node, {put.record->key, Bound::Side::At});
  if (at < node.count && node.slots[at]->key == put.record->key) {
    put.before = std::move(node.slots[at]);
    if (put.fresh) put.fresh->created = put.before->created;
    node.slots[at] = std::move(put.record);
    return {};
  }
  return add(node, at, std::move(put.record));
}

Ref<Tree> put_into(Tree& node, Put& put) {
  if (node.leaf()) return put_into_leaf(as_leaf(node), put);
  Inner& self = as_inner(node);
  const auto at = child_at(self, {put.record->key, Bound::Side::After});
  Tree& child = own(self.slots[at]);
  const auto child_size = child.total;
  Ref<Tree> right = put_into(child, put);
  note_least(self, at);
  self.total += child.total;  // what a split took away comes back with `right`
  self.total -= child_size;
  return right ? add(self, at + 1, std::move(right)) : Ref<Tree>{};
}

template <class Item>
void append_all(Node<Item>& to, const Node<Item>& from) {
  for (std::size_t i = 0; i < from.count; ++i) open_slot(to, to.count, from.slots[i]);
}

// Drops an empty child and joins a nearly empty one with a neighbour that has room, so that a
// store that shrank does not keep the nodes of its best days.
void tidy(Inner& node, std::size_t at) {
  const auto count = node.slots[at]->count;
  if (count == 0) return close_slot(node, at);
  if (count > Tree::kFanout / 4 || node.count == 1) return;
  const std::size_t left = at > 0 ? at - 1 : at;
  if (node.slots[left]->count + node.slots[left + 1]->count > int{Tree::kFanout}) return;
  Tree& target = own(node.slots[left]);
  if (target.leaf()) {
    append_all(as_leaf(target), as_leaf(*node.slots[left + 1]));
  } else {
    append_all(as_inner(target), as_inner(*node.slots[left + 1]));
  }
  close_slot(node, left + 1);
  note_least(node, left);
}

RecordRef erase_from(Tree& node, std::string_view key) {
  --node.total;
  if (node.leaf()) {
    Leaf& self = as_leaf(node);
    const auto at = first_from(self, {key, Bound::Side::At});
    RecordRef before = std::move(self.slots[at]);
    close_slot(self, at);
    return before;
  }
  Inner& self = as_inner(node);
  const auto at = child_at(self, {key, Bound::Side::After});
  RecordRef before = erase_from(own(self.slots[at]), key);
  note_least(self, at);
  tidy(self, at);
  return before;
}

RecordRef put(Ref<Tree>& root, Put put) {
  if (!root) root = make_ref<Leaf>(std::uint8_t{0});
  if (Ref<Tree> right = put_into(own(root), put)) {
    auto above = make_ref<Inner>(static_cast<std::uint8_t>(root->height + 1));
    open_slot(*above, 0, std::move(root));
    open_slot(*above, 1, std::move(right));
    root = Ref<Tree>{above.get()};
  }
  return std::move(put.before);
}

RecordRef erase(Ref<Tree>& root, std::string_view key) {
  RecordRef before = erase_from(own(root), key);
  while (!root->leaf() && root->count == 1) {
    Ref<Tree> only = as_inner(*root).slots[0];
    root = std::move(only);
  }
  if (root->count == 0) root = {};
  return before;
}

// One level of nodes over the items, each node as full as it goes.
template <class Item>
std::vector<Ref<Tree>> build_level(std::span<const Ref<Item>> items, std::uint8_t height) {
  std::vector<Ref<Tree>> level;
  level.reserve(items.size() / Tree::kFanout + 1);
  for (std::size_t i = 0; i < items.size(); i += Tree::kFanout) {
    auto node = make_ref<Node<Item>>(height);
    for (const auto& item : items.subspan(i, std::min(Tree::kFanout, items.size() - i))) {
      open_slot(*node, node->count, item);
    }
    level.emplace_back(node.get());
  }
  return level;
}

// A tree known by its const reference, made changeable: own() copies whatever others hold too.
Ref<Tree> take(Ref<const Tree>& root) {
  Ref<Tree> mine{const_cast<Tree*>(root.get())};
  root = {};
  return mine;
}

}  // namespace

void destroy(const Tree* tree) {
  // As deep as the tree is high, so the recursion through the slots is shallow.
  if (tree->leaf()) {
    delete &as_leaf(*tree);
  } else {
    delete &as_inner(*tree);
  }
}

const RecordRef* Tree::find(std::string_view key) const {
  const Tree* at = this;
  while (!at->leaf()) {
    const Inner& node = as_inner(*at);
    at = node.slots[child_at(node, {key, Bound::Side::After})].get();
  }
  const Leaf& node = as_leaf(*at);
  const auto slot = first_from(node, {key, Bound::Side::At});
  return slot < node.count && node.slots[slot]->key == key ? &node.slots[slot] : nullptr;
}

std::size_t Tree::rank(Bound bound) const {
  std::size_t below = 0;
  const Tree* at = this;
  while (!at->leaf()) {
    const Inner& node = as_inner(*at);
    const auto child = child_at(node, bound);
    for (std::size_t i = 0; i < child; ++i) below += node.slots[i]->total;
    at = node.slots[child].get();
  }
  return below + first_from(as_leaf(*at), bound);
}

bool Tree::scan(Bound bound, const std::function<bool(const RecordRef&)>& visit) const {
  if (leaf()) {
    const Leaf& self = as_leaf(*this);
    for (std::size_t i = first_from(self, bound); i < count; ++i) {
      if (!visit(self.slots[i])) return false;
    }
    return true;
  }
  const Inner& self = as_inner(*this);
  const auto first = child_at(self, bound);
  for (std::size_t i = first; i < count; ++i) {
    if (!self.slots[i]->scan(i == first ? bound : Bound{}, visit)) return false;
  }
  return true;
}

Hash128 Tree::fingerprint() const {
  return hash.get([this] {
    Hash128 sum;
    for (std::size_t i = 0; i < count; ++i) {
      sum +=
          leaf() ? as_leaf(*this).slots[i]->fingerprint() : as_inner(*this).slots[i]->fingerprint();
    }
    return sum;
  });
}

RecordRef tree_put(Ref<const Tree>& root, Ref<Record> record) {
  Ref<Tree> mine = take(root);
  RecordRef shown = record;
  RecordRef before =
      put(mine, {.fresh = std::move(record), .record = std::move(shown), .before = {}});
  root = mine;
  return before;
}

void tree_restore(Ref<const Tree>& root, const RecordRef& record) {
  Ref<Tree> mine = take(root);
  put(mine, {.fresh = {}, .record = record, .before = {}});
  root = mine;
}

RecordRef tree_erase(Ref<const Tree>& root, std::string_view key) {
  if (!root || root->find(key) == nullptr) return {};
  Ref<Tree> mine = take(root);
  RecordRef before = erase(mine, key);
  root = mine;
  return before;
}

Ref<const Tree> tree_build(std::span<const RecordRef> sorted) {
  if (sorted.empty()) return {};
  std::uint8_t height = 0;
  auto level = build_level<const Record>(sorted, height);
  while (level.size() > 1) level = build_level<Tree>(level, ++height);
  return level.front();
}

}  // namespace fixpoint::store
