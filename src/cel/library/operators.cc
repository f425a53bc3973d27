// SPDX-License-Identifier: Apache-2.0
//
// Operators: arithmetic that never wraps around, comparisons, membership, and optionals.
#include "cel/evaluation/time.h"
#include "cel/library/functions.h"

#include <array>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fixpoint::cel {
namespace {

Value int_overflow() {
  return Value::error("integer overflow");
}
Value uint_overflow() {
  return Value::error("unsigned integer overflow");
}

bool both(Args args, Kind kind) {
  return args[0].is(kind) && args[1].is(kind);
}

Value moment_or_error(Moment at) {
  return in_range(at) ? Value::timestamp(at) : Value::error("timestamp overflow");
}

Value added_durations(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return Value::error("duration overflow");
  return Value::duration(sum);
}

// What is in both lists of type map is in its old place, with the new value.
Value merged_lists(const Value& a, const Value& b) {
  auto out = a.elements();
  const auto& keys = a.list_shape()->list_keys;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (auto text = element_keys(out[i], keys)) places.insert_or_assign(*std::move(text), i);
  }
  for (auto& each : b.elements()) {
    const auto text = element_keys(each, keys);
    const auto found = text ? places.find(*text) : places.end();
    if (found == places.end()) {
      out.push_back(std::move(each));
    } else {
      out[found->second] = std::move(each);
    }
  }
  return Value::list(std::move(out), a.list_shape());
}

// A list of type set becomes the union of both.
Value united_lists(const Value& a, const Value& b) {
  auto out = a.elements();
  std::unordered_set<std::string> known;
  for (const auto& each : out) known.insert(key_text(each).value_or(""));
  for (auto& each : b.elements()) {
    if (!known.insert(key_text(each).value_or("")).second) continue;
    out.push_back(std::move(each));
  }
  return Value::list(std::move(out), a.list_shape());
}

Value added_lists(const Value& a, const Value& b) {
  const auto* shape = a.list_shape();
  if (shape != nullptr && shape->list_type == kube::ListType::Map) return merged_lists(a, b);
  if (shape != nullptr && shape->list_type == kube::ListType::Set) return united_lists(a, b);
  auto out = a.elements();
  for (auto& each : b.elements()) out.push_back(std::move(each));
  return Value::list(std::move(out), shape);
}

Value add(Args args) {
  const auto& a = args[0];
  const auto& b = args[1];
  if (both(args, Kind::Int)) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a.as_int(), b.as_int(), &sum) ? int_overflow()
                                                                : Value::integer(sum);
  }
  if (both(args, Kind::Uint)) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a.as_uint(), b.as_uint(), &sum) ? uint_overflow()
                                                                  : Value::unsigned_integer(sum);
  }
  if (both(args, Kind::Double)) return Value::number(a.as_double() + b.as_double());
  if (both(args, Kind::String)) {
    return Value::string(std::string{a.text()} + std::string{b.text()});
  }
  if (both(args, Kind::Bytes)) return Value::bytes(std::string{a.text()} + std::string{b.text()});
  if (both(args, Kind::List)) return added_lists(a, b);
  if (both(args, Kind::Duration)) return added_durations(a.nanos(), b.nanos());
  if (a.is(Kind::Duration) && b.is(Kind::Timestamp)) {
    return moment_or_error(plus(b.moment(), a.nanos()));
  }
  if (a.is(Kind::Timestamp) && b.is(Kind::Duration)) {
    return moment_or_error(plus(a.moment(), b.nanos()));
  }
  return Value::no_overload();
}

Value subtract(Args args) {
  const auto& a = args[0];
  const auto& b = args[1];
  if (both(args, Kind::Int)) {
    std::int64_t out = 0;
    return __builtin_sub_overflow(a.as_int(), b.as_int(), &out) ? int_overflow()
                                                                : Value::integer(out);
  }
  if (both(args, Kind::Uint)) {
    std::uint64_t out = 0;
    return __builtin_sub_overflow(a.as_uint(), b.as_uint(), &out) ? uint_overflow()
                                                                  : Value::unsigned_integer(out);
  }
  if (both(args, Kind::Double)) return Value::number(a.as_double() - b.as_double());
  if (both(args, Kind::Duration)) {
    if (b.nanos() == std::numeric_limits<std::int64_t>::min()) {
      return Value::error("duration overflow");
    }
    return added_durations(a.nanos(), -b.nanos());
  }
  if (a.is(Kind::Timestamp) && b.is(Kind::Duration)) {
    if (b.nanos() == std::numeric_limits<std::int64_t>::min()) {
      return Value::error("timestamp overflow");
    }
    return moment_or_error(plus(a.moment(), -b.nanos()));
  }
  if (both(args, Kind::Timestamp)) {
    const auto between = difference(a.moment(), b.moment());
    return between ? Value::duration(*between) : Value::error("duration overflow");
  }
  return Value::no_overload();
}

Value multiply(Args args) {
  if (both(args, Kind::Int)) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(args[0].as_int(), args[1].as_int(), &out) ? int_overflow()
                                                                            : Value::integer(out);
  }
  if (both(args, Kind::Uint)) {
    std::uint64_t out = 0;
    return __builtin_mul_overflow(args[0].as_uint(), args[1].as_uint(), &out)
               ? uint_overflow()
               : Value::unsigned_integer(out);
  }
  if (both(args, Kind::Double)) return Value::number(args[0].as_double() * args[1].as_double());
  return Value::no_overload();
}

// Dividing the smallest integer by -1 has no result.
bool quotient_overflows(std::int64_t a, std::int64_t b) {
  return a == std::numeric_limits<std::int64_t>::min() && b == -1;
}

Value divide(Args args) {
  if (both(args, Kind::Int)) {
    const auto a = args[0].as_int();
    const auto b = args[1].as_int();
    if (b == 0) return Value::error("division by zero");
    return quotient_overflows(a, b) ? int_overflow() : Value::integer(a / b);
  }
  if (both(args, Kind::Uint)) {
    if (args[1].as_uint() == 0) return Value::error("division by zero");
    return Value::unsigned_integer(args[0].as_uint() / args[1].as_uint());
  }
  if (both(args, Kind::Double)) return Value::number(args[0].as_double() / args[1].as_double());
  return Value::no_overload();
}

Value modulo(Args args) {
  if (both(args, Kind::Int)) {
    const auto a = args[0].as_int();
    const auto b = args[1].as_int();
    if (b == 0) return Value::error("modulus by zero");
    return quotient_overflows(a, b) ? int_overflow() : Value::integer(a % b);
  }
  if (both(args, Kind::Uint)) {
    if (args[1].as_uint() == 0) return Value::error("modulus by zero");
    return Value::unsigned_integer(args[0].as_uint() % args[1].as_uint());
  }
  return Value::no_overload();
}

Value negate(Args args) {
  const auto& value = args[0];
  if (value.is(Kind::Int)) {
    if (value.as_int() == std::numeric_limits<std::int64_t>::min()) return int_overflow();
    return Value::integer(-value.as_int());
  }
  if (value.is(Kind::Double)) return Value::number(-value.as_double());
  return no_overload("-_", args);
}

Value negate_logically(Args args) {
  return args[0].is(Kind::Bool) ? Value::boolean(!args[0].as_bool()) : Value::no_overload();
}

template <bool (*Holds)(std::int64_t)>
Value ordered(Args args) {
  const auto order = compare(args[0], args[1]);
  return order.is_error() ? order : Value::boolean(Holds(order.as_int()));
}
bool less(std::int64_t order) {
  return order < 0;
}
bool less_or_equal(std::int64_t order) {
  return order <= 0;
}
bool greater(std::int64_t order) {
  return order > 0;
}
bool greater_or_equal(std::int64_t order) {
  return order >= 0;
}

Value equals(Args args) {
  return equal(args[0], args[1]);
}

Value differs(Args args) {
  const auto same = equal(args[0], args[1]);
  return same.is_error() ? same : Value::boolean(!same.is_true());
}

Value in(Args args) {
  const auto& all = args[1];
  if (all.is(Kind::Map)) {
    const auto found = all.find(args[0]);
    return found.found && found.value.is_error() ? found.value : Value::boolean(found.found);
  }
  if (!all.is(Kind::List)) return Value::no_overload();
  Value wrong;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto same = equal(all.at(i), args[0]);
    if (same.is_true()) return same;
    if (same.is_error() && !wrong.is_error()) wrong = std::move(same);
  }
  return wrong.is_error() ? wrong : Value::boolean(false);
}

Value size(Args args) {
  switch (args[0].kind()) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map: return Value::integer(static_cast<std::int64_t>(args[0].size()));
    default: return Value::error("no such overload: size");
  }
}

Value identity(Args args) {
  return args[0];
}

Value type_name(Args args) {
  return Value::type(args[0].runtime_type());
}

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::Null: return true;
    case Kind::Bool: return !value.as_bool();
    case Kind::Int: return value.as_int() == 0;
    case Kind::Uint: return value.as_uint() == 0;
    case Kind::Double: return value.as_double() == 0;
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map: return value.size() == 0;
    case Kind::Duration: return value.nanos() == 0;
    case Kind::Optional: return value.inner() == nullptr;
    default: return false;
  }
}

Value optional_of(Args args) {
  return Value::optional(args[0]);
}
Value optional_of_non_zero(Args args) {
  return is_zero(args[0]) ? Value::none() : Value::optional(args[0]);
}
Value optional_none(Args) {
  return Value::none();
}
Value has_value(Args args) {
  if (!args[0].is(Kind::Optional)) return no_overload("hasValue", args);
  return Value::boolean(args[0].inner() != nullptr);
}
Value value_of(Args args) {
  if (!args[0].is(Kind::Optional)) return no_overload("value", args);
  return args[0].inner() == nullptr ? Value::error("optional.none() dereference")
                                    : *args[0].inner();
}

Value unwrap(Args args) {
  if (!args[0].is(Kind::List)) return Value::no_overload();
  Value::List out;
  for (const auto& each : args[0].elements()) {
    if (!each.is(Kind::Optional)) {
      return Value::error("value " + shown(each) + " is not optional");
    }
    if (each.inner() != nullptr) out.push_back(*each.inner());
  }
  return Value::list(std::move(out));
}

constexpr std::array<Native, 24> kOperatorFunctions{
    {{"_+_", add},
     {"_-_", subtract},
     {"_*_", multiply},
     {"_/_", divide},
     {"_%_", modulo},
     {"-_", negate},
     {"!_", negate_logically},
     {"_<_", ordered<less>},
     {"_<=_", ordered<less_or_equal>},
     {"_>_", ordered<greater>},
     {"_>=_", ordered<greater_or_equal>},
     {"_==_", equals},
     {"_!=_", differs},
     {"@in", in},
     {"size", size},
     {"dyn", identity},
     {"type", type_name},
     {"optional.of", optional_of},
     {"optional.ofNonZeroValue", optional_of_non_zero},
     {"optional.none", optional_none},
     {"hasValue", has_value},
     {"value", value_of},
     {"optional.unwrap", unwrap},
     {"unwrapOpt", unwrap}}
};

}  // namespace

std::span<const Native> operator_functions() {
  return kOperatorFunctions;
}

}  // namespace fixpoint::cel
