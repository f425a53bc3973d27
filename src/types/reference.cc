// SPDX-License-Identifier: Apache-2.0
#include "types/reference.h"

#include "json/print.h"
#include "json/yaml/yaml.h"
#include "types/encode.h"
#include "types/sample.h"
#include "types/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::types {
namespace {

// A pipe would end the cell, a line break the row.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

const Table* table_inside(const Type& type) {
  const auto& bare = inner(type);
  if (bare.shape == Shape::Struct) return &bare.table();
  if (bare.shape == Shape::List || bare.shape == Shape::Map) return table_inside(bare.element());
  return nullptr;
}

std::string path_below(const Field& field, const std::string& path) {
  auto below = path + "." + field.name;
  const auto& bare = inner(*field.type);
  if (bare.shape == Shape::List) below += "[]";
  if (bare.shape == Shape::Map) below += ".<name>";
  return below;
}

std::string standing(const Field& field) {
  if (field.limits.required) return "required";
  const auto& value = field.default_value;
  // What a struct is made of is said in its own section.
  if (!value || inner(*field.type).shape == Shape::Struct) return "";
  return fmt::format("`{}`", cell(json::to_text(*value, json::Escape::Plain)));
}

// Of a status nobody gives anything.
std::string meaning(const Field& field, bool given) {
  std::string text = field.doc;
  if (!given) return cell(text);
  const auto& bare = inner(*field.type);
  const bool obvious = bare.shape == Shape::Bool || bare.shape == Shape::Struct ||
                       (bare.shape == Shape::List && table_inside(bare) != nullptr);
  const auto may_be = allowed(*field.type, field.limits);
  if (!obvious) text += fmt::format(" Give {}.", may_be);
  if (field.limits.immutable) text += " Cannot be changed later.";
  return cell(text);
}

void rules(const std::vector<Rule>& all, std::string& out) {
  for (const auto& rule : all) {
    out += fmt::format("\nRule: {} (`{}`)\n",
                       rule.message.empty() ? "see the expression" : rule.message, rule.rule);
  }
}

void section(const Table& table, const std::string& path, std::string& out) {
  const bool given = !path.starts_with("status");
  out += fmt::format("\n### {}\n\n{}\n", path, table.doc);
  if (!table.fields.empty()) {
    out += "\n| field | type | default | meaning |\n|---|---|---|---|\n";
    for (const auto& field : table.fields) {
      out +=
          fmt::format("| `{}` | {} | {} | {} |\n", field.name, type_name(*field.type, field.limits),
                      standing(field), meaning(field, given));
    }
  }
  rules(table.rules, out);
  for (const auto& field : table.fields) {
    if (const auto* below = table_inside(*field.type))
      section(*below, path_below(field, path), out);
  }
}

std::string names_line(const Kind& kind) {
  auto names = fmt::format("`kubectl get {}`", kind.plural);
  for (const auto& name : kind.short_names) names += fmt::format(", `kubectl get {}`", name);
  for (const auto& name : kind.categories) names += fmt::format(", with `kubectl get {}`", name);
  return names;
}

}  // namespace

std::string reference_page(const Kind& kind) {
  std::string out = fmt::format("# {}\n\n{}\n\n", kind.name, kind.doc);
  out += fmt::format("Group `{}`, {}; {}.\n", kind.group,
                     kind.scope == kube::Scope::Namespaced ? "namespaced" : "cluster-scoped",
                     names_line(kind));
  if (kind.name_length_max) {
    out += fmt::format("Names have at most {} characters.\n", *kind.name_length_max);
  }
  const auto shown = example(kind);
  out += fmt::format("\n```yaml\n{}```\n", json::to_yaml(shown));
  for (const auto& version : kind.versions) {
    out += fmt::format("\n## {}{}\n", version.name, version.deprecated ? " (deprecated)" : "");
    if (version.spec != nullptr) section(*version.spec, "spec", out);
    if (version.status != nullptr) section(*version.status, "status", out);
    rules(version.rules, out);
  }
  return out;
}

}  // namespace fixpoint::types
