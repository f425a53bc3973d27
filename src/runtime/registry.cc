// SPDX-License-Identifier: Apache-2.0
#include "runtime/registry.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::runtime {
namespace {

std::string names_of(Registry registry) {
  std::vector<std::string_view> names;
  for (const auto& entry : registry) names.push_back(entry.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Result<std::set<std::string_view>> parse(Registry registry, std::string_view list) {
  std::set<std::string_view> names;
  while (true) {
    const auto end = list.find(',');
    const auto name = list.substr(0, end);
    if (std::ranges::find(registry, name, &OperatorEntry::name) == registry.end()) {
      return fail(ErrorKind::Invalid, fmt::format("there is no operator '{}'; there are: {}", name,
                                                  names_of(registry)));
    }
    names.insert(name);
    if (end == std::string_view::npos) return names;
    list.remove_prefix(end + 1);
  }
}

}  // namespace

Result<std::vector<const OperatorEntry*>> choose(Registry registry, std::string_view list) {
  std::set<std::string_view> names;
  if (!list.empty()) {
    FP_TRY(named, parse(registry, list));
    names = std::move(named);
  }
  std::vector<const OperatorEntry*> chosen;
  for (const auto& entry : registry) {
    if (list.empty() ? !entry.example : names.contains(entry.name)) chosen.push_back(&entry);
  }
  if (chosen.empty()) {
    return fail(ErrorKind::Invalid,
                fmt::format("which operators? name one or more of: {}", names_of(registry)));
  }
  return chosen;
}

}  // namespace fixpoint::runtime
