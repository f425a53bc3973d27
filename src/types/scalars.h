// SPDX-License-Identifier: Apache-2.0
//
// What a scalar may look like in JSON because of its C++ type, before any limit of the author's.
//
// The patterns are tight enough that whatever matches also fits the C++ type: what the server lets
// through, the operator can read.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/draft.h"
#include "json/value.h"
#include "kube/scalars/int_or_string.h"
#include "kube/scalars/quantity.h"
#include "types/table.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::types {

// The text of a duration, time or quantity; empty for other shapes.
std::string_view implied_pattern(Shape shape);
// No longer than this, for those of them that could overflow.
std::optional<std::size_t> implied_length_max(Shape shape);

struct Bounds {
  std::optional<double> minimum;
  std::optional<double> maximum;
};
// The author's, narrowed to what the type can hold.
Bounds bounds_of(Shape shape, const Limits& limits);

bool is_integer(Shape shape);
bool is_text(Shape shape);  // in JSON always a string

// Past any optionals: a scalar's value. Enumerations by name.
json::Draft scalar_to_json(const Type& type, const void* value);

// Texts that `implied_pattern` matches.
Result<kube::Quantity> quantity_from(json::View value);

// A limit or an example that an author wrote as text, as the value it stands for.
Result<json::Value> literal(const Type& type, std::string_view text);

}  // namespace fixpoint::types
