// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/stored_size.h"

#include "json/print.h"

namespace fixpoint::apiserver {
namespace {

// No text of so small a tree is too large: every byte takes at most six in JSON.
constexpr std::size_t kSmallBytes = kStoredBytesMax / 6;

// Built-in kinds are kept in protobuf, where next to nothing but the texts takes room.
std::size_t text_bytes(json::View value) {
  if (value.is_string()) return value.as_string().size();
  std::size_t bytes = 0;
  if (value.is_array()) {
    for (const json::View element : value.elements()) bytes += text_bytes(element);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.members()) bytes += text_bytes(member);
  }
  return bytes;
}

}  // namespace

kube::Answer<void> check_stored_size(const Resource& resource, const json::Value& stored,
                                     Weakness weakness) {
  if (stored.block_bytes() <= kSmallBytes || weakness == Weakness::StoresAnySize) return {};
  const auto bytes =
      resource.builtin != nullptr ? text_bytes(stored) : json::to_text(stored).size();
  if (bytes < kStoredBytesMax) return {};
  return std::unexpected(kube::unreasoned(500, "etcdserver: request is too large"));
}

}  // namespace fixpoint::apiserver
