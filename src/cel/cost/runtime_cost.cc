// SPDX-License-Identifier: Apache-2.0
//
// What a call did cost, given its arguments and result.
#include "cel/cost/cost_units.h"
#include "cel/evaluation/eval.h"
#include "cel/library/functions.h"
#include "cel/library/named_format.h"

#include <algorithm>
#include <cmath>

namespace fixpoint::cel {
namespace {

std::uint64_t actual_size(const Value& value) {
  switch (value.kind()) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map: return value.size();
    case Kind::Ip: return value.ip().v4 ? 4 : 16;
    case Kind::Cidr: return (static_cast<std::uint64_t>(value.cidr().prefix_bits) + 7) / 8;
    case Kind::Optional: return value.inner() == nullptr ? 1 : actual_size(*value.inner());
    default: return 1;
  }
}

std::uint64_t scaled(std::uint64_t size, double factor) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

std::uint64_t traversal(const Value& value) {
  switch (value.kind()) {
    case Kind::String:
    case Kind::Bytes:
      return static_cast<std::uint64_t>(static_cast<double>(value.text().size()) * kTextFactor);
    case Kind::List: {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < value.size(); ++i) sum += traversal(value.at(i));
      return sum;
    }
    case Kind::Map: {
      std::uint64_t sum = 0;
      for (const auto& key : value.keys()) sum += traversal(key) + traversal(value.find(key).value);
      return sum;
    }
    default: return 1;
  }
}

std::uint64_t searched(std::uint64_t text, std::uint64_t regex) {
  return scaled(text + 1, kTextFactor) * scaled(regex, kRegexFactor);
}

std::optional<std::uint64_t> actual_library_cost(std::string_view f, std::string_view overload,
                                                 std::span<const Value> args, const Value& result) {
  if (one_of(f, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"})) {
    return traversal(args[0]);
  }
  if (f == "ip" && args[0].is(Kind::Cidr)) return 1;
  if (one_of(f, {"url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR",
                 "ip", "quantity", "isQuantity", "semver", "isSemver"})) {
    return scaled(actual_size(args[0]), kTextFactor);
  }
  if (one_of(f, {"replace", "split", "ip.isCanonical"})) {
    return scaled(actual_size(args[0]), 2 * kTextFactor);
  }
  if (f == "join") return scaled(actual_size(result), 2 * kTextFactor);
  if (f == "find" || f == "findAll") return searched(actual_size(args[0]), actual_size(args[1]));
  if (f == "containsIP" || f == "containsCIDR") {
    auto cost = scaled(2 * actual_size(args[0]), kTextFactor);
    if (f == "containsCIDR") cost += scaled(actual_size(args[0]), kTextFactor) + 1;
    if (overload.ends_with("_string")) cost += scaled(actual_size(args[1]), kTextFactor);
    return cost;
  }
  if (f == "validate" && args[0].is(Kind::Format)) {
    return searched(actual_size(args[1]), args[0].format().regex_size);
  }
  if (f.starts_with("sets.")) {
    const std::uint64_t factor = f == "sets.equivalent" ? 2 : 1;
    return 1 + actual_size(args[0]) * actual_size(args[1]) * factor;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t call_cost(const Expr& call, std::span<const Value> args, const Value& result) {
  const auto id = call.overloads.size() == 1 ? call.overloads[0]->id : std::string_view{};
  if (const auto known = actual_library_cost(call.name, id, args, result)) return *known;
  if (one_of(id, {"starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string",
                  "strings_quote", "string_format"})) {
    return scaled(actual_size(args[0]), kTextFactor);
  }
  if (id == "in_list") return actual_size(args[1]);
  const bool ordered = (id.starts_with("less_") || id.starts_with("greater_")) &&
                       (id.ends_with("_string") || id.ends_with("_bytes"));
  if (ordered || id == "equals" || id == "not_equals") {
    switch (args[0].kind()) {
      case Kind::Quantity:
      case Kind::Ip:
      case Kind::Cidr:
      case Kind::Format:
      case Kind::Url:
      case Kind::Semver: return 1;
      default: break;
    }
    return scaled(std::min(actual_size(args[0]), actual_size(args[1])), kTextFactor);
  }
  if (id == "add_string" || id == "add_bytes") {
    return scaled(actual_size(args[0]) + actual_size(args[1]), kTextFactor);
  }
  if (id == "matches_string") return searched(actual_size(args[0]), actual_size(args[1]));
  if (id == "contains_string") {
    return scaled(actual_size(args[0]), kTextFactor) * scaled(actual_size(args[1]), kTextFactor);
  }
  return 1;
}

}  // namespace fixpoint::cel
