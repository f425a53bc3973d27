// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/resources.h"

#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

bool overcommit_allowed(std::string_view name) {
  return !is_extended_resource(name) && !is_huge_page(name);
}

// A pod as a whole has fewer sorts of things than a container.
void check_name(std::string_view name, ResourcesOf of, const FieldPath& path, FieldErrors& errors) {
  if (of == ResourcesOf::Container) return check_container_resource_name(name, path, errors);
  const auto before = errors.size();
  check_resource_name(name, path, errors);
  if (errors.size() > before || name == "cpu" || name == "memory" || is_huge_page(name)) return;
  note_unsupported(path, name, {"cpu", "hugepages-", "memory"}, errors);
}

bool whole_pages(std::string_view name, const kube::Quantity& amount) {
  constexpr std::string_view kPrefix = "hugepages-";
  const auto size = kube::Quantity::parse(name.substr(kPrefix.size()));
  if (!size || size->sign() <= 0 || !size->whole_to_go()) return false;
  const auto page = size->go_value();
  if (page == 0 || page == -1) return page != 0;  // neither divides without a trap
  return amount.go_value() % page == 0;
}

void check_amounts(View amounts, ResourcesOf of, const FieldPath& path, FieldErrors& errors) {
  for (const auto [name, amount] : amounts.members()) {
    const FieldPath here = path.key(name);
    check_name(name, of, here, errors);
    check_resource_amount(name, amount, here, errors);
    const auto quantity = kube::Quantity::parse(amount.as_string());
    if (!is_huge_page(name) || !quantity || whole_pages(name, *quantity)) continue;
    note_invalid(
        here, quantity->to_string(),
        fmt::format("{} is not positive integer multiple of {}", quantity->to_string(), name),
        errors);
  }
}

void check_against_limits(View requests, View limits, const FieldPath& requests_path,
                          const FieldPath& limits_path, FieldErrors& errors) {
  for (const auto [name, amount] : requests.members()) {
    const auto limit_text = limits.find(name);
    if (!limit_text) {
      if (!overcommit_allowed(name)) {
        note_required(limits_path, errors, "Limit must be set for non overcommitable resources");
      }
      continue;
    }
    const auto request = kube::Quantity::parse(amount.as_string());
    const auto limit = kube::Quantity::parse(limit_text->as_string());
    if (!request || !limit) continue;
    if (*request != *limit && !overcommit_allowed(name)) {
      note_invalid(requests_path, amount,
                   fmt::format("must be equal to {} limit of {}", name, limit->to_string()),
                   errors);
    } else if (*request > *limit) {
      note_invalid(
          requests_path, amount,
          fmt::format("must be less than or equal to {} limit of {}", name, limit->to_string()),
          errors);
    }
  }
}

}  // namespace

void validate_resource_requirements(View resources, ResourcesOf of, const FieldPath& path,
                                    FieldErrors& errors) {
  const View limits = resources.get("limits");
  const View requests = resources.get("requests");
  const FieldPath limits_path = path.child("limits");
  const FieldPath requests_path = path.child("requests");
  check_amounts(limits, of, limits_path, errors);
  check_amounts(requests, of, requests_path, errors);
  check_against_limits(requests, limits, requests_path, limits_path, errors);
  const auto has = [&](auto wanted) {
    return std::ranges::any_of(std::array{limits, requests}, [&](View list) {
      const auto members = list.members();
      return std::any_of(members.begin(), members.end(),
                         [&](const auto& member) { return wanted(member.key); });
    });
  };
  if (has(is_huge_page) &&
      !has([](std::string_view name) { return name == "cpu" || name == "memory"; })) {
    note_forbidden(path, "HugePages require cpu or memory", errors);
  }
}

void validate_resource_limits(View limits, const FieldPath& path, FieldErrors& errors) {
  check_amounts(limits, ResourcesOf::Container, path.child("limits"), errors);
}

void validate_resize_policies(View policies, std::string_view pod_restarts, const FieldPath& path,
                              FieldErrors& errors) {
  const auto check = [&](View value, const std::vector<std::string>& supported) {
    if (value.as_string().empty()) {
      note_required(path, errors);
    } else {
      check_one_of(value, path, supported, errors);
    }
  };
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const View resource = policies[i].get("resourceName");
    const View restarts = policies[i].get("restartPolicy");
    if (!seen.insert(resource.as_string()).second) {
      errors.push_back(kube::duplicate(path.index(i), resource));
    }
    check(resource, {"cpu", "memory"});
    check(restarts, {"NotRequired", "RestartContainer"});
    if (pod_restarts == "Never" && restarts.as_string() != "NotRequired") {
      note_invalid(path, restarts.as_string(),
                   "must be 'NotRequired' when `restartPolicy` is 'Never'", errors);
    }
  }
}

}  // namespace fixpoint::kinds
