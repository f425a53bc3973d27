// SPDX-License-Identifier: Apache-2.0
//
// Conversions between scalar types: int('12'), string(1.5), duration('1h').
#include "cel/evaluation/time.h"
#include "cel/library/functions.h"
#include "kube/go/text.h"
#include "kube/scalars/duration.h"
#include "kube/schema/validate_problem.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

Value cannot(const Value& value, std::string_view to) {
  return Value::error(
      fmt::format("type conversion error from '{}' to '{}'", value.runtime_type(), to));
}

template <class Number>
bool read_decimal(std::string_view text, Number& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

Value to_bool(Args args) {
  const auto& value = args[0];
  if (value.is(Kind::Bool)) return value;
  if (!value.is(Kind::String)) return no_overload("bool", args);
  constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, value.text()) != kTrue.end()) return Value::boolean(true);
  if (std::ranges::find(kFalse, value.text()) != kFalse.end()) return Value::boolean(false);
  return cannot(value, "bool");
}

Value to_bytes(Args args) {
  if (args[0].is(Kind::Bytes)) return args[0];
  if (args[0].is(Kind::String)) return Value::bytes(std::string{args[0].text()});
  return no_overload("bytes", args);
}

Value to_double(Args args) {
  const auto& value = args[0];
  switch (value.kind()) {
    case Kind::Double: return value;
    case Kind::Int: return Value::number(static_cast<double>(value.as_int()));
    case Kind::Uint: return Value::number(static_cast<double>(value.as_uint()));
    case Kind::String: {
      double out = 0;
      return read_decimal(value.text(), out) ? Value::number(out) : cannot(value, "double");
    }
    default: return no_overload("double", args);
  }
}

Value to_int(Args args) {
  const auto& value = args[0];
  switch (value.kind()) {
    case Kind::Int: return value;
    case Kind::Uint:
      if (value.as_uint() > static_cast<std::uint64_t>(INT64_MAX)) {
        return Value::error("integer overflow");
      }
      return Value::integer(static_cast<std::int64_t>(value.as_uint()));
    case Kind::Double:
      // The ends of the range are not exact in a double: they are left out.
      if (!(value.as_double() > -9223372036854775808.0 &&
            value.as_double() < 9223372036854775807.0)) {
        return Value::error("integer overflow");
      }
      return Value::integer(static_cast<std::int64_t>(value.as_double()));
    case Kind::Duration: return Value::integer(value.nanos());
    case Kind::Timestamp: return Value::integer(value.moment().seconds);
    case Kind::String: {
      std::int64_t out = 0;
      return read_decimal(value.text(), out) ? Value::integer(out) : cannot(value, "int");
    }
    default: return no_overload("int", args);
  }
}

Value to_uint(Args args) {
  const auto& value = args[0];
  switch (value.kind()) {
    case Kind::Uint: return value;
    case Kind::Int:
      if (value.as_int() < 0) return Value::error("unsigned integer overflow");
      return Value::unsigned_integer(static_cast<std::uint64_t>(value.as_int()));
    case Kind::Double:
      if (!(value.as_double() >= 0 && value.as_double() < 18446744073709551615.0)) {
        return Value::error("unsigned integer overflow");
      }
      return Value::unsigned_integer(static_cast<std::uint64_t>(value.as_double()));
    case Kind::String: {
      std::uint64_t out = 0;
      return !value.text().starts_with('+') && read_decimal(value.text(), out)
                 ? Value::unsigned_integer(out)
                 : cannot(value, "uint");
    }
    default: return no_overload("uint", args);
  }
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto point = kube::first_code_point(text);
    if (!point.valid) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

Value to_text(Args args) {
  const auto& value = args[0];
  switch (value.kind()) {
    case Kind::String: return value;
    case Kind::Bool:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Timestamp: return Value::string(shown(value));
    case Kind::Double: return Value::string(kube::go_number(value.as_double()));
    case Kind::Duration: return Value::string(shown_duration(value.nanos()));
    case Kind::Bytes:
      if (!valid_utf8(value.text())) {
        return Value::error("invalid UTF-8 in bytes, cannot convert to string");
      }
      return Value::string(std::string{value.text()});
    case Kind::Ip: return Value::string(value.ip().to_string());
    case Kind::Cidr:
      return Value::string(fmt::format("{}/{}", value.ip().to_string(), value.cidr().prefix_bits));
    default: return no_overload("string", args);
  }
}

Value to_duration(Args args) {
  const auto& value = args[0];
  if (value.is(Kind::Duration)) return value;
  if (value.is(Kind::Int)) return Value::duration(value.as_int());
  if (!value.is(Kind::String)) return no_overload("duration", args);
  const auto parsed = kube::parse_duration(value.text());
  return parsed ? Value::duration(parsed->count()) : cannot(value, "google.protobuf.Duration");
}

Value to_timestamp(Args args) {
  const auto& value = args[0];
  if (value.is(Kind::Timestamp)) return value;
  if (value.is(Kind::Int)) {
    const Moment at{value.as_int(), 0};
    return in_range(at) ? Value::timestamp(at) : Value::error("timestamp overflow");
  }
  if (!value.is(Kind::String)) return no_overload("timestamp", args);
  const auto parsed = parse_moment(value.text());
  if (!parsed) return cannot(value, "google.protobuf.Timestamp");
  return in_range(*parsed) ? Value::timestamp(*parsed) : Value::error("timestamp overflow");
}

constexpr std::array<Native, 8> kConversionFunctions{
    {{"bool", to_bool},
     {"bytes", to_bytes},
     {"double", to_double},
     {"int", to_int},
     {"uint", to_uint},
     {"string", to_text},
     {"duration", to_duration},
     {"timestamp", to_timestamp}}
};

}  // namespace

std::span<const Native> conversion_functions() {
  return kConversionFunctions;
}

}  // namespace fixpoint::cel
