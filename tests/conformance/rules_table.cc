// SPDX-License-Identifier: Apache-2.0
//
// The rules as a table: short enough to read, long enough to see the rule.
#include "json/print.h"
#include "tests/conformance/rules_run.h"
#include "tests/conformance/text.h"
#include "tests/conformance/touched.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

constexpr std::size_t kRequestShown = 110;
constexpr std::size_t kMessageShown = 220;

std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

// "PATCH boats/a/status", with a word for the sort of patch.
std::string request_in_words(const Step& step) {
  const auto parts = parts_of(step.path);
  std::string text = step.method;
  if (step.content_type.contains("apply")) text = "APPLY";
  text += " " + std::string{parts.resource};
  if (!parts.name.empty()) text += "/" + std::string{parts.name};
  if (!parts.subresource.empty()) text += "/" + std::string{parts.subresource};
  if (!step.query.empty()) text += "?" + step.query;
  std::string body = step.body;
  std::erase(body, '\n');
  std::string shown = "`" + shortened(std::move(text), kRequestShown) + "`";
  if (!body.empty()) shown += " `" + shortened(std::move(body), kRequestShown) + "`";
  return shown;
}

std::string events(json::View list) {
  std::string text;
  for (const auto event : list.elements()) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", event.get("type").as_string(),
                        event.get("object", "metadata", "name").as_string(),
                        event.get("object", "metadata", "resourceVersion").as_string());
  }
  return text.empty() ? "nothing" : text;
}

std::string names(json::View items) {
  std::string text;
  for (const auto entry : items.elements()) {
    text += fmt::format(" {}", entry.get("metadata", "name").as_string());
  }
  return text;
}

std::string object_in_words(json::View body) {
  const json::View metadata = body.get("metadata");
  std::string text;
  if (metadata.get("resourceVersion").is_string()) {
    text += fmt::format(" {}", metadata.get("resourceVersion").as_string());
  }
  if (metadata.get("generation").is_number()) {
    text += fmt::format(" generation {}", metadata.get("generation").as_int());
  }
  if (metadata.get("deletionTimestamp").is_string()) text += " stamped";
  if (metadata.get("finalizers").is_array()) {
    text += " " + json::to_text(metadata.get("finalizers"), json::Escape::Plain);
  }
  return text;
}

std::string outcome_in_words(json::View answer) {
  const json::View body = answer.get("body");
  auto text = std::to_string(answer.get("code").as_int());
  if (body.is_array()) return text + ": " + events(body);
  if (body.get("message").is_string()) {
    return text + " " + shortened(std::string{body.get("message").as_string()}, kMessageShown);
  }
  if (body.get("items").is_array()) return text + names(body.get("items"));
  text += object_in_words(body);
  if (answer.get("warnings").is_array()) {
    text += " warned " +
            shortened(json::to_text(answer.get("warnings"), json::Escape::Plain), kMessageShown);
  }
  return text;
}

void add_row(std::string& table, std::string_view sent, json::View real, const json::Value* ours) {
  const auto theirs = outcome_in_words(real);
  std::string own = "not asked";
  if (ours != nullptr) own = real == *ours ? "the same" : outcome_in_words(*ours) + " (differs)";
  table += fmt::format("| {} | {} | {} |\n", cell(sent), cell(theirs), cell(own));
}

const json::Value* at(const std::vector<json::Value>* values, std::size_t index) {
  return values != nullptr && index < values->size() ? &(*values)[index] : nullptr;
}

std::string part_table(const Part& part, const Normal& real, const Normal* ours) {
  std::string table = "| sent | the real server answered | ours |\n|---|---|---|\n";
  const auto& steps = part.sequence.steps;
  for (std::size_t i = 0; i < std::min(steps.size(), real.steps.size()); ++i) {
    add_row(table, request_in_words(steps[i]), real.steps[i],
            at(ours == nullptr ? nullptr : &ours->steps, i));
  }
  const auto touched = touched_collections(part.sequence);
  for (std::size_t i = 0; i < std::min(touched.size(), real.watches.size()); ++i) {
    add_row(table, "events of `" + std::string{parts_of(touched[i]).resource} + "`",
            real.watches[i], at(ours == nullptr ? nullptr : &ours->watches, i));
  }
  return table;
}

}  // namespace

std::string rules_table(const RuleAnswers& real, const RuleAnswers& ours) {
  std::string text;
  for (const auto& rule : rules()) {
    text += fmt::format("### Rule {}\n\n{}\n\n", rule.number, rule.says);
    for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
      const auto name = part_name(rule, i);
      const auto theirs = real.find(name);
      if (theirs == real.end()) continue;
      const auto own = ours.find(name);
      text += fmt::format(
          "{} {}:\n\n{}\n", name, rule.shown_by[i].says,
          part_table(rule.shown_by[i], theirs->second, own == ours.end() ? nullptr : &own->second));
    }
    if (!rule.elsewhere.empty()) text += fmt::format("Elsewhere: {}\n\n", rule.elsewhere);
  }
  return text;
}

}  // namespace fixpoint::conformance
