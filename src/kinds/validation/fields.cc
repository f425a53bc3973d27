// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/fields.h"

#include "json/print.h"
#include "kube/go/text.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>

namespace fixpoint::kinds {
namespace {

template <std::size_t N>
bool among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 3> kComputeNames{"cpu", "memory", "ephemeral-storage"};
constexpr std::array<std::string_view, 9> kCountedNames{"pods",
                                                        "resourcequotas",
                                                        "services",
                                                        "replicationcontrollers",
                                                        "secrets",
                                                        "persistentvolumeclaims",
                                                        "configmaps",
                                                        "services.nodeports",
                                                        "services.loadbalancers"};

// cpu, requests.cpu, limits.cpu and their like.
bool compute_name(std::string_view name) {
  for (const std::string_view prefix : {"requests.", "limits."}) {
    if (name.starts_with(prefix)) return among(name.substr(prefix.size()), kComputeNames);
  }
  return among(name, kComputeNames);
}

bool native(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool quota_huge_page(std::string_view name) {
  return is_huge_page(name) || name.starts_with("requests.hugepages-");
}

bool standard_quota_name(std::string_view name) {
  return compute_name(name) || among(name, kCountedNames) || name == "requests.storage" ||
         quota_huge_page(name);
}

}  // namespace

void note_invalid(const FieldPath& path, std::string_view text, std::string_view detail,
                  FieldErrors& errors) {
  errors.push_back(kube::invalid(path, kube::shown(text), std::string{detail}));
}

void note_invalid(const FieldPath& path, View value, std::string_view detail, FieldErrors& errors) {
  errors.push_back(kube::invalid(path, value, std::string{detail}));
}

void note_combination(const FieldPath& path, std::string detail, FieldErrors& errors) {
  errors.push_back(kube::invalid(path, std::string{}, std::move(detail)));
}

void note_required(const FieldPath& path, FieldErrors& errors, std::string_view detail) {
  errors.push_back(kube::required(path, std::string{detail}));
}

void note_forbidden(const FieldPath& path, std::string_view detail, FieldErrors& errors) {
  errors.push_back(kube::forbidden(path, std::string{detail}));
}

void note_unsupported(const FieldPath& path, std::string_view value,
                      const std::vector<std::string>& supported, FieldErrors& errors) {
  const auto text = json::Value::string(value);
  errors.push_back(kube::not_supported(path, text, supported));
}

void require_text(View value, const FieldPath& path, FieldErrors& errors) {
  if (value.as_string().empty()) note_required(path, errors);
}

void check_one_of(View value, const FieldPath& path, const std::vector<std::string>& supported,
                  FieldErrors& errors) {
  if (std::ranges::find(supported, value.as_string()) == supported.end()) {
    note_unsupported(path, value.as_string(), supported, errors);
  }
}

void check_optional_one_of(View value, const FieldPath& path,
                           const std::vector<std::string>& supported, FieldErrors& errors) {
  if (!value.is_null()) check_one_of(value, path, supported, errors);
}

void check_nonnegative(View value, const FieldPath& path, FieldErrors& errors) {
  if (value.as_int() < 0) note_invalid(path, value, kNegative, errors);
}

void check_messages(const kube::Messages& messages, View value, const FieldPath& path,
                    FieldErrors& errors) {
  for (const auto& message : messages) note_invalid(path, value, message, errors);
}

void check_port(View value, const FieldPath& path, FieldErrors& errors) {
  const auto number = value.is_null() ? json::Value::integer(0) : json::Value{value};
  check_messages(kube::port_number_problems(value.as_int()), number, path, errors);
}

void check_port_or_name(View value, const FieldPath& path, FieldErrors& errors) {
  if (value.is_string()) {
    check_messages(kube::port_name_problems(value.as_string()), value, path, errors);
  } else {
    check_port(value, path, errors);
  }
}

void check_immutable(View value, View old_value, const FieldPath& path, FieldErrors& errors) {
  kube::append(errors, kube::validate_immutable(value, old_value, path));
}

void check_quantity_nonnegative(View value, const FieldPath& path, FieldErrors& errors) {
  const auto amount = kube::Quantity::parse(value.as_string());
  if (amount && amount->sign() < 0) note_invalid(path, value, kNegative, errors);
}

bool is_huge_page(std::string_view name) {
  return name.starts_with("hugepages-");
}

bool is_extended_resource(std::string_view name) {
  return !native(name) && !name.starts_with("requests.") &&
         kube::qualified_name_problems("requests." + std::string{name}).empty();
}

void check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const auto before = errors.size();
  kube::note_problems(path, name, kube::qualified_name_problems, errors);
  if (errors.size() > before || name.find('/') != std::string_view::npos) return;
  if (!standard_quota_name(name) && name != "storage") {
    note_invalid(path, name, "must be a standard resource type or fully qualified", errors);
  }
}

void check_container_resource_name(std::string_view name, const FieldPath& path,
                                   FieldErrors& errors) {
  check_resource_name(name, path, errors);
  if (name.find('/') == std::string_view::npos) {
    if (!among(name, kComputeNames) && !is_huge_page(name)) {
      note_invalid(path, name, "must be a standard resource for containers", errors);
    }
  } else if (!native(name) && !is_extended_resource(name)) {
    note_invalid(path, name, "doesn't follow extended resource name standard", errors);
  }
}

void check_quota_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  check_resource_name(name, path, errors);
  if (name.find('/') == std::string_view::npos && !standard_quota_name(name)) {
    note_invalid(path, name, "must be a standard resource for quota", errors);
  }
}

void check_resource_amount(std::string_view name, View amount, const FieldPath& path,
                           FieldErrors& errors) {
  check_quantity_nonnegative(amount, path, errors);
  if (!among(name, kCountedNames) && !is_extended_resource(name)) return;
  const auto quantity = kube::Quantity::parse(amount.as_string());
  if (quantity && !quantity->whole_to_go()) {
    note_invalid(path, amount, "must be an integer", errors);
  }
}

std::string shown_struct(View object, const std::vector<std::string>& order) {
  if (object.is_null()) return "null";
  std::string text = "{";
  for (const auto& key : order) {
    const auto value = object.find(key);
    if (!value) continue;
    if (text.size() > 1) text += ',';
    json::print_string(key, text);
    text += ':';
    json::print(*value, text);
  }
  return text + "}";
}

void check_domain_prefixed(View value, const FieldPath& path, FieldErrors& errors) {
  const auto text = value.as_string();
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    note_invalid(path, text, "must be a domain-prefixed path (such as \"acme.io/foo\")", errors);
    return;
  }
  kube::note_problems(path, text.substr(0, slash), kube::dns1123_subdomain_problems, errors);
}

}  // namespace fixpoint::kinds
