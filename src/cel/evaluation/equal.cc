// SPDX-License-Identifier: Apache-2.0
//
// Equality and order of values.
#include "cel/evaluation/value.h"
#include "cel/syntax/escape.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fixpoint::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

bool is_number(const Value& value) {
  return value.is(Kind::Int) || value.is(Kind::Uint) || value.is(Kind::Double);
}

int sign(std::partial_ordering order) {
  if (order < 0) return -1;
  return order > 0 ? 1 : 0;
}

int against(double a, std::int64_t b) {
  if (a < -kTwoTo63) return -1;
  if (a >= kTwoTo63) return 1;
  return sign(a <=> static_cast<double>(b));
}

int against(double a, std::uint64_t b) {
  if (a < 0) return -1;
  if (a >= kTwoTo64) return 1;
  return sign(a <=> static_cast<double>(b));
}

bool is_nan(const Value& value) {
  return value.is(Kind::Double) && std::isnan(value.as_double());
}

// Neither is NaN.
int compare_numbers(const Value& a, const Value& b) {
  if (a.is(Kind::Double)) {
    if (b.is(Kind::Double)) return sign(a.as_double() <=> b.as_double());
    if (b.is(Kind::Int)) return against(a.as_double(), b.as_int());
    return against(a.as_double(), b.as_uint());
  }
  if (b.is(Kind::Double)) return -compare_numbers(b, a);
  if (a.kind() == b.kind()) {
    return a.is(Kind::Int) ? sign(a.as_int() <=> b.as_int()) : sign(a.as_uint() <=> b.as_uint());
  }
  if (a.is(Kind::Uint)) return -compare_numbers(b, a);
  if (a.as_int() < 0) return -1;
  return sign(static_cast<std::uint64_t>(a.as_int()) <=> b.as_uint());
}

Value equal_map_lists(const Value& a, const Value& b) {
  const auto& keys = a.list_shape()->list_keys;
  std::unordered_map<std::string, Value> mine;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto element = a.at(i);
    if (auto text = element_keys(element, keys)) {
      mine.insert_or_assign(*std::move(text), std::move(element));
    }
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto wanted = b.at(i);
    const auto text = element_keys(wanted, keys);
    const auto found = text ? mine.find(*text) : mine.end();
    if (found == mine.end()) return Value::boolean(false);
    auto same = equal(found->second, wanted);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

// Elements of sets are scalars, or whole values that are compared as they are.
Value equal_sets(const Value& a, const Value& b) {
  std::unordered_set<std::string> mine;
  std::vector<Value> others;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto element = a.at(i);
    if (auto key = key_text(element)) {
      mine.insert(std::move(*key));
    } else {
      others.push_back(std::move(element));
    }
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto wanted = b.at(i);
    const auto key = key_text(wanted);
    const bool found =
        key ? mine.contains(*key) : std::ranges::any_of(others, [&](const Value& each) {
          return equal(each, wanted).is_true();
        });
    if (!found) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value equal_lists(const Value& a, const Value& b) {
  if (a.size() != b.size()) return Value::boolean(false);
  if (const auto* shape = a.list_shape()) {
    if (shape->list_type == kube::ListType::Map) return equal_map_lists(a, b);
    if (shape->list_type == kube::ListType::Set) return equal_sets(a, b);
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto same = equal(a.at(i), b.at(i));
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

// Fields that no schema speaks of are compared as JSON.
Value equal_objects(const Placed& a, const Value& b) {
  const auto* other = b.placed();
  for (auto [name, value] : a.json.members()) {
    const auto* field = a.shape->kind == ShapeKind::Map ? nullptr : a.shape->field(name);
    if (a.shape->kind != ShapeKind::Map && field == nullptr) {
      if (other == nullptr) return Value::no_overload();
      const auto theirs = other->json.find(name);
      if (theirs && !(*theirs == value)) return Value::boolean(false);
      continue;
    }
    const auto key = Value::borrowed(field == nullptr ? name : std::string_view{field->escaped});
    const auto mine = field != nullptr && value.is_null()
                          ? Value::Found{}
                          : Value::Found{true, Value::of(value, field == nullptr ? *a.shape->element
                                                                                 : *field->shape)};
    auto theirs = b.find(key);
    if (field != nullptr && field->escaped.empty() && other != nullptr) {
      const auto json = other->json.find(name);
      theirs = json ? Value::Found{true, Value::of(*json, *field->shape)} : Value::Found{};
    }
    if (mine.found != theirs.found) return Value::boolean(false);
    if (!mine.found) continue;
    auto same = equal(mine.value, theirs.value);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

Value equal_maps(const Value& a, const Value& b) {
  if (a.size() != b.size()) return Value::boolean(false);
  if (const auto* here = a.placed()) return equal_objects(*here, b);
  for (const auto& entry : a.map().entries()) {
    const auto theirs = b.find(entry.key);
    if (!theirs.found) return Value::boolean(false);
    auto same = equal(entry.value, theirs.value);
    if (!same.is_true()) return same;
  }
  return Value::boolean(true);
}

int compare_identifiers(const std::string& a, const std::string& b) {
  const auto numeric = [](const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (numeric(a) != numeric(b)) return numeric(a) ? -1 : 1;
  if (numeric(a) && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return sign(a <=> b);
}

int compare_versions(const Semver& a, const Semver& b) {
  if (a.major != b.major) return a.major < b.major ? -1 : 1;
  if (a.minor != b.minor) return a.minor < b.minor ? -1 : 1;
  if (a.patch != b.patch) return a.patch < b.patch ? -1 : 1;
  if (a.before.empty() != b.before.empty()) return a.before.empty() ? 1 : -1;
  for (std::size_t i = 0; i < std::min(a.before.size(), b.before.size()); ++i) {
    if (const auto order = compare_identifiers(a.before[i], b.before[i]); order != 0) return order;
  }
  return sign(a.before.size() <=> b.before.size());
}

bool same_scalar(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::Null: return true;
    case Kind::Bool: return a.as_bool() == b.as_bool();
    case Kind::String:
    case Kind::Bytes: return a.text() == b.text();
    case Kind::Duration: return a.nanos() == b.nanos();
    case Kind::Timestamp: return a.moment() == b.moment();
    case Kind::Type: return a.type_name() == b.type_name();
    case Kind::Quantity: return a.quantity() == b.quantity();
    case Kind::Ip: return a.ip() == b.ip();
    case Kind::Cidr:
      return a.cidr().address == b.cidr().address && a.cidr().prefix_bits == b.cidr().prefix_bits;
    case Kind::Url: return a.url().text == b.url().text;
    case Kind::Format: return &a.format() == &b.format();
    case Kind::Semver: return compare_versions(a.semver(), b.semver()) == 0;
    case Kind::Unknown: return a.placed()->json == b.placed()->json;
    default: return false;
  }
}

}  // namespace

Value equal(const Value& a, const Value& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (is_number(a) && is_number(b)) {
    return Value::boolean(!is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0);
  }
  if (a.kind() != b.kind()) return Value::boolean(false);
  switch (a.kind()) {
    case Kind::List: return equal_lists(a, b);
    case Kind::Map: return equal_maps(a, b);
    case Kind::Optional:
      if (a.inner() == nullptr || b.inner() == nullptr) {
        return Value::boolean(a.inner() == b.inner());
      }
      return equal(*a.inner(), *b.inner());
    default: return Value::boolean(same_scalar(a, b));
  }
}

Value compare(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) {
    if (is_nan(a) || is_nan(b)) return Value::error("NaN values cannot be ordered");
    return Value::integer(compare_numbers(a, b));
  }
  if (a.kind() != b.kind()) return Value::no_overload();
  switch (a.kind()) {
    case Kind::Bool: return Value::integer(sign(a.as_bool() <=> b.as_bool()));
    case Kind::String:
    case Kind::Bytes: return Value::integer(sign(a.text() <=> b.text()));
    case Kind::Duration: return Value::integer(sign(a.nanos() <=> b.nanos()));
    case Kind::Timestamp: return Value::integer(sign(a.moment() <=> b.moment()));
    case Kind::Quantity: return Value::integer(sign(a.quantity() <=> b.quantity()));
    case Kind::Semver: return Value::integer(compare_versions(a.semver(), b.semver()));
    default: return Value::no_overload();
  }
}

// A real server looks for escaped names in JSON, which has plain ones, and so takes all elements
// of a list whose keys need escaping for one.
std::optional<std::string> element_keys(const Value& element,
                                        const std::vector<std::string>& keys) {
  const auto* here = element.placed();
  if (here == nullptr || !here->json.is_object()) return std::nullopt;
  std::string out;
  for (const auto& key : keys) {
    const auto hash = here->json.get(escaped(key).value_or(key)).hash();
    out.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  }
  return out;
}

}  // namespace fixpoint::cel
