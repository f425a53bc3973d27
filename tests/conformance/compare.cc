// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/compare.h"

#include "json/print.h"
#include "tests/conformance/touched.h"

#include <algorithm>

namespace fixpoint::conformance {
namespace {

constexpr std::size_t kSignaturePaths = 3;
constexpr std::size_t kSignatureText = 90;

// "/body/items/3/name" and "/body/items/4/name" are one place.
std::string without_numbers(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (!made.ends_with('#')) made += '#';
    } else {
      made += c;
    }
  }
  return made;
}

std::string signature_text(const std::optional<json::Value>& value) {
  if (!value) return "absent";
  return without_numbers(json::to_text(*value).substr(0, kSignatureText));
}

std::string signature(std::string_view method, std::string_view path,
                      const std::vector<json::Change>& changes) {
  const auto parts = parts_of(path);
  std::string made{method};
  made += " " + std::string{parts.resource};
  if (!parts.subresource.empty()) made += "/" + std::string{parts.subresource};
  for (std::size_t i = 0; i < std::min(changes.size(), kSignaturePaths); ++i) {
    made += " | " + without_numbers(changes[i].path) + ": " + signature_text(changes[i].before) +
            " -> " + signature_text(changes[i].after);
  }
  return made;
}

// A place is excused when it, or what it lies in, is unstable.
bool is_excused(std::size_t step, std::string_view path, const Unstable& unstable) {
  return std::ranges::any_of(unstable, [&](const auto& place) {
    if (place.first != step || !path.starts_with(place.second)) return false;
    return path.size() == place.second.size() || path[place.second.size()] == '/' ||
           place.second.empty();
  });
}

std::optional<Difference> at_step(std::size_t index, std::string_view method,
                                  const std::string& path, json::View real, json::View ours,
                                  const Unstable& unstable) {
  if (real == ours) return std::nullopt;
  Difference difference;
  difference.step = index;
  difference.what = std::string{method} + " " + path;
  difference.changes = json::diff(real, ours);
  std::erase_if(difference.changes, [&](const json::Change& change) {
    return is_excused(index, change.path, unstable);
  });
  if (difference.changes.empty()) return std::nullopt;
  difference.signature = signature(method, path, difference.changes);
  return difference;
}

}  // namespace

std::optional<Difference> compare(const Sequence& sequence, const Normal& real, const Normal& ours,
                                  const Unstable& unstable) {
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const auto& step = sequence.steps[i];
    auto found = at_step(i, step.method, step.path, real.steps[i], ours.steps[i], unstable);
    if (found) return found;
  }
  const auto touched = touched_collections(sequence);
  for (std::size_t i = 0; i < touched.size(); ++i) {
    auto found = at_step(sequence.steps.size() + i, "WATCH", touched[i], real.watches[i],
                         ours.watches[i], unstable);
    if (found) return found;
  }
  return std::nullopt;
}

void add_unstable(const Normal& one, const Normal& other, Unstable& unstable) {
  const auto add = [&](std::size_t step, json::View a, json::View b) {
    for (auto& change : json::diff(a, b)) unstable.emplace(step, std::move(change.path));
  };
  for (std::size_t i = 0; i < one.steps.size(); ++i) add(i, one.steps[i], other.steps[i]);
  for (std::size_t i = 0; i < std::min(one.watches.size(), other.watches.size()); ++i) {
    add(one.steps.size() + i, one.watches[i], other.watches[i]);
  }
}

}  // namespace fixpoint::conformance
