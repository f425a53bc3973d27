// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/simple_json_path.h"

#include "base/rfc3339.h"
#include "json/print.h"
#include "kube/crd/simple_json_path_steps.h"
#include "kube/scalars/duration.h"
#include "kube/schema/validate_problem.h"

#include <compare>
#include <limits>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using Step = SimpleJsonPath::Step;
using Steps = std::vector<Step>;
using Found = std::vector<json::View>;

Result<Found> walk(const Steps& steps, Found found);

Found members(json::View value) {
  Found out;
  for (auto [key, member] : value.members()) out.push_back(member);
  for (const auto element : value.elements()) out.push_back(element);
  return out;
}

// The value, then everything below it, depth first; scalars only as somebody's child.
void everything(json::View value, Found& out) {
  const auto below = members(value);
  if (below.empty()) return;
  out.push_back(value);
  for (const auto each : below) everything(each, out);
}

Result<Found> slice(const Step& step, json::View list) {
  const auto length = static_cast<std::int64_t>(list.size());
  std::int64_t start = step.start.value_or(0);
  if (start < 0) start += length;
  std::int64_t end = step.end ? *step.end : length;
  if (end < 0 || (end == 0 && step.index)) end += length;
  if (start == end) return Found{};
  const auto outside = [&](std::int64_t index) {
    return fail(ErrorKind::Invalid,
                fmt::format("array index out of bounds: index {}, length {}", index, length));
  };
  if (start >= length || start < 0) return outside(start);
  if (end > length || end < 0) return outside(end - 1);
  if (start > end) {
    return fail(ErrorKind::Invalid,
                fmt::format("starting index {} is greater than ending index {}", start, end));
  }
  const std::int64_t stride = step.step.value_or(1);
  if (stride <= 0) return fail(ErrorKind::Invalid, "step must be > 0");
  Found out;
  for (auto i = start; i < end; i += stride) out.push_back(list[static_cast<std::size_t>(i)]);
  return out;
}

// Only like compares with like: 1 and 1.0 do not.
Result<bool> comparison_holds(json::View left, std::string_view op, json::View right) {
  if (left.type() != right.type() || left.is_object() || left.is_array()) {
    return fail(ErrorKind::Invalid, "incompatible types for comparison");
  }
  if (op == "==") return left == right;
  if (op == "!=") return !(left == right);
  if (left.is_bool() || left.is_null()) {
    return fail(ErrorKind::Invalid, "invalid type for comparison");
  }
  const auto order = left.is_string()                       ? left.as_string() <=> right.as_string()
                     : left.is_int()                        ? left.as_int() <=> right.as_int()
                     : left.as_double() < right.as_double() ? std::strong_ordering::less
                     : left.as_double() == right.as_double() ? std::strong_ordering::equal
                                                             : std::strong_ordering::greater;
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  if (op == ">=") return order >= 0;
  return fail(ErrorKind::Invalid, fmt::format("unrecognized filter operator {}", op));
}

// Whether one element passes; an operand that leads to several things is an error.
Result<bool> passes(const Step& step, json::View element) {
  auto left = walk(step.parts[0], {element});
  if (step.op == "exists") return left && !left->empty();
  if (!left) return std::unexpected(left.error());
  if (left->empty()) return false;
  if (left->size() > 1) return fail(ErrorKind::Invalid, "can only compare one element at a time");
  FP_TRY(right, walk(step.parts[1], {element}));
  if (right.empty()) return false;
  if (right.size() > 1) return fail(ErrorKind::Invalid, "can only compare one element at a time");
  return comparison_holds((*left)[0], step.op, right[0]);
}

Result<Found> take(const Step& step, const Found& input) {
  Found out;
  for (const auto value : input) {
    switch (step.kind) {
      case Step::Kind::Field:
        if (const auto member = value.find(step.name)) out.push_back(*member);
        break;
      case Step::Kind::Wildcard:
        for (const auto each : members(value)) out.push_back(each);
        break;
      case Step::Kind::Recursive: everything(value, out); break;
      case Step::Kind::Literal: out.push_back(step.literal); break;
      case Step::Kind::Slice: {
        if (value.is_null()) break;
        if (!value.is_array()) return fail(ErrorKind::Invalid, "not array or slice");
        FP_TRY(part, slice(step, value));
        for (const auto each : part) out.push_back(each);
        break;
      }
      case Step::Kind::Filter:
        if (!value.is_array()) {
          return fail(ErrorKind::Invalid, "not array or slice and cannot be filtered");
        }
        for (const auto element : value.elements()) {
          FP_TRY(passed, passes(step, element));
          if (passed) out.push_back(element);
        }
        break;
      case Step::Kind::Union: break;
    }
  }
  if (step.kind == Step::Kind::Union) {
    for (const auto& part : step.parts) {
      FP_TRY(found, walk(part, input));
      for (const auto each : found) out.push_back(each);
    }
  }
  return out;
}

Result<Found> walk(const Steps& steps, Found found) {
  for (const auto& step : steps) {
    FP_TRY(next, take(step, found));
    found = std::move(next);
  }
  return found;
}

// As Go's fmt prints a value, or its JSON where it has members.
std::string text_of(json::View value) {
  if (value.is_null()) return "<no value>";
  if (value.is_string()) return std::string{value.as_string()};
  if (value.type() == json::Type::Float) return go_number(value.as_double());
  return json::to_text(value);
}

json::Draft date_cell(json::View value, Instant now) {
  if (!value.is_string()) return {};
  const auto text = value.as_string();
  if (text.empty() || text == "null") return "<unknown>";
  const auto then = parse_rfc3339(text);
  if (!then) return "<invalid>";
  return human_duration(now - *then);
}

}  // namespace

Result<std::vector<json::View>> SimpleJsonPath::find(json::View object) const {
  if (steps_ == nullptr) return Found{};
  return walk(*steps_, {object});
}

json::Draft table_cell(const SimpleJsonPath& path, std::string_view column_type, json::View object,
                       Instant now) {
  const auto found = path.find(object);
  if (!found || found->empty()) return {};
  const auto value = found->front();
  if (column_type == "string") return text_of(value);
  if (column_type == "integer") {
    if (value.is_int()) return json::Draft{value};
    if (!value.is_number()) return {};
    constexpr double kLimit = 9223372036854775808.0;
    const double real = value.as_double();
    if (!(real > -kLimit && real < kLimit)) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(real);
  }
  if (column_type == "number") return value.is_number() ? json::Draft{value} : json::Draft{};
  if (column_type == "boolean") return value.is_bool() ? json::Draft{value} : json::Draft{};
  return column_type == "date" ? date_cell(value, now) : json::Draft{};
}

std::string selectable_value(const SimpleJsonPath& path, json::View object) {
  const auto found = path.find(object);
  if (!found || found->size() != 1 || found->front().is_null()) return {};
  return text_of(found->front());
}

}  // namespace fixpoint::kube
