// SPDX-License-Identifier: Apache-2.0
//
// What makes no sense in a table or a kind: limits that the type cannot have, defaults and examples
// that the limits forbid, structs that could never be left out.
#include "cel/rules/definition_rules.h"
#include "kube/crd/crd.h"
#include "kube/scalars/duration.h"
#include "kube/schema/validate_format.h"
#include "kube/schema/validate_pattern.h"
#include "types/decode.h"
#include "types/encode.h"
#include "types/kind.h"
#include "types/scalars.h"
#include "types/words.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace fixpoint::types {
namespace {

// Deeper than any kind people could fill in; a struct that holds itself never ends.
constexpr int kDepthMax = 24;

class Finder {
 public:
  std::vector<std::string> found;

  void table(const Table& table, const std::string& path, int depth) {
    if (depth > kDepthMax) return say(path, "nests too deep, or holds itself");
    if (table.doc.empty()) say(path, "has no doc");
    std::set<std::string> names;
    for (const auto& field : table.fields) {
      const auto at = path.empty() ? field.name : path + "." + field.name;
      if (!names.insert(field.name).second) say(at, "is there twice");
      if (field.name.empty()) say(at, "has no name");
      if (field.doc.empty()) say(at, "has no doc");
      this->field(field, at);
      type(*field.type, field.limits, at, depth);
    }
    for (const auto& rule : table.rules) check(rule, path);
  }

 private:
  void say(const std::string& path, std::string_view what) {
    found.push_back(fmt::format("{}: {}", path.empty() ? "the table" : path, what));
  }

  void check(const Rule& rule, const std::string& path) {
    if (rule.rule.empty()) say(path, "has an empty rule");
    if (rule.message.empty() && rule.message_expression.empty()) {
      say(path, fmt::format("has a rule without a message: {}", rule.rule));
    }
  }

  void field(const Field& field, const std::string& path) {
    const auto& limits = field.limits;
    const bool optional = field.type->shape == Shape::Optional;
    if (limits.required && optional && !limits.nullable) {
      say(path, "is required and std::optional: one of them is wrong");
    }
    if (limits.nullable && !optional && field.type->shape != Shape::Json) {
      say(path, "is nullable: only std::optional can hold nothing");
    }
    if (field.type->shape == Shape::Struct && !limits.required) {
      for (const auto& below : field.type->table().fields) {
        if (!below.limits.required) continue;
        say(path, fmt::format("holds {}, which is required: make it required or std::optional",
                              below.name));
      }
    }
    if (const auto& value = field.default_value) try_value(field, *value, path, "its default");
  }

  // A value alone in its field must decode without errors.
  void try_value(const Field& field, json::View value, const std::string& path,
                 std::string_view what) {
    const auto object = json::Draft::object({
                                                {field.name, json::Draft{value}}
    })
                            .freeze();
    auto errors = errors_of(field, object);
    for (const auto& error : errors) say(path, fmt::format("refuses {}: {}", what, error.body()));
  }

  static kube::FieldErrors errors_of(const Field& field, json::View object) {
    // A table of this one field in a struct that is not there: nothing is read into memory that is
    // not the field's own.
    struct Room {
      explicit Room(const Type& type) : bytes(type.make()), drop(type.drop) {}
      ~Room() { drop(bytes); }
      Room(const Room&) = delete;
      Room& operator=(const Room&) = delete;
      void* bytes;
      void (*drop)(void*);
    } room(*field.type);
    Table alone;
    alone.fields.push_back(field);
    alone.fields.front().offset = 0;
    return decode(object, alone, room.bytes, {});
  }

  void type(const Type& type, const Limits& limits, const std::string& path, int depth) {
    const auto& bare = inner(type);
    numbers(bare, limits, path);
    texts(bare, limits, path);
    collections(bare, limits, path);
    amounts(bare, limits, path);
    if (limits.holds != Holds::Anything && bare.shape != Shape::Json) {
      say(path, "says what it holds, but is no json::Value");
    }
    if (limits.nullable && (bare.shape == Shape::Enum || !limits.one_of.empty())) {
      say(path, "is nullable and one of a few: Kubernetes takes no null there");
    }
    for (const auto& rule : limits.rules) check(rule, path);
    if (!limits.example.empty()) example(type, limits, path);
    if (bare.shape == Shape::Struct) table(bare.table(), path, depth + 1);
    if (bare.shape == Shape::List) {
      this->type(bare.element(), item_limits(limits), path + "[]", depth + 1);
    }
    if (bare.shape == Shape::Map) {
      this->type(bare.element(), item_limits(limits), path + "{}", depth + 1);
    }
  }

  void example(const Type& type, const Limits& limits, const std::string& path) {
    const auto value = literal(type, limits.example);
    if (!value) return say(path, fmt::format("its example: {}", value.error().message));
    const Field field{.name = "example", .doc = {}, .type = &type, .offset = 0, .limits = limits};
    try_value(field, *value, path, "its example");
  }

  void numbers(const Type& type, const Limits& limits, const std::string& path) {
    const bool counts = is_integer(type.shape) || type.shape == Shape::IntOrString;
    const bool bounded = limits.minimum || limits.maximum || limits.multiple_of;
    if (bounded && !counts && type.shape != Shape::Double) {
      say(path, "has bounds of a number, but is none");
    }
    for (const auto& bound : {limits.minimum, limits.maximum, limits.multiple_of}) {
      if (bound && counts && *bound != std::trunc(*bound)) say(path, "has a bound with a fraction");
    }
    if (limits.multiple_of && *limits.multiple_of <= 0)
      say(path, "has a multipleOf of zero or less");
    if (limits.exclusive_minimum && !limits.minimum)
      say(path, "excludes a minimum it does not have");
    if (limits.exclusive_maximum && !limits.maximum)
      say(path, "excludes a maximum it does not have");
    const auto bounds = bounds_of(type.shape, limits);
    if (bounds.minimum && bounds.maximum && *bounds.minimum > *bounds.maximum) {
      say(path, "has a minimum above its maximum");
    }
  }

  // A pattern with words is a rule, and a rule's cost must have a bound.
  void advised(const Type& type, const Limits& limits, const std::string& path) {
    if (limits.pattern_advice.empty()) return;
    if (limits.pattern.empty()) say(path, "has words for a pattern it does not have");
    if (limits.pattern.contains('\'')) say(path, "has words for a pattern with a ' in it");
    if (type.shape != Shape::String || !limits.max_length) {
      say(path, "has words for a pattern, but is no std::string of a maximum length");
    }
  }

  void texts(const Type& type, const Limits& limits, const std::string& path) {
    const bool text = (is_text(type.shape) && type.shape != Shape::Enum) ||
                      type.shape == Shape::IntOrString || type.shape == Shape::Quantity;
    const bool limited = limits.min_length || limits.max_length || !limits.pattern.empty() ||
                         !limits.format.empty() || !limits.one_of.empty();
    if (limited && !text) say(path, "has limits of a text, but is none");
    if (limits.min_length.value_or(0) > limits.max_length.value_or(SIZE_MAX)) {
      say(path, "has a minimum length above its maximum");
    }
    if (!limits.pattern.empty()) {
      if (const auto compiled = kube::Pattern::compile(limits.pattern); !compiled) {
        say(path, compiled.error().message);
      }
    }
    advised(type, limits, path);
    if (!limits.format.empty()) {
      if (kube::format_named(limits.format) == kube::Format::None) {
        say(path, fmt::format("has format {}, which nobody enforces", limits.format));
      }
      if (type.shape != Shape::String) say(path, "has a format, but is no std::string");
    }
    const bool needs_example = !limits.pattern.empty() || !limits.format.empty();
    if (needs_example && limits.example.empty() && limits.one_of.empty()) {
      say(path, "has a pattern or format and no example of it");
    }
  }

  void collections(const Type& type, const Limits& limits, const std::string& path) {
    const bool list = type.shape == Shape::List;
    if ((limits.min_items || limits.max_items || !limits.items.empty()) && !list &&
        type.shape != Shape::Map) {
      say(path, "has limits of a list, but is neither list nor map");
    }
    if (limits.items.size() > 1) say(path, "has limits for its elements more than once");
    if (limits.min_items.value_or(0) > limits.max_items.value_or(SIZE_MAX)) {
      say(path, "wants more items than it allows");
    }
    if (limits.list != ListKind::Atomic && !list) say(path, "has a list type, but is no list");
    if (!list || limits.list == ListKind::Atomic) {
      if (!limits.keys.empty()) say(path, "has keys, but is no list of type map");
      return;
    }
    const auto& element = type.element();
    if (limits.list == ListKind::Map) return keys(element, limits, path);
    if (element.shape == Shape::Struct || element.shape == Shape::List ||
        element.shape == Shape::Map) {
      say(path, "is a set, but its elements are no scalars");
    }
  }

  void keys(const Type& element, const Limits& limits, const std::string& path) {
    if (element.shape != Shape::Struct)
      return say(path, "has keys, but its elements are no structs");
    if (limits.keys.empty()) say(path, "is a list of type map without keys");
    for (const auto& key : limits.keys) {
      const auto* field = element.table().find(key);
      if (field == nullptr) {
        say(path, fmt::format("has a key {}, which its elements lack", key));
      } else if (!field->limits.required && !field->default_value) {
        say(path, fmt::format("has a key {}, which is neither required nor has a default", key));
      }
    }
  }

  void amounts(const Type& type, const Limits& limits, const std::string& path) {
    for (const auto& limit : {limits.at_least, limits.at_most}) {
      if (limit.empty()) continue;
      if (type.shape == Shape::Duration) {
        if (!kube::parse_duration(limit)) say(path, fmt::format("{} is no duration", limit));
      } else if (type.shape == Shape::Quantity) {
        if (!kube::Quantity::parse(limit)) say(path, fmt::format("{} is no quantity", limit));
      } else {
        say(path, "has bounds of a duration or quantity, but is neither");
      }
    }
  }
};

}  // namespace

std::vector<std::string> mistakes(const Table& table) {
  Finder finder;
  finder.table(table, {}, 0);
  return std::move(finder.found);
}

std::vector<std::string> mistakes(const Kind& kind) {
  std::vector<std::string> all;
  const auto add = [&](std::string_view where, const std::vector<std::string>& found) {
    for (const auto& each : found) all.push_back(fmt::format("{} {} {}", kind.name, where, each));
  };
  if (kind.doc.empty()) all.push_back(fmt::format("{}: has no doc", kind.name));
  for (const auto& version : kind.versions) {
    if (version.spec != nullptr) add(version.name + " spec", mistakes(*version.spec));
    if (version.status != nullptr) add(version.name + " status", mistakes(*version.status));
  }
  // What the tables get wrong would be said again, in other words.
  if (!all.empty()) return all;
  // As the server completes it before it looks.
  json::Draft draft{crd(kind)};
  kube::set_crd_defaults(draft);
  kube::prepare_crd(draft, {});
  const auto definition = draft.freeze();
  for (const auto& error : cel::validate_crd(definition)) all.push_back(error.to_string());
  return all;
}

}  // namespace fixpoint::types
