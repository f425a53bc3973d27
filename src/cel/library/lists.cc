// SPDX-License-Identifier: Apache-2.0
//
// Lists: sums, extremes and order; the sets library.
#include "cel/library/functions.h"

#include <algorithm>
#include <array>

namespace fixpoint::cel {
namespace {

Value is_sorted(Args args) {
  if (!args[0].is(Kind::List)) return no_overload("isSorted", args);
  Value before;
  for (std::size_t i = 0; i < args[0].size(); ++i) {
    auto each = args[0].at(i);
    if (i > 0) {
      const auto order = compare(before, each);
      if (!order.is_error() && order.as_int() > 0) return Value::boolean(false);
    }
    before = std::move(each);
  }
  return Value::boolean(true);
}

// What an empty list sums up to depends on its type, which its elements would have told.
Value zero_like(const Value& list) {
  const auto* shape = list.list_shape();
  if (shape == nullptr) return Value::integer(0);
  switch (shape->element->kind) {
    case ShapeKind::Double: return Value::number(0);
    case ShapeKind::Duration: return Value::duration(0);
    default: return Value::integer(0);
  }
}

Value sum(Args args) {
  if (!args[0].is(Kind::List)) return no_overload("sum", args);
  if (args[0].size() == 0) return zero_like(args[0]);
  const auto* add = find_function("_+_");
  auto total = args[0].at(0);
  for (std::size_t i = 1; i < args[0].size(); ++i) {
    const std::array pair{total, args[0].at(i)};
    total = add->run(pair);
    if (total.is_error()) return total;
  }
  return total;
}

Value extreme(Args args, std::string_view name, std::int64_t replaced_by) {
  if (!args[0].is(Kind::List)) return no_overload(name, args);
  if (args[0].size() == 0) return Value::error(std::string{name} + " called on empty list");
  auto best = args[0].at(0);
  for (std::size_t i = 1; i < args[0].size(); ++i) {
    auto each = args[0].at(i);
    const auto order = compare(best, each);
    if (!order.is_error() && order.as_int() == replaced_by) best = std::move(each);
  }
  return best;
}
Value min(Args args) {
  return extreme(args, "min", 1);
}
Value max(Args args) {
  return extreme(args, "max", -1);
}

Value end_of(Args args, bool first) {
  if (!args[0].is(Kind::List)) return no_overload(first ? "first" : "last", args);
  const auto size = args[0].size();
  return size == 0 ? Value::none() : Value::optional(args[0].at(first ? 0 : size - 1));
}
Value first_of(Args args) {
  return end_of(args, true);
}
Value last_of(Args args) {
  return end_of(args, false);
}

bool holds(const Value& list, const Value& wanted) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(list.at(i), wanted).is_true()) return true;
  }
  return false;
}

bool lists(Args args) {
  return args[0].is(Kind::List) && args[1].is(Kind::List);
}

bool holds_all(const Value& list, const Value& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!holds(list, wanted.at(i))) return false;
  }
  return true;
}

Value sets_contains(Args args) {
  if (!lists(args)) return no_overload("sets.contains", args);
  return Value::boolean(holds_all(args[0], args[1]));
}
Value sets_equivalent(Args args) {
  if (!lists(args)) return no_overload("sets.equivalent", args);
  return Value::boolean(holds_all(args[0], args[1]) && holds_all(args[1], args[0]));
}
Value sets_intersects(Args args) {
  if (!lists(args)) return no_overload("sets.intersects", args);
  for (std::size_t i = 0; i < args[0].size(); ++i) {
    if (holds(args[1], args[0].at(i))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr std::array<Native, 9> kListFunctions{
    {{"isSorted", is_sorted},
     {"sum", sum},
     {"min", min},
     {"max", max},
     {"first", first_of},
     {"last", last_of},
     {"sets.contains", sets_contains},
     {"sets.equivalent", sets_equivalent},
     {"sets.intersects", sets_intersects}}
};

}  // namespace

std::span<const Native> list_functions() {
  return kListFunctions;
}

}  // namespace fixpoint::cel
