// SPDX-License-Identifier: Apache-2.0
#include "kube/errors/error_words.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/go/text.h"

#include <algorithm>
#include <optional>

namespace fixpoint::kube {
namespace {

using json::Draft;
using json::View;

// One step of a path as errors print it: a name, or what stands in brackets.
struct PathStep {
  std::string_view text;
  bool bracketed = false;
};

std::optional<PathStep> next_step(std::string_view& path) {
  if (path.empty()) return std::nullopt;
  if (path.front() == '[') {
    const auto end = path.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const PathStep step{path.substr(1, end - 1), true};
    path.remove_prefix(end + 1);
    return step;
  }
  if (path.front() == '.') path.remove_prefix(1);
  const auto end = std::min(path.find_first_of(".["), path.size());
  const PathStep step{path.substr(0, end), false};
  path.remove_prefix(end);
  return step;
}

const Schema* below(const Schema* schema, const PathStep& step) {
  if (step.bracketed) {
    return schema->go_kind == GoKind::Map ? schema->additional_properties : schema->items;
  }
  // Some errors name a field of a list's elements without saying which.
  if (schema->go_kind == GoKind::Slice) schema = schema->items;
  const auto* property = schema->property(step.text);
  return property == nullptr ? nullptr : property->schema;
}

const Schema* schema_of(const Schema& root, std::string_view path) {
  const Schema* at = &root;
  while (at != nullptr && !path.empty()) {
    const auto step = next_step(path);
    at = step ? below(at, *step) : nullptr;
  }
  // An element may be told by its list.
  if (at != nullptr && at->go_kind == GoKind::Slice) at = at->items;
  return at;
}

bool shown_as_json(const Schema& schema) {
  if (schema.go_kind == GoKind::IntOrString) return true;
  return schema.go_kind == GoKind::String && schema.go_type != "string";
}

bool is_empty_container(const Schema& schema, View value) {
  return (schema.go_kind == GoKind::Slice && value.is_array() && value.empty()) ||
         (schema.go_kind == GoKind::Map && value.is_object() && value.empty());
}

// True if something was put into `to`.
bool put_empties(const Schema& schema, View given, EmptyForm form, Draft& to) {
  bool changed = false;
  if (form == EmptyForm::Printed && schema.go_type == "LabelSelector") return false;
  if (schema.go_kind == GoKind::Slice && to.is_array() && given.size() == to.size()) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      changed |= put_empties(*schema.items, given[i], form, to.elements()[i]);
    }
    return changed;
  }
  if (!given.is_object() || !to.is_object()) return false;
  for (const auto [key, member] : given.members()) {
    Draft* child = to.find(key);
    if (schema.go_kind == GoKind::Map) {
      if (child != nullptr)
        changed |= put_empties(*schema.additional_properties, member, form, *child);
      continue;
    }
    const auto* property = schema.property(key);
    if (property == nullptr) continue;
    if (is_empty_container(*property->schema, member)) {
      if (child != nullptr && !child->is_null()) continue;
      if (child == nullptr && form == EmptyForm::Answered) continue;
      to[key] = Draft{member};
      changed = true;
    } else if (child != nullptr) {
      changed |= put_empties(*property->schema, member, form, *child);
    }
  }
  return changed;
}

// A selector is shown as JSON of its Go type: labels come first.
void order_selector(std::string& shown) {
  const auto selector = json::parse(shown);
  if (!selector || !selector->is_object()) return;
  const View labels = selector->get("matchLabels");
  const View expressions = selector->get("matchExpressions");
  if (labels.is_null() || expressions.is_null()) return;
  shown = R"({"matchLabels":)" + json::to_text(labels) + R"(,"matchExpressions":)" +
          json::to_text(expressions) + "}";
}

}  // namespace

void word_by_type(const Schema& schema, FieldErrors& errors) {
  for (auto& error : errors) {
    const auto text = go_unquoted(error.value);
    if (!text && !error.value.starts_with('{')) continue;
    const auto* type = schema_of(schema, error.field);
    if (!text) {
      if (type != nullptr && type->go_type == "LabelSelector") order_selector(error.value);
      continue;
    }
    if (type == nullptr || !shown_as_json(*type)) continue;
    error.value.clear();
    json::print_string(*text, error.value);
  }
}

void reword(FieldErrors& errors, const FieldErrors& worded) {
  std::vector<bool> used(worded.size());
  for (auto& error : errors) {
    for (std::size_t i = 0; i < worded.size(); ++i) {
      if (used[i] || worded[i].kind != error.kind || worded[i].field != error.field) continue;
      error = worded[i];
      used[i] = true;
      break;
    }
  }
}

json::Value with_empties(const Schema& schema, View decoded, View given, EmptyForm form) {
  Draft made{decoded};
  if (!put_empties(schema, given, form, made)) return json::Value{decoded};
  return made.freeze();
}

}  // namespace fixpoint::kube
