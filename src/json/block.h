// SPDX-License-Identifier: Apache-2.0
//
// Block: the memory behind a Value. One allocation: this header, then the nodes (16 bytes each, the
// children of a node side by side), then the string bytes, then the keys too rare to be interned.
//
// Nothing here is for users of json: value.h is the door, builder.h makes blocks.
#pragma once

#include "base/ref.h"
#include "json/intern.h"

#include <cstdint>
#include <string_view>

namespace fixpoint::json {

enum class Type : std::uint8_t { Null, Bool, Int, Float, String, Array, Object };

// Keys are 24-bit ids into the process-wide table of intern.h, or, with the top bit set, indexes
// into the block's own key table: the global table is bounded, so hostile keys cannot grow it.
inline constexpr std::uint32_t kLocalKey = 1U << 23U;
inline constexpr std::uint32_t kNoKey = (1U << 24U) - 1;

struct Node {
  std::uint32_t type_and_key;  // low 8 bits Type and kClean, high 24 bits key
  std::uint32_t size;          // string bytes, or number of children
  // All eight bytes are always set (bools as 0 or 1, short text padded with zeros), so scalars
  // compare by `integer`.
  union {
    std::int64_t integer;
    double number;
    char inline_text[8];   // strings of up to 8 bytes live in the node
    std::uint64_t offset;  // longer strings: offset of the bytes; arrays and objects: first child
  };

  // A string that prints between quotes as it is.
  static constexpr std::uint32_t kClean = 0x80;

  Type type() const { return static_cast<Type>(type_and_key & 0x7FU); }
  bool clean() const { return (type_and_key & kClean) != 0; }
  std::uint32_t key() const { return type_and_key >> 8U; }
  std::uint32_t first_child() const { return static_cast<std::uint32_t>(offset); }
  bool is_long_text() const { return type() == Type::String && size > sizeof inline_text; }
};
static_assert(sizeof(Node) == 16);

class alignas(8) Block final : public RefCounted {
 public:
  const Node& node(std::uint32_t index) const { return nodes()[index]; }
  std::string_view text(const Node& node) const {
    return node.size <= sizeof node.inline_text
               ? std::string_view{node.inline_text, node.size}
               : std::string_view{bytes() + node.offset, node.size};
  }
  // The key of an object's member; nonsense for a root or an element.
  std::string_view key_text(std::uint32_t key) const {
    return (key & kLocalKey) != 0 ? local_key(key & ~kLocalKey) : interned_keys[key].view();
  }
  std::string_view key_text(const Node& node) const { return key_text(node.key()); }
  std::uint32_t node_count() const { return node_count_; }
  std::uint32_t local_keys() const { return local_keys_; }
  std::uint32_t total_bytes() const { return total_bytes_; }

 private:
  friend class BlockBuilder;
  friend void destroy(const Block* block);
  Block() = default;
  ~Block() = default;
  const Node* nodes() const { return reinterpret_cast<const Node*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(nodes() + node_count_); }
  std::string_view local_key(std::uint32_t index) const;

  std::uint32_t node_count_ = 0;
  std::uint32_t text_bytes_ = 0;
  std::uint32_t local_keys_ = 0;
  std::uint32_t total_bytes_ = 0;
};

void destroy(const Block* block);

}  // namespace fixpoint::json
