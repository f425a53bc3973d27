// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/stored_size.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/schema/schema.h"

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

// No text of so small a tree is too large: every byte takes at most six in JSON.
constexpr std::size_t kSmallBytes = kStoredBytesMax / 6;

// Built-in kinds are kept in protobuf. What follows counts its bytes: not to the last one, but with
// everything of which there may be many.
std::size_t varint_bytes(std::uint64_t number) {
  std::size_t bytes = 1;
  for (; number >= 0x80; number >>= 7U) ++bytes;
  return bytes;
}

std::size_t delimited(std::size_t bytes) {
  return varint_bytes(bytes) + bytes;
}

// Numbers from 16 on need a second byte.
std::size_t tag_bytes(const kube::Property& property) {
  return property.field_numbers[0] < 16 ? 1 : 2;
}

std::size_t message_bytes(const kube::Schema& schema, json::View object);

// Of one value, with the length that precedes it where one does.
std::size_t value_bytes(const kube::Schema* schema, json::View value) {
  if (schema == nullptr) return delimited(json::to_text(value).size());
  switch (schema->go_kind) {
    case kube::GoKind::Struct: return delimited(message_bytes(*schema, value));
    case kube::GoKind::FieldsV1:
    case kube::GoKind::RawExtension:
    case kube::GoKind::Json: return delimited(1 + delimited(json::to_text(value).size()));
    case kube::GoKind::Bytes: return delimited(value.as_string().size() / 4 * 3);
    case kube::GoKind::Quantity: return delimited(1 + delimited(value.as_string().size()));
    case kube::GoKind::Bool: return 1;
    case kube::GoKind::Float64: return 8;
    case kube::GoKind::Int32:
    case kube::GoKind::Int64:
      if (value.is_int()) return varint_bytes(static_cast<std::uint64_t>(value.as_int()));
      return 1;
    default: return delimited(value.is_string() ? value.as_string().size() : 8);
  }
}

std::size_t field_bytes(const kube::Property& property, json::View value) {
  const std::size_t tag = tag_bytes(property);
  const kube::Schema& schema = *property.schema;
  if (value.is_array()) {
    std::size_t bytes = 0;
    for (const json::View element : value.elements()) {
      bytes += tag + value_bytes(schema.items, element);
    }
    return bytes;
  }
  if (value.is_object() && schema.go_kind == kube::GoKind::Map) {
    std::size_t bytes = 0;
    for (const auto& [key, member] : value.members()) {
      const auto entry =
          2 + delimited(key.size()) + value_bytes(schema.additional_properties, member);
      bytes += tag + delimited(entry);
    }
    return bytes;
  }
  return tag + value_bytes(&schema, value);
}

std::size_t message_bytes(const kube::Schema& schema, json::View object) {
  std::size_t bytes = 0;
  for (const auto& property : schema.properties) {
    const json::View value = object.get(property.name);
    if (!value.is_null()) {
      bytes += field_bytes(property, value);
    } else if (!property.pointer) {
      bytes += tag_bytes(property) + 1;  // nothing is written, too
    }
  }
  return bytes;
}

std::size_t stored_bytes(const Resource& resource, const json::Value& stored) {
  if (resource.builtin == nullptr || resource.schema == nullptr) {
    return json::to_text(stored).size();
  }
  return message_bytes(*resource.schema, stored);
}

// The bytes of what is too large, else none.
std::size_t too_many_bytes(const Resource& resource, const json::Value& stored) {
  if (stored.block_bytes() <= kSmallBytes) return 0;
  const std::size_t bytes = stored_bytes(resource, stored);
  return bytes < kStoredBytesMax ? 0 : bytes;
}

// What is much too large does not get as far as etcd.
std::string too_large_words(std::size_t bytes) {
  if (bytes < kSentBytesMax) return "etcdserver: request is too large";
  return fmt::format(
      "rpc error: code = ResourceExhausted desc = trying to send message larger than max ({} vs. "
      "{})",
      bytes, kSentBytesMax);
}

}  // namespace

kube::Answer<json::Value> fit_to_store(const Resource& resource, json::Value wanted, Owners owners,
                                       Weakness weakness) {
  if (weakness == Weakness::StoresAnySize) return wanted;
  std::size_t bytes = too_many_bytes(resource, wanted);
  if (bytes > 0 && owners == Owners::MayGo) {
    json::Draft unowned{wanted};
    unowned.object_at("metadata").erase("managedFields");
    wanted = unowned.freeze();
    bytes = too_many_bytes(resource, wanted);
  }
  if (bytes == 0) return wanted;
  return std::unexpected(kube::unreasoned(500, too_large_words(bytes)));
}

}  // namespace fixpoint::apiserver
