// SPDX-License-Identifier: Apache-2.0
//
// One value against one schema. The order of the checks, what each counts as a match and which
// error hides which are those of the library Kubernetes uses, because its clients see the result.
#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/schema/validate.h"
#include "kube/schema/validate_format.h"
#include "kube/schema/validate_number.h"
#include "kube/schema/validate_pattern.h"
#include "kube/schema/validate_problem.h"
#include "kube/schema/validate_ratchet.h"

#include <cmath>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// The JSON type of a value in the library's words.
std::string_view json_type(json::View value) {
  switch (value.type()) {
    case json::Type::Bool: return "boolean";
    case json::Type::Int: return "integer";
    case json::Type::Float: return "number";
    case json::Type::String: return "string";
    case json::Type::Array: return "array";
    case json::Type::Object: return "object";
    default: return "null";
  }
}

// What the library takes to be the format of a value that is no string.
std::string_view implied_format(json::View value) {
  if (value.is_int()) return "int64";
  return value.type() == json::Type::Float ? "float64" : "";
}

std::string_view type_names(const Schema& schema) {
  if (schema.int_or_string) return "integer,string";
  switch (schema.type) {
    case SchemaType::Object: return "object";
    case SchemaType::Array: return "array";
    case SchemaType::String: return "string";
    case SchemaType::Integer: return "integer";
    case SchemaType::Number: return "number";
    case SchemaType::Boolean: return "boolean";
    case SchemaType::Any: return "";
  }
  return "";
}

bool numeric(const Schema& schema) {
  return schema.int_or_string || schema.type == SchemaType::Integer ||
         schema.type == SchemaType::Number;
}

bool type_fits(json::View value, const Schema& schema) {
  if (schema.int_or_string) {
    return value.is_int() || value.is_string() ||
           (value.is_number() && is_whole(value.as_double()));
  }
  switch (schema.type) {
    case SchemaType::Object: return value.is_object();
    case SchemaType::Array: return value.is_array();
    case SchemaType::String: return value.is_string();
    case SchemaType::Boolean: return value.is_bool();
    case SchemaType::Number: return value.is_number();
    case SchemaType::Integer:
      return value.is_int() || (value.is_number() && is_whole(value.as_double()));
    case SchemaType::Any: return false;
  }
  return false;
}

Format format_of(const Schema& schema) {
  return schema.validation == nullptr ? Format::None : schema.validation->format;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

class Validator {
 public:
  // `place` is null where nothing can be ratcheted.
  Outcome check(json::View value, const Schema& schema, const SentencePath& path,
                const Correlation* place);

 private:
  Outcome check_below(json::View value, const Schema& schema, const SentencePath& path,
                      const std::optional<Correlation>& place);
  Outcome check_null(const Schema& schema, const SentencePath& path);
  Outcome check_type(json::View value, const Schema& schema, const SentencePath& path);
  Outcome check_branches(json::View value, const Validation& validation, const SentencePath& path,
                         const Correlation* place);
  void check_any_of(json::View value, const Validation& validation, const SentencePath& path,
                    const Correlation* place, Outcome& out);
  void check_one_of(json::View value, const Validation& validation, const SentencePath& path,
                    const Correlation* place, Outcome& out);
  void check_all_of(json::View value, const Validation& validation, const SentencePath& path,
                    const Correlation* place, Outcome& out);
  void check_string(std::string_view text, const Validation& validation, const SentencePath& path,
                    Outcome& out);
  Outcome check_items(json::View value, const Schema& schema, const SentencePath& path,
                      const Correlation* place);
  Outcome check_members(json::View value, const Schema& schema, const SentencePath& path,
                        const Correlation* place);
};

Outcome Validator::check_null(const Schema& schema, const SentencePath& path) {
  Outcome out;
  if (const auto wanted = type_names(schema); !wanted.empty() && !schema.nullable) {
    out.add(wrong_type(path, wanted, "null"));
  } else {
    out.matches = 1;
  }
  // Not even an enum that lists null takes a null.
  if (schema.validation != nullptr && !schema.validation->enumeration.empty()) {
    out.add(not_in_enum(path, {}, schema.validation->enumeration));
  }
  return out;
}

Outcome Validator::check_type(json::View value, const Schema& schema, const SentencePath& path) {
  Outcome out;
  const bool formatted = format_of(schema) != Format::None;
  const bool text_or_list = value.is_string() || value.is_array();
  if (formatted && !text_or_list && !type_fits(value, schema)) {
    out.add(wrong_type(path, schema.format, implied_format(value)));
  } else if (formatted && text_or_list && !numeric(schema)) {
    out.matches = 1;  // even a list: the library looks at the format alone here
  } else if (!type_fits(value, schema)) {
    out.add(wrong_type(path, type_names(schema), json_type(value)));
  } else {
    out.matches = 1;
  }
  return out;
}

void Validator::check_any_of(json::View value, const Validation& validation,
                             const SentencePath& path, const Correlation* place, Outcome& out) {
  std::optional<Outcome> best;
  for (const auto* branch : validation.any_of) {
    auto result = check(value, *branch, path, place);
    if (result.valid()) {
      out.merge(std::move(result));
      return;
    }
    if (!best || result.matches > best->matches) best = std::move(result);
  }
  out.add(composite(path, "must validate at least one schema (anyOf)"));
  out.merge(std::move(*best));
}

void Validator::check_one_of(json::View value, const Validation& validation,
                             const SentencePath& path, const Correlation* place, Outcome& out) {
  std::optional<Outcome> best;
  std::optional<Outcome> first_valid;
  int valid = 0;
  for (const auto* branch : validation.one_of) {
    auto result = check(value, *branch, path, place);
    if (result.valid()) {
      ++valid;
      best.reset();
      if (!first_valid) first_valid = std::move(result);
    } else if (valid == 0 && (!best || result.matches > best->matches)) {
      best = std::move(result);
    }
  }
  if (valid == 1) {
    out.merge(std::move(*first_valid));
    return;
  }
  const auto found = valid == 0 ? std::string{"Found none valid"}
                                : fmt::format("Found {} valid alternatives", valid);
  out.add(composite(path, "must validate one and only one schema (oneOf). " + found));
  if (best) out.merge(std::move(*best));
}

void Validator::check_all_of(json::View value, const Validation& validation,
                             const SentencePath& path, const Correlation* place, Outcome& out) {
  std::size_t valid = 0;
  for (const auto* branch : validation.all_of) {
    auto result = check(value, *branch, path, place);
    if (result.valid()) ++valid;
    out.merge(std::move(result));
  }
  if (valid == validation.all_of.size()) return;
  out.add(composite(path, valid == 0 ? "must validate all the schemas (allOf). None validated"
                                     : "must validate all the schemas (allOf)"));
}

Outcome Validator::check_branches(json::View value, const Validation& validation,
                                  const SentencePath& path, const Correlation* place) {
  Outcome out;
  if (!validation.any_of.empty()) check_any_of(value, validation, path, place, out);
  if (!validation.one_of.empty()) check_one_of(value, validation, path, place, out);
  if (!validation.all_of.empty()) check_all_of(value, validation, path, place, out);
  if (validation.negated != nullptr && check(value, *validation.negated, path, place).valid()) {
    out.add(composite(path, "must not validate the schema (not)"));
  }
  return out;
}

// The first broken length or pattern hides the others.
void Validator::check_string(std::string_view text, const Validation& validation,
                             const SentencePath& path, Outcome& out) {
  const auto length = static_cast<std::int64_t>(code_points(text));
  if (validation.max_length && length > *validation.max_length) {
    out.add(too_long_text(path, *validation.max_length));
  } else if (validation.min_length && length < *validation.min_length) {
    out.add(broken(path, shown(text),
                   fmt::format("should be at least {} chars long", *validation.min_length)));
  } else if (validation.compiled_pattern != nullptr &&
             !validation.compiled_pattern->matches(text)) {
    out.add(broken(path, shown(text), fmt::format("should match '{}'", validation.pattern)));
  }
}

Outcome Validator::check_items(json::View value, const Schema& schema, const SentencePath& path,
                               const Correlation* place) {
  Outcome out;
  if (schema.items != nullptr) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto below = place == nullptr ? std::nullopt : place->item(i);
      out.merge(check_below(value[i], *schema.items, path.item(i), below));
    }
  }
  if (const auto* validation = schema.validation.get()) {
    const auto size = static_cast<std::int64_t>(value.size());
    if (validation->min_items && size < *validation->min_items) {
      out.add(broken(path, std::to_string(size),
                     fmt::format("should have at least {} items", *validation->min_items)));
    }
    if (validation->max_items && size > *validation->max_items) {
      out.add(too_many_of(path, "items", *validation->max_items, value.size()));
    }
    if (validation->unique_items && has_repetition(value)) {
      out.add(broken(path, "\"\"", "shouldn't contain duplicates"));
    }
  }
  ++out.matches;
  return out;
}

Outcome Validator::check_members(json::View value, const Schema& schema, const SentencePath& path,
                                 const Correlation* place) {
  Outcome out;
  if (const auto* validation = schema.validation.get()) {
    const auto size = static_cast<std::int64_t>(value.size());
    if (validation->min_properties && size < *validation->min_properties) {
      out.add(
          broken(path, std::to_string(size),
                 fmt::format("should have at least {} properties", *validation->min_properties)));
    }
    if (validation->max_properties && size > *validation->max_properties) {
      out.add(too_many_of(path, "properties", *validation->max_properties, value.size()));
    }
  }
  const auto below = [&](std::string_view key) -> std::optional<Correlation> {
    if (place == nullptr || (path.root() && (key == "kind" || key == "apiVersion"))) return {};
    return place->member(key);
  };
  for (auto [key, member] : value.members()) {
    if (schema.property(key) != nullptr) continue;
    if (schema.extra_fields == ExtraFields::Denied) {
      out.add(not_allowed(path, key));
    } else if (schema.additional_properties != nullptr) {
      out.merge(check_below(member, *schema.additional_properties, path.map_key(key), below(key)));
    }
  }
  for (const auto& property : schema.properties) {
    if (const auto member = value.find(property.name)) {
      out.merge(check_below(*member, *property.schema, path.property(property.name),
                            below(property.name)));
    }
  }
  for (const auto& name : schema.required) {
    if (!value.contains(name)) out.add(missing(path, name));
  }
  return out;
}

Outcome Validator::check(json::View value, const Schema& schema, const SentencePath& path,
                         const Correlation* place) {
  if (value.is_null()) return check_null(schema, path);
  Outcome out;
  const auto* validation = schema.validation.get();
  if (!type_names(schema).empty() || format_of(schema) != Format::None) {
    out.merge(check_type(value, schema, path));
    ++out.matches;
  }
  if (validation != nullptr) out.merge(check_branches(value, *validation, path, place));
  out.matches += 2;  // the branches' own count and their turn
  if (value.is_string()) {
    if (validation != nullptr) check_string(value.as_string(), *validation, path, out);
    ++out.matches;
    if (format_of(schema) != Format::None) {
      if (!has_format(value.as_string(), format_of(schema))) {
        out.add(wrong_format(path, schema.format, value.as_string()));
      }
      ++out.matches;
    }
  } else if (value.is_number()) {
    if (validation != nullptr) check_number(value, *validation, path, out);
    out.matches += 2;
  } else if (value.is_array()) {
    out.merge(check_items(value, schema, path, place));
    ++out.matches;
  }
  if (validation != nullptr && !validation->enumeration.empty() &&
      !in_enum(value, validation->enumeration)) {
    out.add(not_in_enum(path, value, validation->enumeration));
  }
  ++out.matches;
  if (value.is_object()) {
    out.merge(check_members(value, schema, path, place));
    ++out.matches;
  }
  ++out.matches;
  return out;
}

// A child is let through when it is as wrong as it was.
Outcome Validator::check_below(json::View value, const Schema& schema, const SentencePath& path,
                               const std::optional<Correlation>& place) {
  auto out = check(value, schema, path, place ? &*place : nullptr);
  if (!out.valid() && place && place->unchanged()) out.problems.clear();
  return out;
}

}  // namespace

FieldErrors validate_keywords(const Change& change, const Schema& schema, std::string_view base) {
  std::optional<Correlation> place;
  if (change.old) place = Correlation{change.now, *change.old, &schema};
  Validator validator;
  auto out = validator.check(change.now, schema, {}, place ? &*place : nullptr);
  if (!out.valid() && place && place->unchanged()) out.problems.clear();
  FieldErrors errors;
  for (const auto& problem : out.problems) errors.push_back(problem.to_field_error(base));
  return errors;
}

}  // namespace fixpoint::kube
