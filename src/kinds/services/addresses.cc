// SPDX-License-Identifier: Apache-2.0
#include "kinds/services/addresses.h"

#include "kinds/validation/network/service.h"

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kFamily = "IPv4";
constexpr std::string_view kOtherFamily = "IPv6";
constexpr std::string_view kSingle = "SingleStack";
constexpr std::string_view kPreferDual = "PreferDualStack";
constexpr std::string_view kRequireDual = "RequireDualStack";

std::vector<std::string> texts(json::View list) {
  std::vector<std::string> found;
  for (const json::View each : list.elements()) found.emplace_back(each.as_string());
  return found;
}

json::Draft list_of(const std::vector<std::string>& texts) {
  json::Draft list = json::Draft::array({});
  for (const auto& text : texts) list.push_back(text);
  return list;
}

void put_list(json::Draft& spec, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) {
    spec.erase(key);
  } else {
    spec[key] = list_of(texts);
  }
}

std::string_view family_of(std::string_view address) {
  return address.contains(':') ? kOtherFamily : kFamily;
}

std::string inferred_policy(const ServiceAddresses& now, const ServiceAddresses* before) {
  if (before != nullptr && before->policy) return *before->policy;
  return std::string{now.address == "None" && !now.selects ? kRequireDual : kSingle};
}

// Who gives up the second address or family says so with the policy, or by leaving both as they
// were and changing only the policy.
void settle_shrinking(ServiceAddresses& now, const ServiceAddresses& before, FieldErrors& errors) {
  if (*now.policy == kSingle) {
    if (now.addresses == before.addresses && now.addresses.size() > 1) now.addresses.resize(1);
    if (now.families == before.families && now.families.size() > 1) now.families.resize(1);
    return;
  }
  const FieldPath spec{"spec"};
  const auto refuse = [&](std::string what) {
    errors.push_back(kube::invalid(spec.child("ipFamilyPolicy"), kube::shown(*now.policy),
                                   "must be 'SingleStack' to release the secondary " + what));
  };
  const auto reduced = [](const auto& to, const auto& from) {
    return !to.empty() && to.size() < from.size();
  };
  if (reduced(now.addresses, before.addresses)) refuse("cluster IP");
  if (reduced(now.families, before.families)) refuse("IP family");
}

void check_single(const ServiceAddresses& now, FieldErrors& errors) {
  if (*now.policy != kSingle) return;
  const FieldPath spec{"spec"};
  const auto refuse = [&](std::string what) {
    errors.push_back(
        kube::invalid(spec.child("ipFamilyPolicy"), kube::shown(*now.policy),
                      "must be 'RequireDualStack' or 'PreferDualStack' when multiple " + what +
                          " are specified"));
  };
  if (now.addresses.size() == 2) refuse("cluster IPs");
  if (now.families.size() == 2) refuse("IP families");
}

void infer_families(ServiceAddresses& now, FieldErrors& errors) {
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("clusterIPs");
  for (std::size_t i = 0; i < now.addresses.size(); ++i) {
    if (now.addresses[i] == "None") break;
    if (i < now.families.size()) continue;
    const auto family = family_of(now.addresses[i]);
    if (family == kFamily) {
      now.families.emplace_back(family);
    } else {
      const json::Value all = list_of(now.addresses).freeze();
      errors.push_back(kube::invalid(path.index(i), all,
                                     std::string{family} + " is not configured on this cluster"));
    }
  }
}

// Whoever runs the endpoints of such a service may have any family.
void settle_without_selector(ServiceAddresses& now) {
  if (now.families.empty()) now.families.emplace_back(kFamily);
  if (now.families.size() == 1 && *now.policy != kSingle) {
    now.families.emplace_back(now.families.front() == kFamily ? kOtherFamily : kFamily);
  }
}

FieldErrors unconfigured(const ServiceAddresses& now) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  if (*now.policy == kRequireDual) {
    errors.push_back(kube::invalid(spec.child("ipFamilyPolicy"), kube::shown(*now.policy),
                                   "this cluster is not configured for dual-stack services"));
  }
  const FieldPath path = spec.child("ipFamilies");
  for (std::size_t i = 0; i < now.families.size(); ++i) {
    if (now.families[i] == kFamily) continue;
    errors.push_back(kube::invalid(path.index(i), kube::shown(now.families[i]),
                                   "not configured on this cluster"));
  }
  return errors;
}

}  // namespace

ServiceAddresses ServiceAddresses::of(json::View spec) {
  ServiceAddresses found{.type = std::string{spec.get("type").as_string()},
                         .address = std::string{spec.get("clusterIP").as_string()},
                         .addresses = texts(spec.get("clusterIPs")),
                         .families = texts(spec.get("ipFamilies")),
                         .policy = std::nullopt,
                         .selects = !spec.get("selector").empty()};
  if (const json::View policy = spec.get("ipFamilyPolicy"); !policy.is_null()) {
    found.policy = std::string{policy.as_string()};
  }
  return found;
}

void ServiceAddresses::write_to(json::Draft& spec) const {
  if (address.empty()) {
    spec.erase("clusterIP");
  } else {
    spec["clusterIP"] = address;
  }
  put_list(spec, "clusterIPs", addresses);
  put_list(spec, "ipFamilies", families);
  if (policy) spec["ipFamilyPolicy"] = *policy;
}

void follow_old_addresses(ServiceAddresses& now, const ServiceAddresses* before) {
  if (before == nullptr) {
    if (!now.address.empty() && now.addresses.empty()) now.addresses = {now.address};
    return;
  }
  if (!before->external_name() && !now.external_name()) {
    if (now.address.empty()) now.address = before->address;
    if (now.addresses.empty()) now.addresses = before->addresses;
  }
  if (now.addresses.empty() && now.address == before->address) now.addresses = before->addresses;
  if (now.address == before->address || now.addresses != before->addresses) return;
  now.addresses.clear();
  // An author who knows only the one of the two means both.
  if (!now.address.empty() || before->address.empty()) now.addresses.push_back(now.address);
}

bool same_dual_wish(const ServiceAddresses& now, const ServiceAddresses* before) {
  if (before == nullptr || !now.policy || before->type != now.type) return false;
  const bool addressed =
      now.type == "ClusterIP" || now.type == "NodePort" || now.type == "LoadBalancer";
  return addressed && *now.policy == kPreferDual &&
         before->policy.value_or(std::string{kPreferDual}) == kPreferDual &&
         now.addresses == before->addresses && now.families == before->families;
}

FieldErrors settle_families(ServiceAddresses& now, const ServiceAddresses* before) {
  FieldErrors errors;
  if (now.external_name() || same_dual_wish(now, before)) return errors;
  if (!now.policy) now.policy = inferred_policy(now, before);
  json::Draft spec = json::Draft::object({
      {"type", now.type}
  });
  now.write_to(spec);
  const json::Value settled = spec.freeze();
  check_service_addresses(settled, errors);
  if (!errors.empty()) return errors;

  if (before != nullptr) settle_shrinking(now, *before, errors);
  check_single(now, errors);
  infer_families(now, errors);
  if (!errors.empty()) return errors;
  if (now.address == "None" && !now.selects) {
    settle_without_selector(now);
    return errors;
  }
  errors = unconfigured(now);
  if (errors.empty() && now.families.empty()) now.families.emplace_back(kFamily);
  return errors;
}

}  // namespace fixpoint::kinds
