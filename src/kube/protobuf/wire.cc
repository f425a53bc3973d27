// SPDX-License-Identifier: Apache-2.0
#include "kube/protobuf/wire.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::uint32_t kWireMask = 7;
constexpr std::uint32_t kWireBits = 3;
constexpr std::uint64_t kFieldNumberMax = (std::uint64_t{1} << 29U) - 1;

std::unexpected<Error> unexpected_end() {
  return fail(ErrorKind::Invalid, "unexpected EOF");
}

Result<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (text.empty()) return unexpected_end();
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) return value;
  }
  return fail(ErrorKind::Invalid, "proto: integer overflow");
}

Result<std::uint64_t> take_fixed(std::string_view& text, std::size_t size) {
  if (text.size() < size) return unexpected_end();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  text.remove_prefix(size);
  return value;
}

Result<std::string_view> take_bytes(std::string_view& text) {
  FP_TRY(size, take_varint(text));
  if (size > text.size()) return unexpected_end();
  const auto bytes = text.substr(0, size);
  text.remove_prefix(size);
  return bytes;
}

Result<WireField> take_field(std::string_view& text, std::string_view type) {
  FP_TRY(tag, take_varint(text));
  const auto number = tag >> kWireBits;
  const auto wire = tag & kWireMask;
  if (number == 0 || number > kFieldNumberMax) {
    return fail(ErrorKind::Invalid, fmt::format("proto: {}: illegal tag {} (wire type {})", type,
                                                static_cast<std::int32_t>(number), tag));
  }
  WireField field;
  field.number = static_cast<std::uint32_t>(number);
  field.wire = static_cast<Wire>(wire);
  switch (field.wire) {
    case Wire::Varint: {
      FP_TRY(value, take_varint(text));
      field.integer = value;
      return field;
    }
    case Wire::Fixed64:
    case Wire::Fixed32: {
      FP_TRY(value, take_fixed(text, field.wire == Wire::Fixed64 ? 8 : 4));
      field.integer = value;
      return field;
    }
    case Wire::Bytes: {
      FP_TRY(bytes, take_bytes(text));
      field.bytes = bytes;
      return field;
    }
  }
  // Groups too: no Kubernetes message has any.
  return fail(ErrorKind::Invalid, fmt::format("proto: illegal wireType {}", wire));
}

Result<void> check_wire(const WireField& field, Wire wire, std::string_view name) {
  if (field.wire == wire) return {};
  return fail(ErrorKind::Invalid, fmt::format("proto: wrong wireType = {} for field {}",
                                              static_cast<unsigned>(field.wire), name));
}

}  // namespace

Result<std::vector<WireField>> wire_fields(std::string_view message, std::string_view type) {
  std::vector<WireField> fields;
  while (!message.empty()) {
    FP_TRY(field, take_field(message, type));
    fields.push_back(field);
  }
  // Encoders write in this order already, save for the odd one.
  if (!std::ranges::is_sorted(fields, {}, &WireField::number)) {
    std::ranges::stable_sort(fields, {}, &WireField::number);
  }
  return fields;
}

WireFields take_group(WireFields& fields) {
  FP_CHECK(!fields.empty());
  const auto end = std::ranges::upper_bound(fields, fields.front().number, {}, &WireField::number);
  const auto count = static_cast<std::size_t>(end - fields.begin());
  const auto group = fields.first(count);
  fields = fields.subspan(count);
  return group;
}

WireFields with_number(WireFields fields, std::uint32_t number) {
  const auto found = std::ranges::equal_range(fields, number, {}, &WireField::number);
  return {found.begin(), found.end()};
}

Result<std::vector<std::uint64_t>> packed_varints(std::string_view bytes) {
  std::vector<std::uint64_t> values;
  while (!bytes.empty()) {
    FP_TRY(value, take_varint(bytes));
    values.push_back(value);
  }
  return values;
}

Result<std::uint64_t> last_integer(WireFields group, Wire wire, std::string_view name) {
  for (const auto& field : group) FP_TRY_VOID(check_wire(field, wire, name));
  return group.empty() ? 0 : group.back().integer;
}

Result<std::string_view> last_bytes(WireFields group, std::string_view name) {
  for (const auto& field : group) FP_TRY_VOID(check_wire(field, Wire::Bytes, name));
  return group.empty() ? std::string_view{} : group.back().bytes;
}

Result<std::string_view> all_bytes(WireFields group, std::string_view name, std::string& joined) {
  FP_TRY(last, last_bytes(group, name));
  if (group.size() <= 1) return last;
  for (const auto& field : group) joined += field.bytes;
  return std::string_view{joined};
}

}  // namespace fixpoint::kube
