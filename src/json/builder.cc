// SPDX-License-Identifier: Apache-2.0
//
// How blocks are made, and unmade.
#include "json/builder.h"

#include "base/error.h"
#include "json/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace fixpoint::json {
namespace {

// Buffers larger than this are given back after the tree that needed them.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;
// A block's sizes are 32 bits wide.
constexpr std::size_t kBlockBytesMax = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::string_view Block::local_key(std::uint32_t index) const {
  struct Entry {
    std::uint32_t offset;
    std::uint32_t size;
  };
  Entry entry{};
  const char* end = reinterpret_cast<const char*>(this) + total_bytes_;
  std::memcpy(&entry, end - (local_keys_ - index) * sizeof(Entry), sizeof(Entry));
  return {bytes() + entry.offset, entry.size};
}

void destroy(const Block* block) {
  block->~Block();
  std::free(const_cast<Block*>(block));  // NOLINT: made by malloc in finish()
}

BlockBuilder& BlockBuilder::fresh() {
  thread_local BlockBuilder builder;
  builder.node_count_ = 0;
  builder.text_bytes_ = 0;
  builder.local_keys_.clear();
  if (builder.nodes_.size() * sizeof(Node) > kKeptBytes) builder.nodes_ = {};
  if (builder.text_.size() > kKeptBytes) builder.text_ = {};
  return builder;
}

void BlockBuilder::grow(std::uint32_t count) {
  const auto wanted = node_count_ + std::size_t{count};
  FP_CHECK(wanted < kNoKey * std::size_t{16});
  nodes_.resize(std::max<std::size_t>(wanted, std::max<std::size_t>(256, nodes_.size() * 2)));
}

std::uint32_t BlockBuilder::append(std::string_view text) {
  const auto wanted = text_bytes_ + text.size();
  FP_CHECK(wanted < kBlockBytesMax);
  if (wanted > text_.size()) {
    text_.resize(std::max<std::size_t>(wanted, std::max<std::size_t>(4096, text_.size() * 2)));
  }
  std::memcpy(text_.data() + text_bytes_, text.data(), text.size());
  const auto offset = text_bytes_;
  text_bytes_ = static_cast<std::uint32_t>(wanted);
  return offset;
}

std::uint32_t BlockBuilder::local_key(std::string_view text) {
  FP_CHECK(local_keys_.size() + 1 < kLocalKey);
  local_keys_.push_back({append(text), static_cast<std::uint32_t>(text.size())});
  return kLocalKey | static_cast<std::uint32_t>(local_keys_.size() - 1);
}

std::uint32_t BlockBuilder::key(std::string_view text) {
  if (const auto id = intern(text)) return *id;
  return local_key(text);
}

std::string_view BlockBuilder::key_text(std::uint32_t key) const {
  if ((key & kLocalKey) == 0) return interned_keys[key].view();
  const auto& entry = local_keys_[key & ~kLocalKey];
  return {text_.data() + entry.offset, entry.size};
}

Node BlockBuilder::number(std::uint32_t key, double value) {
  FP_CHECK(std::isfinite(value));
  auto node = scalar(Type::Float, key, 0);
  node.number = value;
  return node;
}

Node BlockBuilder::string_node(std::uint32_t key, std::string_view text, bool clean) {
  auto node = scalar(Type::String, key, 0);
  if (clean) node.type_and_key |= Node::kClean;
  node.size = static_cast<std::uint32_t>(text.size());
  if (text.size() <= sizeof node.inline_text) {
    std::ranges::copy(text, node.inline_text);  // an empty view may point nowhere
  } else {
    node.offset = append(text);
  }
  return node;
}

Node BlockBuilder::valid_string(std::uint32_t key, std::string_view text) {
  return string_node(key, text, traits_of(text).clean);
}

Node BlockBuilder::string(std::uint32_t key, std::string_view text) {
  const auto traits = traits_of(text);
  if (!traits.ascii && !valid_utf8(text)) return valid_string(key, repaired_utf8(text));
  return string_node(key, text, traits.clean);
}

bool BlockBuilder::sort_members(std::uint32_t first, std::uint32_t count) {
  Node* begin = nodes_.data() + first;
  Node* end = begin + count;
  const auto less = [&](const Node& a, const Node& b) {
    return key_text(a.key()) < key_text(b.key());
  };
  const auto equal = [&](const Node& a, const Node& b) {
    return key_text(a.key()) == key_text(b.key());
  };
  if (!std::is_sorted(begin, end, less)) std::sort(begin, end, less);
  return std::adjacent_find(begin, end, equal) == end;
}

std::uint32_t BlockBuilder::copied_key(const Block& from, std::uint32_t key) {
  if ((key & kLocalKey) == 0) return key;
  return this->key(from.key_text(key));
}

void BlockBuilder::copy_into(const Block& from, const Node& node, std::uint32_t key,
                             std::uint32_t to) {
  auto copied = node;
  copied.type_and_key = (node.type_and_key & 0xFFU) | key << 8U;
  if (node.is_long_text()) {
    copied.offset = append(from.text(node));
  } else if (node.type() == Type::Array || node.type() == Type::Object) {
    const auto first = reserve(node.size);
    copied.offset = first;
    const auto source = node.first_child();
    const bool members = node.type() == Type::Object;
    for (std::uint32_t i = 0; i < node.size; ++i) {
      const auto& child = from.node(source + i);
      copy_into(from, child, members ? copied_key(from, child.key()) : kNoKey, first + i);
    }
  }
  nodes_[to] = copied;
}

void BlockBuilder::copy(View view, std::uint32_t key, std::uint32_t to) {
  if (view.block() == nullptr) {
    nodes_[to] = null(key);
  } else {
    copy_into(*view.block(), view.block()->node(view.node()), key, to);
  }
}

Value BlockBuilder::finish() {
  FP_CHECK(node_count_ > 0);
  const auto table_bytes = local_keys_.size() * sizeof(LocalKey);
  const auto total =
      (sizeof(Block) + node_count_ * sizeof(Node) + text_bytes_ + table_bytes + 7) / 8 * 8;
  FP_CHECK(total < kBlockBytesMax);
  void* memory = std::malloc(total);
  if (memory == nullptr) throw std::bad_alloc{};
  auto* block = new (memory) Block;
  block->node_count_ = node_count_;
  block->text_bytes_ = text_bytes_;
  block->local_keys_ = static_cast<std::uint32_t>(local_keys_.size());
  block->total_bytes_ = static_cast<std::uint32_t>(total);
  auto* nodes = reinterpret_cast<char*>(block + 1);
  std::memcpy(nodes, nodes_.data(), node_count_ * sizeof(Node));
  if (text_bytes_ > 0) std::memcpy(nodes + node_count_ * sizeof(Node), text_.data(), text_bytes_);
  if (table_bytes > 0) {
    std::memcpy(static_cast<char*>(memory) + total - table_bytes, local_keys_.data(), table_bytes);
  }
  return Value{Ref<const Block>{block}};
}

}  // namespace fixpoint::json
