// SPDX-License-Identifier: Apache-2.0
//
// For tests: every operation on a spec that its table suggests. Each field is taken away, set to
// what lies on and beside its limits, to values of other types, and to what people mistake for a
// value. In the order of the table, the same in every run.
#pragma once

#include "base/rng.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "types/sample.h"
#include "types/table.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::operators::stellar {

struct SpecOperation {
  std::vector<std::string> path;  // names of fields; "0" is the first element of a list
  json::Value value;              // null: the field is taken away

  // "spec.ingress.hosts[0].host"
  std::string field() const {
    std::string text = "spec";
    for (const auto& name : path) text += name == "0" ? "[0]" : "." + name;
    return text;
  }
  // The spec with this done to it. What is missing on the way is made.
  json::Value on(const json::Value& spec) const {
    json::Draft draft(spec);
    apply(draft, 0);
    return draft.freeze();
  }

 private:
  void apply(json::Draft& draft, std::size_t depth) const {
    const auto& name = path[depth];
    const bool last = depth + 1 == path.size();
    if (name == "0") {
      if (!draft.is_array() || draft.empty()) draft = json::Draft::array({json::Draft::object()});
      auto& element = draft.elements().front();
      if (last) {
        element = value;
      } else {
        apply(element, depth + 1);
      }
      return;
    }
    if (!draft.is_object()) draft = json::Draft::object();
    if (last && value.is_null()) {
      draft.erase(name);
    } else if (last) {
      draft[name] = value;
    } else {
      apply(draft[name], depth + 1);
    }
  }
};

class SpecOperations {
 public:
  static std::vector<SpecOperation> of(const types::Table& table) {
    SpecOperations made;
    made.add_fields(table, {});
    return std::move(made.operations_);
  }

 private:
  using Path = std::vector<std::string>;
  static constexpr std::size_t kDepthMax = 8;  // no table nests deeper

  static Path below(Path path, std::string_view name) {
    path.emplace_back(name);
    return path;
  }
  void add(const Path& path, const json::Draft& value) {
    operations_.push_back({path, value.freeze()});
  }

  void add_fields(const types::Table& table, const Path& path) {
    if (path.size() >= kDepthMax) return;
    for (const auto& field : table.fields) {
      const auto place = below(path, field.name);
      operations_.push_back({place, {}});
      add_values(*field.type, field.limits, place);
    }
  }
  void add_values(const types::Type& outer, const types::Limits& limits, const Path& path) {
    const auto& type = types::inner(outer);
    if (!limits.example.empty()) {
      if (auto example = json::parse(limits.example)) add(path, *example);
    }
    switch (type.shape) {
      case types::Shape::Bool: return add_all(path, {true, false, "yes"});
      case types::Shape::Int32:
      case types::Shape::Int64:
      case types::Shape::Uint32: return add_integers(limits, path);
      case types::Shape::Double: return add_all(path, {-1, 0, 0.5, 1, 1.5, 1000000, "0.5"});
      case types::Shape::String: return add_texts(limits, path);
      case types::Shape::Duration: return add_all(path, {"0s", "30s", "8760h", "-1s", "soon", 5});
      case types::Shape::Instant: return add_all(path, {"2026-01-02T03:04:05Z", "now", 5});
      case types::Shape::Quantity:
        return add_all(path, {"0", "1", "1Gi", "200Gi", "1m", "-1", "1GB", "", true});
      case types::Shape::IntOrString: return add_all(path, {0, 1, 3, -1, "50%", "150%", "x", ""});
      case types::Shape::Json: return add_free(limits, path);
      case types::Shape::Enum:
        for (const auto name : type.names) add(path, name);
        return add_all(path, {"Nonsense", "", 1});
      case types::Shape::List: return add_lists(type, limits, path);
      case types::Shape::Map:
        return add_all(
            path, {parsed(R"({"a":"b"})"), parsed(R"({"":""})"), parsed(R"({"not a key!":"v"})"),
                   parsed(R"({"a.b/c":"not a label "})"), json::Draft::object(), "a=b"});
      case types::Shape::Struct:
        add_all(path, {json::Draft::object(), "text", json::Draft::array()});
        return add_fields(type.table(), path);
      case types::Shape::Optional: return;
    }
  }
  void add_all(const Path& path, std::initializer_list<json::Draft> values) {
    for (const auto& value : values) add(path, value);
  }
  void add_integers(const types::Limits& limits, const Path& path) {
    add_all(path, {-1, 0, 1, 2, 7, 100, 65536, 2147483647, std::int64_t{2147483648}, "1", 1.5});
    for (const auto& limit : {limits.minimum, limits.maximum}) {
      if (!limit) continue;
      const auto at = static_cast<std::int64_t>(*limit);
      add_all(path, {at - 1, at, at + 1});
    }
  }
  void add_texts(const types::Limits& limits, const Path& path) {
    for (const auto& one : limits.one_of) add(path, one);
    add_all(path, {"", "a", "A b", "nonsense.example.com", "http://example.com/x", "\u00e4\n",
                   std::string(300, 'x'), 7, json::Draft::object()});
  }
  void add_free(const types::Limits& limits, const Path& path) {
    add_all(path, {json::Draft::object(), parsed(R"({"name":"x"})"),
                   parsed(R"({"name":"x","image":"i"})"), parsed(R"({"notAField":1})")});
    if (limits.holds == types::Holds::Anything) add(path, "text");
  }
  void add_lists(const types::Type& type, const types::Limits& limits, const Path& path) {
    add_all(path, {json::Draft::array(), json::Draft::object(), "text"});
    const auto& element = types::inner(type.element());
    if (element.shape == types::Shape::Struct) {
      Rng rng{7};
      for (int i = 0; i < 3; ++i) {
        const auto one = types::sample(element.table(), rng);
        add(path, json::Draft::array({one}));
        add(path, json::Draft::array({one, one}));
      }
      return add_fields(element.table(), below(path, "0"));
    }
    const auto items = limits.items.empty() ? types::Limits{} : limits.items.front();
    add_values(element, items, below(path, "0"));
  }
  static json::Draft parsed(std::string_view text) { return *json::parse(text); }

  std::vector<SpecOperation> operations_;
};

}  // namespace fixpoint::operators::stellar
