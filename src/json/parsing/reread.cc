// SPDX-License-Identifier: Apache-2.0
#include "json/parsing/reread.h"

#include "json/draft.h"

#include <algorithm>
#include <cmath>

namespace fixpoint::json {
namespace {

// What an integer can hold; beyond it even a number without a fraction is read as a float.
constexpr double kIntegerLimit = 9223372036854775808.0;

bool reads_as_integer(View value) {
  if (value.type() != Type::Float) return false;
  const double number = value.as_double();
  return std::trunc(number) == number && std::abs(number) < kIntegerLimit;
}

bool reread_changes(View value) {
  switch (value.type()) {
    case Type::Float: return reads_as_integer(value);
    case Type::Array:
      return std::ranges::any_of(value.elements().begin(), value.elements().end(), reread_changes);
    case Type::Object:
      return std::ranges::any_of(value.members().begin(), value.members().end(),
                                 [](const Member& member) { return reread_changes(member.value); });
    default: return false;
  }
}

void rewrite(Draft& at, View value) {
  if (reads_as_integer(value)) {
    at = Draft{static_cast<std::int64_t>(value.as_double())};
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (reread_changes(value[i])) rewrite(at.elements()[i], value[i]);
    }
  } else {
    for (const auto [key, member] : value.members()) {
      if (reread_changes(member)) rewrite(at[key], member);
    }
  }
}

}  // namespace

Value reread(const Value& value) {
  if (!reread_changes(value)) return value;
  Draft draft{value};
  rewrite(draft, value);
  return draft.freeze();
}

}  // namespace fixpoint::json
