// SPDX-License-Identifier: Apache-2.0
//
// The addresses of a Service, their families and the policy about families.
#include "kinds/validation/network/service.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kOnceSet = "may not change once set";

bool external_name(View spec) {
  return spec.get("type").as_string() == "ExternalName";
}

bool is_six(View address) {
  return address.as_string().contains(':');
}

void check_agreement(View spec, const FieldPath& path, FieldErrors& errors) {
  const View addresses = spec.get("clusterIPs");
  const auto first = spec.get("clusterIP").as_string();
  if (first.empty()) {
    if (!addresses.empty()) {
      note_invalid(path, addresses, "must be empty when `clusterIP` is not specified", errors);
    }
  } else if (addresses.empty()) {
    note_required(path, errors);
  } else if (addresses[0].as_string() != first) {
    note_invalid(path, addresses, "first value must match `clusterIP`", errors);
  }
}

void check_family_names(View families, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < families.size(); ++i) {
    check_one_of(families[i], path.index(i), {"IPv4", "IPv6"}, errors);
    if (!seen.insert(families[i].as_string()).second) {
      errors.push_back(kube::duplicate(path.index(i), families[i]));
    }
  }
}

// False when some address is none: then nothing more can be said of them.
bool check_each_address(View addresses, const FieldPath& path, FieldErrors& errors) {
  bool good = true;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (addresses[i].as_string() == "None" && i == 0) {
      if (addresses.size() == 1) continue;
      good = false;
      note_invalid(path, addresses, "'None' must be the first and only value", errors);
      continue;
    }
    const auto before = errors.size();
    kube::note_problems(path.index(i), addresses[i].as_string(), kube::ip_problems, errors);
    good = good && errors.size() == before;
  }
  if (addresses.size() > 2) {
    note_invalid(path, addresses, "may only hold up to 2 values", errors);
  }
  return good;
}

void check_claimed_families(View spec, const FieldPath& path, FieldErrors& errors) {
  const View addresses = spec.get("clusterIPs");
  const View families = spec.get("ipFamilies");
  const auto elements = addresses.elements();
  const auto sixes = std::count_if(elements.begin(), elements.end(), is_six);
  if (addresses.size() > 1 && (sixes == 0 || static_cast<std::size_t>(sixes) == addresses.size())) {
    note_invalid(path, addresses, "may specify no more than one IP for each IP family", errors);
  }
  if (is_headless(spec)) return;
  for (std::size_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const auto family = families[i].as_string();
    if (family != "IPv4" && family != "IPv6") continue;
    if (is_six(addresses[i]) == (family == "IPv6")) continue;
    note_invalid(path.index(i), addresses[i].as_string(),
                 fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", family, i),
                 errors);
  }
}

}  // namespace

bool is_headless(View spec) {
  const View addresses = spec.get("clusterIPs");
  return addresses.size() == 1 && addresses[0].as_string() == "None";
}

void check_service_addresses(View spec, FieldErrors& errors) {
  if (external_name(spec)) return;
  const FieldPath path{"spec"};
  const FieldPath addresses_path = path.child("clusterIPs");
  check_agreement(spec, addresses_path, errors);
  check_family_names(spec.get("ipFamilies"), path.child("ipFamilies"), errors);
  check_optional_one_of(spec.get("ipFamilyPolicy"), path.child("ipFamilyPolicy"),
                        {"PreferDualStack", "RequireDualStack", "SingleStack"}, errors);
  if (!check_each_address(spec.get("clusterIPs"), addresses_path, errors)) return;
  check_claimed_families(spec, addresses_path, errors);
}

void check_address_change(View spec, View old_spec, FieldErrors& errors) {
  if (external_name(spec) || external_name(old_spec)) return;
  if (is_headless(spec) && is_headless(old_spec)) return;
  const View now = spec.get("clusterIPs");
  const View before = old_spec.get("clusterIPs");
  const FieldPath root{"spec"};
  const FieldPath path = root.child("clusterIPs");
  const bool fewer = now.size() < before.size();
  if (fewer && now.empty()) {
    note_invalid(path.index(0), now, "primary clusterIP can not be unset", errors);
  }
  const auto compared = now.size() == before.size()     ? now.size()
                        : now.empty() || before.empty() ? 0U
                                                        : 1U;
  for (std::size_t i = 0; i < compared; ++i) {
    if (!(now[i] == before[i])) note_invalid(path.index(i), now, kOnceSet, errors);
  }
  const View policy = spec.get("ipFamilyPolicy");
  if (fewer && now.size() == 1 && policy.as_string() != "SingleStack") {
    note_invalid(root.child("ipFamilyPolicy"), policy,
                 "must be set to 'SingleStack' when releasing the secondary clusterIP", errors);
  }
}

void check_family_change(View spec, View old_spec, FieldErrors& errors) {
  if (external_name(spec) || external_name(old_spec)) return;
  if (is_headless(spec) || is_headless(old_spec)) return;
  const View now = spec.get("ipFamilies");
  const View before = old_spec.get("ipFamilies");
  const FieldPath root{"spec"};
  const FieldPath path = root.child("ipFamilies");
  if (now.size() == before.size()) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!(now[i] == before[i])) note_invalid(path.index(0), now, kOnceSet, errors);
    }
    return;
  }
  const bool fewer = now.size() < before.size();
  if (fewer && spec.get("clusterIPs").empty()) {
    note_invalid(path.index(0), now, "primary ipFamily can not be unset", errors);
  }
  // A real server shows the addresses here.
  if (!now.empty() && !before.empty() && !(now[0] == before[0])) {
    note_invalid(path.index(0), spec.get("clusterIPs"), kOnceSet, errors);
  }
  const View policy = spec.get("ipFamilyPolicy");
  if (fewer && now.size() == 1 && policy.as_string() != "SingleStack") {
    note_invalid(root.child("ipFamilyPolicy"), policy,
                 "must be set to 'SingleStack' when releasing the secondary ipFamily", errors);
  }
}

}  // namespace fixpoint::kinds
