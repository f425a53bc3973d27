// SPDX-License-Identifier: Apache-2.0
#include "types/schema.h"

#include "cel/syntax/escape.h"
#include "json/print.h"
#include "types/encode.h"
#include "types/scalars.h"
#include "types/words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fixpoint::types {
namespace {

// As people write it: 9, not 9.0.
json::Draft number(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (value == std::trunc(value) && std::fabs(value) <= kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

json::Draft count(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

void add_bounds(json::Draft& schema, Shape shape, const Limits& limits) {
  const auto bounds = bounds_of(shape, limits);
  if (bounds.minimum) schema["minimum"] = number(*bounds.minimum);
  if (bounds.maximum) schema["maximum"] = number(*bounds.maximum);
  if (limits.exclusive_minimum) schema["exclusiveMinimum"] = true;
  if (limits.exclusive_maximum) schema["exclusiveMaximum"] = true;
  if (limits.multiple_of) schema["multipleOf"] = number(*limits.multiple_of);
}

void add_text(json::Draft& schema, Shape shape, const Limits& limits) {
  auto length_max = limits.max_length;
  if (const auto implied = implied_length_max(shape)) {
    length_max = std::min(length_max.value_or(*implied), *implied);
  }
  if (limits.min_length) schema["minLength"] = count(*limits.min_length);
  if (length_max) schema["maxLength"] = count(*length_max);
  // A type's own pattern comes first; the author's is asked for beside it.
  const auto implied = implied_pattern(shape);
  if (!implied.empty()) schema["pattern"] = implied;
  if (!limits.pattern.empty() && limits.pattern_advice.empty()) {
    if (implied.empty()) {
      schema["pattern"] = limits.pattern;
    } else {
      schema.array_at("allOf").push_back(json::Draft::object({
          {"pattern", limits.pattern}
      }));
    }
  }
  if (!limits.format.empty()) schema["format"] = limits.format;
  if (!limits.one_of.empty()) schema["enum"] = text_list(limits.one_of);
}

void add_integer(json::Draft& schema, Shape shape, const Limits& limits) {
  schema["type"] = "integer";
  // Numbers of 32 unsigned bits have no format of their own.
  schema["format"] = shape == Shape::Int32 ? "int32" : "int64";
  add_bounds(schema, shape, limits);
}

void add_int_or_string(json::Draft& schema, Shape shape, const Limits& limits) {
  schema["x-kubernetes-int-or-string"] = true;
  schema["anyOf"] = json::Draft::array({
      json::Draft::object({{"type", "integer"}}
      ), json::Draft::object({{"type", "string"} }
      )
  });
  add_text(schema, shape, limits);
  if (shape == Shape::IntOrString) add_bounds(schema, shape, limits);
}

void add_list(json::Draft& schema, const Type& type, const Limits& limits) {
  schema["type"] = "array";
  schema["items"] = schema_of(type.element(), item_limits(limits));
  if (limits.min_items) schema["minItems"] = count(*limits.min_items);
  if (limits.max_items) schema["maxItems"] = count(*limits.max_items);
  switch (limits.list) {
    case ListKind::Atomic: schema["x-kubernetes-list-type"] = "atomic"; break;
    case ListKind::Set: schema["x-kubernetes-list-type"] = "set"; break;
    case ListKind::Map:
      schema["x-kubernetes-list-type"] = "map";
      schema["x-kubernetes-list-map-keys"] = text_list(limits.keys);
  }
}

void add_map(json::Draft& schema, const Type& type, const Limits& limits) {
  schema["type"] = "object";
  schema["additionalProperties"] = schema_of(type.element(), item_limits(limits));
  if (limits.min_items) schema["minProperties"] = count(*limits.min_items);
  if (limits.max_items) schema["maxProperties"] = count(*limits.max_items);
}

void add_free_form(json::Draft& schema, const Limits& limits) {
  if (limits.holds != Holds::Anything) schema["type"] = "object";
  if (limits.holds == Holds::Resource) schema["x-kubernetes-embedded-resource"] = true;
  schema["x-kubernetes-preserve-unknown-fields"] = true;
}

json::Draft typed(const Type& type, const Limits& limits) {
  auto schema = json::Draft::object();
  switch (type.shape) {
    case Shape::Optional: return typed(type.element(), limits);
    case Shape::Struct: return schema_of(type.table());
    case Shape::List: add_list(schema, type, limits); break;
    case Shape::Map: add_map(schema, type, limits); break;
    case Shape::Json: add_free_form(schema, limits); break;
    case Shape::Bool: schema["type"] = "boolean"; break;
    case Shape::Double:
      schema["type"] = "number";
      add_bounds(schema, type.shape, limits);
      break;
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Uint32: add_integer(schema, type.shape, limits); break;
    case Shape::Quantity:
    case Shape::IntOrString: add_int_or_string(schema, type.shape, limits); break;
    case Shape::Enum:
      schema["type"] = "string";
      schema["enum"] = text_list(type.names);
      break;
    case Shape::String:
    case Shape::Duration:
    case Shape::Instant:
      schema["type"] = "string";
      add_text(schema, type.shape, limits);
      if (type.shape == Shape::Instant) schema["format"] = "date-time";
  }
  return schema;
}

// Limits of durations and quantities have no keyword; CEL compares them. Of a text that is no
// quantity its pattern speaks already.
std::vector<Rule> implied_rules(const Type& type, const Limits& limits) {
  std::vector<Rule> rules;
  const auto shape = inner(type).shape;
  if (!limits.pattern_advice.empty()) {
    rules.push_back({.rule = fmt::format("self.matches(r'{}')", limits.pattern),
                     .message = limits.pattern_advice});
  }
  const auto add = [&](std::string_view sign, std::string_view words, const std::string& limit) {
    if (limit.empty()) return;
    rules.push_back(
        {.rule = shape == Shape::Duration
                     ? fmt::format("duration(self) {} duration('{}')", sign, limit)
                     : fmt::format("!isQuantity(string(self)) || "
                                   "quantity(string(self)).compareTo(quantity('{}')) {} 0",
                                   limit, sign),
         .message = fmt::format("must be {} or equal to {}", words, limit)});
  };
  add(">=", "greater than", limits.at_least);
  add("<=", "less than", limits.at_most);
  if (limits.immutable) rules.push_back({.rule = "self == oldSelf", .message = "is immutable"});
  return rules;
}

// `kubectl explain` shows what values there are, but not which one is taken when none is given.
std::string described(const Field& field) {
  if (!field.default_value) return field.doc;
  const json::View value = *field.default_value;
  if (value.is_object() || value.is_array()) return field.doc;
  const auto shown = value.is_string() ? std::string{value.as_string()} : json::to_text(value);
  return fmt::format("{} Default: {}.", field.doc, shown);
}

// `self == oldSelf` is asked only while the field is there: giving or taking it is a change too.
void add_presence_rules(const Table& table, std::vector<Rule>& rules) {
  for (const auto& field : table.fields) {
    const bool always = field.limits.required || field.default_value.has_value();
    if (!field.limits.immutable || always) continue;
    // A name that no expression can have is told of when the rule is compiled.
    const auto name = cel::escaped(field.name).value_or(field.name);
    rules.push_back({.rule = fmt::format("has(self.{0}) == has(oldSelf.{0})", name),
                     .message = fmt::format("{} is immutable", field.name),
                     .field_path = "." + field.name});
  }
}

}  // namespace

json::Draft rules_of(const std::vector<Rule>& rules) {
  auto list = json::Draft::array();
  for (const auto& rule : rules) {
    auto& entry = list.push_back(json::Draft::object({
        {"rule", rule.rule}
    }));
    if (!rule.message.empty()) entry["message"] = rule.message;
    if (!rule.message_expression.empty()) entry["messageExpression"] = rule.message_expression;
    if (!rule.field_path.empty()) entry["fieldPath"] = rule.field_path;
    if (!rule.reason.empty()) entry["reason"] = rule.reason;
    if (rule.optional_old_self) entry["optionalOldSelf"] = true;
  }
  return list;
}

json::Draft schema_of(const Type& type, const Limits& limits) {
  auto schema = typed(type, limits);
  if (limits.nullable) schema["nullable"] = true;
  if (limits.atomic) schema["x-kubernetes-map-type"] = "atomic";
  auto rules = implied_rules(type, limits);
  rules.insert(rules.end(), limits.rules.begin(), limits.rules.end());
  // A struct brings rules of its own.
  if (!rules.empty()) {
    auto all = rules_of(rules);
    if (auto* own = schema.find("x-kubernetes-validations")) {
      for (auto& rule : all.elements()) own->push_back(std::move(rule));
    } else {
      schema["x-kubernetes-validations"] = std::move(all);
    }
  }
  return schema;
}

json::Draft schema_of(const Table& table) {
  auto schema = json::Draft::object({
      {"type", "object"}
  });
  if (!table.doc.empty()) schema["description"] = table.doc;
  auto required = json::Draft::array();
  for (const auto& field : table.fields) {
    auto& property = schema.object_at("properties")[field.name];
    property = schema_of(*field.type, field.limits);
    if (!field.doc.empty()) property["description"] = described(field);
    if (const auto& value = field.default_value) property["default"] = *value;
    if (field.limits.required) required.push_back(field.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  auto rules = table.rules;
  add_presence_rules(table, rules);
  if (!rules.empty()) schema["x-kubernetes-validations"] = rules_of(rules);
  return schema;
}

}  // namespace fixpoint::types
