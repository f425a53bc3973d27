// SPDX-License-Identifier: Apache-2.0
#include "kinds/columns/cells.h"

#include "kube/scalars/duration.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {

using json::Draft;
using json::View;

Draft name_cell(View object) {
  return Draft{object.get("metadata", "name").as_string()};
}

Draft age_cell(View object, Instant now) {
  return Draft{kube::age(object.get("metadata", "creationTimestamp").as_string(), now)};
}

std::string or_else(View text, std::string_view otherwise) {
  const auto found = text.as_string();
  return std::string{found.empty() ? otherwise : found};
}

std::string text(View value) {
  return std::string{value.as_string()};
}

std::string ratio(std::int64_t part, std::int64_t whole) {
  return fmt::format("{}/{}", part, whole);
}

std::vector<std::string> strings_of(View list) {
  std::vector<std::string> made;
  for (const View element : list.elements()) made.push_back(text(element));
  return made;
}

std::vector<std::string> each(View list, std::string_view member) {
  std::vector<std::string> made;
  for (const View element : list.elements()) made.push_back(text(element.get(member)));
  return made;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string labels_text(View labels) {
  std::vector<std::string> parts;
  for (const auto [key, value] : labels.members()) {
    parts.push_back(fmt::format("{}={}", key, value.as_string()));
  }
  return parts.empty() ? std::string{kNone} : joined(parts, ",");
}

std::string selector_text(View selector) {
  const auto read = kube::LabelSelector::from_object(selector);
  if (!read) return "<error>";
  auto made = read->to_string();
  return made.empty() ? std::string{kNone} : made;
}

std::string container_names(View pod_spec) {
  return joined(each(pod_spec.get("containers"), "name"), ",");
}

std::string container_images(View pod_spec) {
  return joined(each(pod_spec.get("containers"), "image"), ",");
}

std::string first_three(const std::vector<std::string>& all) {
  constexpr std::size_t kShownMax = 3;
  if (all.size() <= kShownMax) return joined(all, ",");
  const std::vector<std::string> shown{all.begin(), all.begin() + kShownMax};
  return fmt::format("{} + {} more...", joined(shown, ","), all.size() - kShownMax);
}

View condition(View conditions, std::string_view type) {
  for (const View one : conditions.elements()) {
    if (one.get("type").as_string() == type) return one;
  }
  return {};
}

bool condition_true(View conditions, std::string_view type) {
  return condition(conditions, type).get("status").as_string() == "True";
}

}  // namespace fixpoint::kinds
