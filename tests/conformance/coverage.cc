// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/coverage.h"

#include "json/parsing/parse.h"
#include "tests/conformance/touched.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

constexpr std::array<std::string_view, 11> kVerbs{
    "create",          "get",   "list",   "watch",           "update", "patch json", "patch merge",
    "patch strategic", "apply", "delete", "deletecollection"};

std::string patch_verb(std::string_view type) {
  if (type.contains("json-patch")) return "patch json";
  if (type.contains("strategic")) return "patch strategic";
  if (type.contains("apply")) return "apply";
  return "patch merge";
}

std::string verb_of(const Step& step, const PathParts& parts) {
  if (step.method == "WATCH") return "watch";
  if (step.method == "POST") return "create";
  if (step.method == "PUT") return "update";
  if (step.method == "PATCH") return patch_verb(step.content_type);
  if (step.method == "DELETE") return parts.name.empty() ? "deletecollection" : "delete";
  return parts.name.empty() ? "list" : "get";
}

std::string outcome_of(const Answer& answer) {
  const auto body = json::parse(answer.body);
  const std::string reason{body ? body->get("reason").as_string() : std::string_view{}};
  return reason.empty() ? std::to_string(answer.code) : std::to_string(answer.code) + " " + reason;
}

std::string resource_of(const PathParts& parts) {
  auto name = std::string{parts.resource};
  const auto root = parts.root;
  if (root.starts_with("/apis/")) {
    const auto group = root.substr(6, root.rfind('/') - 6);
    name += "." + std::string{group};
  }
  if (!parts.subresource.empty()) name += "/" + std::string{parts.subresource};
  return name;
}

}  // namespace

void Coverage::add(const Sequence& sequence, const Recording& real) {
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const auto& step = sequence.steps[i];
    const auto parts = parts_of(step.path);
    auto& cell = resources_[resource_of(parts)][verb_of(step, parts)];
    const auto& answer = real.steps[i].answer;
    if (answer.code >= 200 && answer.code < 300) {
      ++cell.succeeded;
    } else {
      ++cell.refused[outcome_of(answer)];
    }
  }
}

void Coverage::merge(const Coverage& other) {
  for (const auto& [resource, verbs] : other.resources_) {
    for (const auto& [verb, cell] : verbs) {
      auto& into = resources_[resource][verb];
      into.succeeded += cell.succeeded;
      for (const auto& [outcome, count] : cell.refused) into.refused[outcome] += count;
    }
  }
}

std::string Coverage::to_text() const {
  auto text = fmt::format("{:<58}", "succeeded/refused");
  for (const auto verb : kVerbs) text += fmt::format("{:>17}", verb);
  text += "\n";
  for (const auto& [resource, verbs] : resources_) {
    text += fmt::format("{:<58}", resource);
    for (const auto verb : kVerbs) {
      const auto at = verbs.find(std::string{verb});
      if (at == verbs.end()) {
        text += fmt::format("{:>17}", "");
        continue;
      }
      std::uint64_t refused = 0;
      for (const auto& [outcome, count] : at->second.refused) refused += count;
      text += fmt::format("{:>17}", fmt::format("{}/{}", at->second.succeeded, refused));
    }
    text += "\n";
  }
  return text;
}

std::string Coverage::to_markdown() const {
  std::string text = "| resource |";
  for (const auto verb : kVerbs) text += fmt::format(" {} |", verb);
  text += "\n|---|";
  for (std::size_t i = 0; i < kVerbs.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& [resource, verbs] : resources_) {
    text += fmt::format("| {} |", resource);
    for (const auto verb : kVerbs) {
      const auto at = verbs.find(std::string{verb});
      if (at == verbs.end()) {
        text += " |";
        continue;
      }
      text += fmt::format(" {} ok", at->second.succeeded);
      for (const auto& [outcome, count] : at->second.refused) {
        text += fmt::format(", {} × {}", count, outcome);
      }
      text += " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace fixpoint::conformance
