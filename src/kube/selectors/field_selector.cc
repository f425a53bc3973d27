// SPDX-License-Identifier: Apache-2.0
#include "kube/selectors/field_selector.h"

#include "kube/go/text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// A comma ends a term unless a backslash stands before it.
std::vector<std::string> split_terms(std::string_view text) {
  std::vector<std::string> terms(1);
  bool escaped = false;
  for (const char c : text) {
    if (!escaped && c == ',') {
      terms.emplace_back();
      continue;
    }
    terms.back() += c;
    escaped = !escaped && c == '\\';
  }
  return terms;
}

Result<std::string> unescaped(std::string_view text) {
  std::string value;
  while (!text.empty()) {
    const char c = text.front();
    if (c == ',' || c == '=') {
      // A real server prints the number of the character, not the character.
      return fail(ErrorKind::Invalid,
                  fmt::format("invalid field selector: unescaped character in value: {}",
                              static_cast<int>(c)));
    }
    text.remove_prefix(1);
    if (c != '\\') {
      value += c;
      continue;
    }
    const std::size_t bytes = text.empty() ? 0 : first_code_point(text).bytes;
    const auto next = text.substr(0, bytes);
    if (next != "\\" && next != "," && next != "=") {
      return fail(ErrorKind::Invalid,
                  fmt::format("invalid field selector: invalid escape sequence: \\{}", next));
    }
    value += next;
    text.remove_prefix(bytes);
  }
  return value;
}

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') text += '\\';
    text += c;
  }
  return text;
}

struct Split {
  std::string_view field;
  std::string_view op;
  std::string_view value;
};

std::optional<Split> split_term(std::string_view term) {
  constexpr std::array<std::string_view, 3> kOperators{"!=", "==", "="};
  for (std::size_t i = 0; i < term.size(); ++i) {
    for (const auto op : kOperators) {
      if (term.substr(i).starts_with(op))
        return Split{term.substr(0, i), op, term.substr(i + op.size())};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  auto terms = split_terms(text);
  std::ranges::sort(terms);
  for (const auto& term : terms) {
    if (term.empty()) continue;
    const auto split = split_term(term);
    if (!split) {
      return fail(ErrorKind::Invalid,
                  fmt::format("invalid selector: '{}'; can't understand '{}'", text, term));
    }
    FP_TRY(value, unescaped(split->value));
    selector.requirements_.push_back(
        {std::string{split->field}, std::move(value), split->op == "!="});
  }
  return selector;
}

bool FieldSelector::matches(const std::function<std::string(std::string_view)>& get) const {
  return std::ranges::all_of(requirements_, [&](const FieldRequirement& requirement) {
    return (get(requirement.field) == requirement.value) != requirement.negated;
  });
}

std::optional<std::string> FieldSelector::exact_value(std::string_view field) const {
  for (const auto& requirement : requirements_) {
    if (requirement.field == field && !requirement.negated) return requirement.value;
  }
  return std::nullopt;
}

std::string FieldSelector::to_string() const {
  std::vector<std::string> terms;
  for (const auto& [field, value, negated] : requirements_) {
    terms.push_back(field + (negated ? "!=" : "=") + escaped(value));
  }
  return joined(terms, ",");
}

}  // namespace fixpoint::kube
