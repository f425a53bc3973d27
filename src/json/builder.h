// SPDX-License-Identifier: Apache-2.0
//
// BlockBuilder: lays out one block. The parser, the slow reader and Draft::freeze share it.
//
// Children are reserved side by side and then filled, so a tree is written in one walk; finish()
// copies the three areas into one allocation of the exact size. The buffers belong to the thread
// and are used again, so building allocates once: the block.
#pragma once

#include "json/block.h"
#include "json/value.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fixpoint::json {

class BlockBuilder {
 public:
  // The thread's builder, emptied. One tree at a time.
  static BlockBuilder& fresh();

  std::uint32_t key(std::string_view text);
  std::string_view key_text(std::uint32_t key) const;

  // `count` nodes side by side; the index of the first.
  std::uint32_t reserve(std::uint32_t count) {
    if (node_count_ + std::size_t{count} > nodes_.size()) grow(count);
    const auto first = node_count_;
    node_count_ += count;
    return first;
  }
  Node& at(std::uint32_t index) { return nodes_[index]; }
  std::uint32_t node_count() const { return node_count_; }

  static Node null(std::uint32_t key) { return scalar(Type::Null, key, 0); }
  static Node boolean(std::uint32_t key, bool value) { return scalar(Type::Bool, key, value); }
  static Node integer(std::uint32_t key, std::int64_t v) { return scalar(Type::Int, key, v); }
  static Node number(std::uint32_t key, double value);
  // `type` is Array or Object; the children begin at `first`.
  static Node container(Type type, std::uint32_t key, std::uint32_t count, std::uint32_t first) {
    auto node = scalar(type, key, first);
    node.size = count;
    return node;
  }
  // Invalid UTF-8 is repaired.
  Node string(std::uint32_t key, std::string_view text);
  // The text is known to be valid.
  Node valid_string(std::uint32_t key, std::string_view text);

  // Orders members by key; false if two are equal, and then the order is only almost done.
  bool sort_members(std::uint32_t first, std::uint32_t count);

  // A subtree of a finished block, as node `to` with this key.
  void copy(View view, std::uint32_t key, std::uint32_t to);

  // Node 0 is the root.
  Value finish();

 private:
  struct LocalKey {
    std::uint32_t offset;
    std::uint32_t size;
  };
  static Node scalar(Type type, std::uint32_t key, std::int64_t value) {
    Node node{};
    node.type_and_key = static_cast<std::uint32_t>(type) | key << 8U;
    node.integer = value;
    return node;
  }
  Node string_node(std::uint32_t key, std::string_view text, bool clean);
  std::uint32_t append(std::string_view text);
  std::uint32_t local_key(std::string_view text);
  std::uint32_t copied_key(const Block& from, std::uint32_t key);
  void grow(std::uint32_t count);
  void copy_into(const Block& from, const Node& node, std::uint32_t key, std::uint32_t to);

  std::vector<Node> nodes_;  // never shrunk below node_count_: slots past it are spare
  std::uint32_t node_count_ = 0;
  std::vector<char> text_;
  std::uint32_t text_bytes_ = 0;
  std::vector<LocalKey> local_keys_;
};

}  // namespace fixpoint::json
