// SPDX-License-Identifier: Apache-2.0
//
// The wire format of protobuf: a message as the list of its fields, before anyone knows their
// types.
//
// Fields come sorted by number, those of one number in the order written, because a field may occur
// any number of times, anywhere: lists and maps take all, scalars the last, messages are read as if
// their bytes stood in a row.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  Wire wire = Wire::Bytes;
  std::uint64_t integer = 0;  // varint and fixed
  std::string_view bytes;     // inside the message given
};

using WireFields = std::span<const WireField>;

// The words of the errors are those of Go's generated decoders; `type` is the message's Go name.
Result<std::vector<WireField>> wire_fields(std::string_view message, std::string_view type);

// The leading fields of one number; `fields` keeps the rest. Needs at least one.
WireFields take_group(WireFields& fields);
// All of that number, possibly none.
WireFields with_number(WireFields fields, std::uint32_t number);

// A packed list of varints.
Result<std::vector<std::uint64_t>> packed_varints(std::string_view bytes);

// The last of a group as what it must be; zero or empty when there is none. `name` is for the
// error.
Result<std::uint64_t> last_integer(WireFields group, Wire wire, std::string_view name);
Result<std::string_view> last_bytes(WireFields group, std::string_view name);
// The bytes of all in a row: `joined` holds them when there are several.
Result<std::string_view> all_bytes(WireFields group, std::string_view name, std::string& joined);

}  // namespace fixpoint::kube
