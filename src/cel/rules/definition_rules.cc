// SPDX-License-Identifier: Apache-2.0
#include "cel/rules/definition_rules.h"

#include "cel/cost/cost.h"
#include "cel/rules/rule.h"
#include "kube/crd/go_json.h"
#include "kube/crd/schema.h"
#include "kube/crd/validate.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

using kube::FieldErrors;
using kube::FieldPath;

// Only the most expensive rules are named, and only if they count.
constexpr std::size_t kNamedMax = 4;

// How often a place can occur; nothing when no schema bounds it.
using Cardinality = std::optional<std::uint64_t>;

Cardinality elements_max(json::View schema) {
  const auto bound = [&](std::string_view keyword) -> Cardinality {
    const auto given = schema.get(keyword);
    if (!given.is_number()) return std::nullopt;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(given.as_int(), 0));
  };
  const auto type = schema.get("type").as_string();
  if (type == "array") return bound("maxItems");
  if (type == "object" && !schema.get("additionalProperties").is_null()) {
    return bound("maxProperties");
  }
  return 1;
}

Cardinality product(Cardinality a, Cardinality b) {
  if (!a || !b) return std::nullopt;
  return saturating_multiply(*a, *b);
}

std::string too_expensive(std::string_view what, std::uint64_t cost, std::uint64_t most) {
  const double factor = static_cast<double>(cost) / static_cast<double>(most);
  std::string shown_factor = "more than 100x";
  if (factor < 1.5) {
    shown_factor = fmt::format("{:f}x", factor);
  } else if (factor <= 100.0) {
    shown_factor = fmt::format("{:.1f}x", factor);
  }
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
      "maxProperties, and maxLength where arrays, maps, and strings are declared)",
      what, shown_factor);
}

class DefinitionChecker {
 public:
  DefinitionChecker(const FieldErrors& schema_errors) : schema_errors_(schema_errors) {}

  // `uncorrelated` is the path of the list whose items cannot be told apart, empty outside of one.
  void node(json::View given, const kube::Schema& schema, const Shape& shape,
            const Cardinality& cardinality, const std::string& uncorrelated,
            const FieldPath& path) {
    const auto below = product(cardinality, elements_max(given));
    if (schema.additional_properties != nullptr && shape.element != nullptr) {
      node(given.get("additionalProperties"), *schema.additional_properties, *shape.element, below,
           uncorrelated, path.child("additionalProperties"));
    }
    const auto properties = path.child("properties");
    for (const auto& property : schema.properties) {
      const auto* field = shape.field(property.name);
      if (field == nullptr) continue;
      node(given.get("properties", property.name), *property.schema, *field->shape, below,
           uncorrelated, properties.key(property.name));
    }
    if (schema.items != nullptr && shape.element != nullptr) {
      const bool told_apart = schema.list_type == kube::ListType::Map;
      node(given.get("items"), *schema.items, *shape.element, below,
           told_apart || !uncorrelated.empty() ? uncorrelated : path.to_string(),
           path.child("items"));
    }
    if (!given.get("x-kubernetes-validations").empty() && sound(path)) {
      rules(given, shape, cardinality, uncorrelated, path);
    }
  }

  // After all rules: what they cost together.
  void finish(const FieldPath& path) {
    if (total_ <= kSchemaEstimateMax) return;
    for (const auto& [field, cost] : expensive_) {
      errors.push_back({kube::FieldErrorKind::Forbidden, field, "",
                        "contributed to estimated rule cost total exceeding cost limit for entire "
                        "OpenAPIv3 schema"});
    }
    errors.push_back(kube::forbidden(
        path, too_expensive(
                  "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                  total_, kSchemaEstimateMax)));
  }

  FieldErrors errors;

 private:
  // Nothing else is wrong here or below.
  bool sound(const FieldPath& path) const {
    if (schema_errors_.empty()) return true;
    const auto here = path.to_string();
    return std::ranges::none_of(schema_errors_, [&](const kube::FieldError& error) {
      return error.field.starts_with(here) &&
             (error.field.size() == here.size() || error.field[here.size()] == '.' ||
              error.field[here.size()] == '[');
    });
  }

  void rules(json::View given, const Shape& shape, const Cardinality& cardinality,
             const std::string& uncorrelated, const FieldPath& path) {
    const auto at = path.child("x-kubernetes-validations");
    if (!shape.typed) {
      errors.push_back({kube::FieldErrorKind::Internal, at.to_string(), "",
                        "internal error: failed to construct type information for "
                        "x-kubernetes-validations rules: unable to convert structural schema to "
                        "CEL declarations"});
      return;
    }
    const auto times =
        cardinality.value_or(static_cast<std::uint64_t>(kRequestBytesMax / (shape.bytes_min + 1)));
    std::size_t index = 0;
    for (const auto each : given.get("x-kubernetes-validations").elements()) {
      rule(compile_rule(each, shape), times, uncorrelated, at.index(index++));
    }
  }

  void rule(const Rule& rule, std::uint64_t times, const std::string& uncorrelated,
            const FieldPath& path) {
    const auto rule_at = path.child("rule");
    const auto message_at = path.child("messageExpression");
    const auto cost = saturating_multiply(rule.program ? rule.program->cost_max() : 0, times);
    observe(rule_at, "estimated rule cost", cost);
    if (!rule.error.empty()) {
      errors.push_back(kube::invalid(rule_at, kube::go_json_rule(rule.given), rule.error));
    }
    if (!rule.message_error.empty()) {
      errors.push_back(
          kube::invalid(message_at, kube::go_json_rule(rule.given), rule.message_error));
    } else if (rule.message) {
      observe(message_at, "estimated messageExpression cost", rule.message->cost_max());
    }
    if (rule.uses_old_self()) {
      if (uncorrelated.empty()) return;
      errors.push_back(kube::invalid(
          rule_at, rule.given.get("rule"),
          "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
              uncorrelated));
    } else if (const auto given = rule.given.get("optionalOldSelf"); given.is_bool()) {
      errors.push_back(kube::invalid(path.child("optionalOldSelf"), given,
                                     "may not be set if oldSelf is not used in rule"));
    }
  }

  void observe(const FieldPath& path, std::string_view what, std::uint64_t cost) {
    if (cost > kRuleEstimateMax) {
      errors.push_back(kube::forbidden(path, too_expensive(what, cost, kRuleEstimateMax)));
    }
    if (__builtin_add_overflow(total_, cost, &total_)) total_ = kCostUnbounded;
    if (cost < kSchemaEstimateMax / 100) return;
    expensive_.emplace_back(path.to_string(), cost);
    std::ranges::stable_sort(expensive_, std::ranges::greater{},
                             &std::pair<std::string, std::uint64_t>::second);
    if (expensive_.size() > kNamedMax) expensive_.resize(kNamedMax);
  }

  const FieldErrors& schema_errors_;
  std::uint64_t total_ = 0;
  std::vector<std::pair<std::string, std::uint64_t>> expensive_;
};

}  // namespace

FieldErrors check_definition_rules(json::View given, const FieldErrors& schema_errors,
                                   const FieldPath& path) {
  const auto compiled = kube::compile_schema(given);
  // What does not compile was complained about before.
  if (!compiled || !compiled->has_cel_rules) return {};
  ShapePool shapes;
  const auto* shape = shapes.make(*compiled->declared, ShapeRole::ResourceRoot);
  DefinitionChecker checker{schema_errors};
  checker.node(given, *compiled->declared, *shape, 1, "", path);
  checker.finish(path);
  return std::move(checker.errors);
}

FieldErrors validate_crd(json::View crd) {
  return kube::validate_crd(crd, check_definition_rules);
}

FieldErrors validate_crd_update(json::View crd, json::View old_crd) {
  return kube::validate_crd_update(crd, old_crd, check_definition_rules);
}

}  // namespace fixpoint::cel
