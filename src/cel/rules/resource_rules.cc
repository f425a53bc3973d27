// SPDX-License-Identifier: Apache-2.0
#include "cel/rules/resource_rules.h"

#include "cel/checking/shape.h"
#include "cel/rules/rule.h"
#include "kube/crd/validate_schema.h"
#include "kube/go/text.h"
#include "kube/schema/validate_ratchet.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

using kube::FieldError;
using kube::FieldErrors;
using kube::FieldPath;

// What a messageExpression may evaluate to.
constexpr std::size_t kMessageBytesMax = 5 * 1024;

// The rules of one place and of those below it.
struct Node {
  const kube::Schema* schema = nullptr;
  const Shape* shape = nullptr;
  std::vector<Rule> rules;
  std::vector<std::string> field_paths;  // as rules; empty where none is given
  std::vector<std::unique_ptr<Node>> all_of;
  std::unique_ptr<Node> element;  // items or additionalProperties
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> properties;

  bool empty() const {
    return rules.empty() && all_of.empty() && element == nullptr && properties.empty();
  }
  const Node* property(std::string_view name) const {
    for (const auto& [each, node] : properties) {
      if (each == name) return node.get();
    }
    return nullptr;
  }
};

class RuleTreeBuilder {
 public:
  // `given` is where the rules stand, which within allOf is not where the values' schema does.
  static std::unique_ptr<Node> build(json::View given, const kube::Schema& schema,
                                     const Shape& shape) {
    auto out = std::make_unique<Node>();
    out->schema = &schema;
    out->shape = &shape;
    for (const auto rule : given.get("x-kubernetes-validations").elements()) {
      out->rules.push_back(compile_rule(rule, shape));
      out->field_paths.push_back(field_path(given, rule));
    }
    for (const auto branch : given.get("allOf").elements()) {
      if (auto node = build(branch, schema, shape)) out->all_of.push_back(std::move(node));
    }
    const auto* below = schema.items != nullptr ? schema.items : schema.additional_properties;
    const auto element = given.get(schema.items != nullptr ? "items" : "additionalProperties");
    if (below != nullptr && shape.element != nullptr && element.is_object()) {
      out->element = build(element, *below, *shape.element);
    }
    for (auto [name, property] : given.get("properties").members()) {
      const auto* known = schema.property(name);
      const auto* field = shape.field(name);
      if (known == nullptr || field == nullptr || !field->shape->typed) continue;
      if (auto node = build(property, *known->schema, *field->shape)) {
        out->properties.emplace_back(name, std::move(node));
      }
    }
    return out->empty() ? nullptr : std::move(out);
  }

 private:
  static std::string field_path(json::View schema, json::View rule) {
    const auto path = rule.get("fieldPath").as_string();
    if (path.empty()) return {};
    const auto step = kube::follow_path(schema, path, kube::Brackets::Allowed);
    return step.error.empty() ? step.normal : std::string{};
  }
};

// Where a value was before, for as far as that can be told.
struct Before {
  std::optional<kube::Correlation> here;
  std::optional<kube::Correlation> parent;  // the nearest one that can

  bool unchanged() const {
    if (here) return here->unchanged();
    return parent && parent->unchanged();
  }
  Before member(std::string_view name) const {
    if (!here) return *this;
    // Both are converted to one version: what they were is not to be seen.
    if (!parent && (name == "apiVersion" || name == "kind")) return {};
    return {here->member(name), here};
  }
  Before item(std::size_t index) const {
    if (!here) return *this;
    return {here->item(index), here};
  }
  Before without_here() const { return {std::nullopt, parent}; }
};

struct ValuePlace {
  json::View now;
  std::optional<json::View> old;
  Before before;
};

std::string_view rule_text(json::View rule) {
  const auto message = rule.get("message").as_string();
  return kube::trimmed(message.empty() ? rule.get("rule").as_string() : message);
}

std::string message_or_default(json::View rule) {
  if (rule.get("message").as_string().empty()) {
    return fmt::format("failed rule: {}", rule_text(rule));
  }
  return std::string{rule_text(rule)};
}

// Elements of an old list of type map, by their keys.
class OldItems {
 public:
  OldItems(const std::optional<json::View>& old, const kube::Schema& list) : list_(list) {
    if (!old || list.list_type != kube::ListType::Map || list.list_map_keys.empty()) return;
    for (const auto item : old->elements()) {
      if (auto key = key_of(item)) by_key_.emplace(std::move(*key), item);
    }
  }
  std::optional<json::View> find(json::View item) const {
    if (by_key_.empty()) return std::nullopt;
    const auto key = key_of(item);
    const auto found = key ? by_key_.find(*key) : by_key_.end();
    return found == by_key_.end() ? std::nullopt : std::optional{found->second};
  }

 private:
  std::optional<std::string> key_of(json::View item) const {
    std::string out;
    for (const auto& name : list_.list_map_keys) {
      const auto value = item.find(name);
      if (!value) return std::nullopt;
      const auto hash = value->hash();
      out.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    }
    return out;
  }

  const kube::Schema& list_;
  std::unordered_map<std::string, json::View> by_key_;
};

class Run {
 public:
  // False when the budget is used up: then nothing more is evaluated.
  bool node(const Node& node, const ValuePlace& place, const FieldPath& path) {
    if (place.now.is_null()) return true;
    if (!rules(node, place, path)) return false;
    for (const auto& branch : node.all_of) {
      if (!this->node(*branch, {place.now, place.old, place.before.without_here()}, path)) {
        return false;
      }
    }
    if (place.now.is_array()) return items(node, place, path);
    if (place.now.is_object()) return members(node, place, path);
    return true;
  }

  ResourceRules::Findings findings;

 private:
  bool items(const Node& node, const ValuePlace& place, const FieldPath& path) {
    if (node.element == nullptr) return true;
    const OldItems old{place.old && place.old->is_array() ? place.old : std::nullopt, *node.schema};
    std::size_t index = 0;
    for (const auto item : place.now.elements()) {
      const auto at = index++;
      if (!this->node(*node.element, {item, old.find(item), place.before.item(at)},
                      path.index(at))) {
        return false;
      }
    }
    return true;
  }

  bool members(const Node& node, const ValuePlace& place, const FieldPath& path) {
    for (auto [name, value] : place.now.members()) {
      const Node* below = node.element != nullptr && node.schema->additional_properties != nullptr
                              ? node.element.get()
                              : node.property(name);
      if (below == nullptr) continue;
      std::optional<json::View> old;
      if (place.old && place.old->is_object()) old = place.old->find(name);
      const auto at = below == node.element.get() ? path.key(name) : path.child(name);
      if (!this->node(*below, {value, old, place.before.member(name)}, at)) return false;
    }
    return true;
  }

  bool rules(const Node& node, const ValuePlace& place, const FieldPath& path) {
    if (node.rules.empty()) return true;
    if (left_ <= 0) return out_of_budget(node, path);
    const bool has_old = place.old && !place.old->is_null();
    Variables variables{Value::of(place.now, *node.shape),
                        Value::error("no such attribute(s): oldSelf")};
    if (has_old) variables.old_self = Value::of(*place.old, *node.shape);
    auto optional = variables;
    optional.old_self = has_old ? Value::optional(variables.old_self) : Value::none();
    for (std::size_t i = 0; i < node.rules.size(); ++i) {
      const auto& rule = node.rules[i];
      if (!rule.error.empty()) {
        refuse(node, path, "rule compile error: " + rule.error);
        continue;
      }
      if (!rule.program || (rule.uses_old_self() && !has_old && !rule.optional_old_self)) continue;
      if (!one(node, i, place, path, rule.optional_old_self ? optional : variables, variables)) {
        return false;
      }
    }
    return true;
  }

  bool out_of_budget(const Node& node, const FieldPath& path) {
    refuse(node, path,
           "validation failed due to running out of cost budget, no further validation rules will "
           "be run");
    return false;
  }

  void refuse(const Node& node, const FieldPath& path, std::string detail) {
    findings.errors.push_back(
        kube::invalid(path, kube::shown(node.shape->schema_type), std::move(detail)));
  }

  bool spend(std::uint64_t cost) {
    findings.cost += static_cast<std::int64_t>(cost);
    left_ -= static_cast<std::int64_t>(cost);
    return left_ >= 0;
  }

  bool one(const Node& node, std::size_t index, const ValuePlace& place, const FieldPath& path,
           const Variables& variables, const Variables& message_variables) {
    const auto& rule = node.rules[index];
    const auto outcome = rule.program->run(variables, kRuleCostMax);
    if (!spend(outcome.cost)) return out_of_budget(node, path);
    if (outcome.value.is_true()) return true;
    if (outcome.value.is_error()) return failed(node, rule, outcome, path);
    const auto& field_path = node.field_paths[index];
    const auto below = path.child(field_path);
    const auto& at = field_path.empty() ? path : below;
    auto message = message_or_default(rule.given);
    bool goes_on = true;
    if (rule.message) {
      const auto text = evaluated_message(rule, message_variables);
      goes_on = text.goes_on;
      if (!goes_on) {
        add(rule, place, kube::invalid(at, kube::shown(node.shape->schema_type), text.text));
        return false;
      }
      if (!text.text.empty()) message = text.text;
    }
    add(rule, place, with_reason(node, rule, at, std::move(message)));
    return true;
  }

  bool failed(const Node& node, const Rule& rule, const Evaluated& outcome, const FieldPath& path) {
    const auto why = outcome.value.text();
    const auto text = rule_text(rule.given);
    if (outcome.cost_exceeded) {
      refuse(node, path,
             fmt::format("'{}': no further validation rules will be run due to call cost exceeds "
                         "limit for rule: {}",
                         why, text));
      return false;
    }
    if (why.starts_with("no such overload")) {
      refuse(node, path,
             fmt::format("'{}': call arguments did not match a supported operator, function or "
                         "macro signature for rule: {}",
                         why, text));
    } else {
      refuse(node, path, fmt::format("{} evaluating rule: {}", why, text));
    }
    return true;
  }

  // The message; empty when the usual one is to be used. When the budget ends, what says so.
  struct Message {
    std::string text;
    bool goes_on = true;
  };
  Message evaluated_message(const Rule& rule, const Variables& variables) {
    const auto outcome = rule.message->run(variables, kRuleCostMax);
    if (!spend(outcome.cost)) {
      return {
          "messageExpression evaluation failed due to running out of cost budget, no further "
          "validation rules will be run",
          false};
    }
    if (outcome.cost_exceeded) {
      return {fmt::format("no further validation rules will be run due to call cost exceeds limit "
                          "for messageExpression: {}",
                          kube::shown(rule.given.get("messageExpression").as_string())),
              false};
    }
    if (!outcome.value.is(Kind::String)) return {};
    const auto text = kube::trimmed(outcome.value.text());
    if (text.size() > kMessageBytesMax || text.contains('\n')) return {};
    return {std::string{text}, true};
  }

  static FieldError with_reason(const Node& node, const Rule& rule, const FieldPath& path,
                                std::string message) {
    const auto reason = rule.given.get("reason").as_string();
    if (reason == "FieldValueForbidden") return kube::forbidden(path, std::move(message));
    if (reason == "FieldValueRequired") return kube::required(path, std::move(message));
    if (reason == "FieldValueDuplicate") return kube::duplicate(path, node.shape->schema_type);
    return kube::invalid(path, kube::shown(node.shape->schema_type), std::move(message));
  }

  void add(const Rule& rule, const ValuePlace& place, FieldError error) {
    if (!rule.uses_old_self() && place.before.unchanged()) {
      findings.warnings.push_back(error.to_string());
    } else {
      findings.errors.push_back(std::move(error));
    }
  }

  std::int64_t left_ = kResourceCostMax;
};

}  // namespace

struct ResourceRules::Tree {
  json::Value given;
  Ref<kube::SchemaArena> arena;
  ShapePool shapes;
  std::unique_ptr<Node> root;
};

ResourceRules::ResourceRules(std::unique_ptr<Tree> tree) : tree_(std::move(tree)) {}
ResourceRules::~ResourceRules() = default;

std::shared_ptr<const ResourceRules> ResourceRules::compile(const json::Value& open_api_v3_schema,
                                                            const kube::CompiledSchema& schema) {
  if (!schema.has_cel_rules) return nullptr;
  auto tree = std::make_unique<Tree>();
  tree->given = open_api_v3_schema;
  tree->arena = schema.arena;
  const auto* shape = tree->shapes.make(*schema.declared, ShapeRole::ResourceRoot);
  tree->root = RuleTreeBuilder::build(tree->given, *schema.declared, *shape);
  if (tree->root == nullptr) return nullptr;
  return std::shared_ptr<const ResourceRules>(new ResourceRules(std::move(tree)));
}

ResourceRules::Findings ResourceRules::check(const kube::Change& resource) const {
  Run run;
  ValuePlace place{resource.now, resource.old, {}};
  if (resource.old) {
    place.before.here = kube::Correlation{resource.now, *resource.old, tree_->root->schema};
  }
  run.node(*tree_->root, place, FieldPath{});
  return std::move(run.findings);
}

}  // namespace fixpoint::cel
