// SPDX-License-Identifier: Apache-2.0
#include "types/sample.h"

#include "json/draft.h"
#include "types/encode.h"
#include "types/scalars.h"
#include "types/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace fixpoint::types {
namespace {

constexpr std::size_t kItemsAboveMinimum = 3;

class Sampler {
 public:
  Sampler(Rng& rng, SampleOptions options) : rng_(rng), options_(options) {}

  json::Draft object(const Table& table) {
    auto out = json::Draft::object();
    for (const auto& field : table.fields) {
      const bool leave_out = field.limits.required ? wild() : one_in(2);
      if (leave_out) continue;
      out[field.name] = value(*field.type, field.limits);
    }
    if (wild()) out["notAField"] = 1;
    return out;
  }

  json::Draft value(const Type& type, const Limits& limits) {
    if (wild()) return wild_value(type, limits);
    return good_value(type, limits);
  }

 private:
  bool one_in(std::uint64_t n) { return rng_.below(n) == 0; }
  bool wild() { return rng_.below(1000) < options_.wild_per_mille; }
  template <class Range>
  auto pick(const Range& range) {
    return *std::next(range.begin(), static_cast<std::ptrdiff_t>(rng_.below(range.size())));
  }

  json::Draft good_value(const Type& type, const Limits& limits) {
    if (limits.nullable && one_in(5)) return {};
    const auto& bare = inner(type);
    switch (bare.shape) {
      case Shape::Bool: return one_in(2);
      case Shape::Int32:
      case Shape::Int64:
      case Shape::Uint32: return integer(bare.shape, limits);
      case Shape::Double: return number(limits);
      case Shape::String: return text(limits);
      case Shape::Duration:
        return amount(limits, std::array{"0s", "30s", "1h30m", "1.5h", "2160h", "250ms"});
      case Shape::Quantity: return quantity(limits);
      case Shape::Instant:
        return fmt::format("2026-0{}-1{}T03:04:05Z", 1 + rng_.below(9), rng_.below(10));
      case Shape::IntOrString: return int_or_string(limits);
      case Shape::Json: return free_form(limits);
      case Shape::Enum: return pick(bare.names);
      case Shape::List: return list(bare, limits);
      case Shape::Map: return map(bare, limits);
      case Shape::Struct: return object(bare.table());
      case Shape::Optional: break;
    }
    return {};
  }

  json::Draft integer(Shape shape, const Limits& limits) {
    const auto bounds = bounds_of(shape, limits);
    const auto step = static_cast<std::int64_t>(limits.multiple_of.value_or(1));
    auto low = static_cast<std::int64_t>(bounds.minimum.value_or(-1000));
    auto high = static_cast<std::int64_t>(bounds.maximum.value_or(static_cast<double>(low) + 2000));
    if (limits.exclusive_minimum) ++low;
    if (limits.exclusive_maximum) --high;
    // Multiples only, from the first to the last.
    const auto floor_div = [](std::int64_t a, std::int64_t b) {
      return a / b - (a % b != 0 && a < 0 ? 1 : 0);
    };
    const auto first = floor_div(low + step - 1, step);
    const auto last = floor_div(high, step);
    if (last <= first || one_in(8)) return first * step;
    if (one_in(8)) return last * step;
    const auto span = static_cast<std::uint64_t>(last - first);
    return (first + static_cast<std::int64_t>(rng_.below(std::min<std::uint64_t>(span, 1000)))) *
           step;
  }

  json::Draft number(const Limits& limits) {
    const double low = limits.minimum.value_or(limits.maximum.value_or(1) - 1);
    const double high = limits.maximum.value_or(low + 1);
    if (limits.multiple_of) {
      return *limits.multiple_of * std::ceil((low + high) / 2 / *limits.multiple_of);
    }
    return low + (high - low) * static_cast<double>(1 + rng_.below(7)) / 8;
  }

  json::Draft text(const Limits& limits) {
    if (!limits.one_of.empty()) return pick(limits.one_of);
    if (!limits.example.empty() && (!limits.pattern.empty() || !limits.format.empty())) {
      return limits.example;
    }
    static constexpr std::array<std::string_view, 8> kPieces{"a", "b",      "z9",     "-",
                                                             " ", "\u00e4", "\u6c34", "0"};
    const auto low = limits.min_length.value_or(0);
    const auto high = std::min(limits.max_length.value_or(low + 12), low + 12);
    const auto length = low + rng_.below(high - low + 1);
    std::string out;
    for (std::size_t count = 0; count < length; ++count) {
      const auto piece = pick(kPieces);
      out += piece == "z9" && count + 1 == length ? "z" : piece;
      if (piece == "z9") ++count;
    }
    return out;
  }

  // One of those that lie within the limits; the limits themselves always do.
  template <class Texts>
  json::Draft amount(const Limits& limits, const Texts& texts) {
    if (!limits.example.empty() && one_in(2)) return limits.example;
    if (!limits.at_least.empty()) return limits.at_least;
    if (!limits.at_most.empty()) return limits.at_most;
    if (!limits.pattern.empty() && !limits.example.empty()) return limits.example;
    return pick(texts);
  }

  json::Draft quantity(const Limits& limits) {
    const bool plain = limits.at_least.empty() && limits.at_most.empty() && limits.pattern.empty();
    if (plain && one_in(4)) return static_cast<std::int64_t>(rng_.below(100));
    return amount(limits, std::array{"0", "100m", "10Gi", "1.5", "1e3", "-2", ".5G"});
  }

  json::Draft int_or_string(const Limits& limits) {
    if (one_in(2)) return integer(Shape::IntOrString, limits);
    if (!limits.pattern.empty() || !limits.one_of.empty()) return text(limits);
    return pick(std::array{"30%", "http", "0"});
  }

  json::Draft free_form(const Limits& limits) {
    auto object = json::Draft::object({
        {"list", json::Draft::array({1, "two", 3.5})}
    });
    if (limits.holds == Holds::Resource) {
      object["apiVersion"] = "v1";
      object["kind"] = "ConfigMap";
      object["metadata"] = json::Draft::object({
          {"name", "child"}
      });
    }
    if (limits.holds == Holds::Anything && one_in(2)) return "text";
    return object;
  }

  std::size_t some(const Limits& limits) {
    const auto low = limits.min_items.value_or(0);
    const auto high = std::min(limits.max_items.value_or(SIZE_MAX), low + kItemsAboveMinimum);
    return low + rng_.below(high - low + 1);
  }

  json::Draft list(const Type& type, const Limits& limits) {
    auto out = json::Draft::array();
    std::set<Hash128> seen;
    const auto size = some(limits);
    // Sets and maps need different elements; small enumerations may not have that many.
    for (std::size_t tries = 0; out.size() < size && tries < 20 * size; ++tries) {
      auto element = value(type.element(), item_limits(limits));
      if (limits.list != ListKind::Atomic) {
        if (!seen.insert(key_of(element, limits).hash()).second) continue;
      }
      out.push_back(std::move(element));
    }
    // Once more what is there already: sets and maps refuse that.
    if (!out.empty() && wild()) out.push_back(json::Draft{out.elements().front()});
    return out;
  }

  static json::Value key_of(const json::Draft& element, const Limits& limits) {
    if (limits.list == ListKind::Set || !element.is_object()) return element.freeze();
    auto key = json::Draft::object();
    for (const auto& name : limits.keys) {
      if (const auto* member = element.find(name)) key[name] = *member;
    }
    return key.freeze();
  }

  json::Draft map(const Type& type, const Limits& limits) {
    auto out = json::Draft::object();
    const auto size = some(limits);
    for (std::size_t i = 0; i < size; ++i) {
      out[fmt::format("key-{}", i)] = value(type.element(), item_limits(limits));
    }
    return out;
  }

  // Near misses first: they are what validators get wrong.
  json::Draft wild_value(const Type& type, const Limits& limits) {
    std::vector<json::Draft> all{
        {},
        true,
        0,
        -1,
        1,
        7,
        1.5,
        2.0,
        -0.5,
        1e300,
        std::int64_t{3'000'000'000},
        std::int64_t{5'000'000'000},
        "",
        "x",
        "10",
        "1h",
        "1Gi",
        "24h0m0s",
        "1e999",
        "1.5e3",
        "9999999h",
        "2026-01-02T03:04:05Z",
        "2026-01-02t03:04:05z",
        "0001-01-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        std::string(300, 'y'),
        json::Draft::array(),
        json::Draft::array({1, "a", json::Draft{}}
        ),
        json::Draft::object(),
        json::Draft::object({{"name", 1}, {"kind", "X"}}
        )
    };
    const auto& bare = inner(type);
    const auto bounds = bounds_of(bare.shape, limits);
    for (const auto& bound : {bounds.minimum, bounds.maximum}) {
      if (!bound) continue;
      for (const int off : {-1, 0, 1}) all.emplace_back(static_cast<std::int64_t>(*bound) + off);
    }
    for (const auto& length : {limits.min_length, limits.max_length}) {
      if (!length) continue;
      all.emplace_back(std::string(*length + 1, 'z'));
      if (*length > 0) all.emplace_back(std::string(*length - 1, 'z'));
    }
    if (!limits.example.empty()) {
      all.emplace_back(limits.example + "!");
      all.emplace_back(limits.example.substr(1));
    }
    return pick(all);
  }

  Rng& rng_;
  SampleOptions options_;
};

json::Draft shown_value(const Type& type, const Limits& limits);

json::Draft shown_object(const Table& table) {
  auto out = json::Draft::object();
  for (const auto& field : table.fields) {
    if (!field.limits.required && field.limits.example.empty()) continue;
    out[field.name] = shown_value(*field.type, field.limits);
  }
  return out;
}

json::Draft shown_value(const Type& type, const Limits& limits) {
  const auto& bare = inner(type);
  if (!limits.example.empty()) {
    if (auto value = literal(bare, limits.example)) return *std::move(value);
  }
  if (bare.shape == Shape::Struct) return shown_object(bare.table());
  if (bare.shape == Shape::List) {
    auto list = json::Draft::array();
    for (std::size_t i = 0; i < std::max<std::size_t>(limits.min_items.value_or(1), 1); ++i) {
      list.push_back(shown_value(bare.element(), item_limits(limits)));
    }
    return list;
  }
  if (bare.shape == Shape::String && limits.one_of.empty()) {
    const auto text = std::string{"example"}.substr(0, limits.max_length.value_or(SIZE_MAX));
    return text + std::string(limits.min_length.value_or(0) -
                                  std::min(limits.min_length.value_or(0), text.size()),
                              'x');
  }
  Rng rng{1};
  return Sampler{rng, {}}.value(type, limits);
}

}  // namespace

json::Value sample(const Table& table, Rng& rng, SampleOptions options) {
  return Sampler{rng, options}.object(table).freeze();
}

json::Value example(const Kind& kind) {
  const auto& version = kind.storage_version();
  auto name = kind.name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  auto object = json::Draft::object({
      {"apiVersion", kube::GroupVersion{kind.group, version.name}.api_version()},
      {"kind",       kind.name                                                 },
      {"metadata",   json::Draft::object({{"name", "my-" + name}})             },
  });
  if (version.spec != nullptr) object["spec"] = shown_object(*version.spec);
  return object.freeze();
}

}  // namespace fixpoint::types
