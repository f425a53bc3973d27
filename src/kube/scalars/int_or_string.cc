// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/int_or_string.h"

#include "kube/go/text.h"

#include <charconv>
#include <optional>

namespace fixpoint::kube {
namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

IntOrString IntOrString::from(json::View value) {
  if (value.is_string()) return {true, 0, std::string{value.as_string()}};
  return {false, value.as_int(), {}};
}

std::string IntOrString::to_string() const {
  return is_string ? text : std::to_string(number);
}

std::int64_t IntOrString::int_value() const {
  return is_string ? integer(text).value_or(0) : number;
}

bool IntOrString::is_percent() const {
  return is_string && text.ends_with('%');
}

Result<std::int64_t> scaled_value(const IntOrString& value, std::int64_t total, Rounding rounding) {
  if (!value.is_string) return value.number;
  if (!value.is_percent()) {
    return fail(ErrorKind::Invalid,
                "invalid value for IntOrString: invalid type: string is not a percentage");
  }
  const std::string_view text{value.text.data(), value.text.size() - 1};
  const auto percent = integer(text);
  if (!percent) {
    return fail(ErrorKind::Invalid, "invalid value for IntOrString: invalid value " +
                                        go_quoted(value.text) + ": strconv.Atoi: parsing " +
                                        go_quoted(text) + ": invalid syntax");
  }
  // 128 bits: a percentage has no upper bound of its own.
  const __int128 product = static_cast<__int128>(*percent) * total;
  __int128 whole = product / 100;
  const auto rest = product % 100;
  if (rounding == Rounding::Up && rest > 0) ++whole;
  if (rounding == Rounding::Down && rest < 0) --whole;
  return static_cast<std::int64_t>(whole);
}

}  // namespace fixpoint::kube
