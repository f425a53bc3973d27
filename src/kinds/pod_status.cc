// SPDX-License-Identifier: Apache-2.0
#include "kinds/pod_status.h"

#include "kinds/validation/pods/pod.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fixpoint::kinds {
namespace {

using json::Draft;

void restore(Draft& object, View old_object, std::string_view key) {
  if (const auto old = old_object.find(key)) {
    object[key] = Draft{*old};
  } else {
    object.erase(key);
  }
}

void carry_generations(Draft& status, View old_status) {
  if (status.find("observedGeneration") == nullptr) {
    restore(status, old_status, "observedGeneration");
  }
  Draft* conditions = status.find("conditions");
  if (conditions == nullptr || !conditions->is_array()) return;
  std::vector<View> before;
  for (const View one : old_status.get("conditions").elements()) before.push_back(one);
  for (Draft& condition : conditions->elements()) {
    const Draft* type = condition.find("type");
    if (type == nullptr) continue;
    const auto match = std::ranges::find_if(
        before, [&](View old) { return old.get("type").as_string() == type->as_string(); });
    if (match == before.end()) continue;
    const View generation = match->get("observedGeneration");
    before.erase(match);
    if (condition.find("observedGeneration") == nullptr && !generation.is_null()) {
      condition["observedGeneration"] = Draft{generation};
    }
  }
}

// An address is in two places. The single one is what old kubelets know, and decides.
void agree_on_address(Draft& status) {
  const Draft* single = status.find("podIP");
  const Draft* all = status.find("podIPs");
  const bool listed = all != nullptr && all->is_array() && !all->elements().empty();
  const std::string address{single == nullptr ? std::string_view{} : single->as_string()};
  const Draft* first = listed ? all->elements().front().find("ip") : nullptr;
  const std::string leading{first == nullptr ? std::string_view{} : first->as_string()};
  if (address.empty()) {
    if (!leading.empty()) status["podIP"] = leading;
  } else if (address != leading) {
    status["podIPs"] = Draft::array({
        Draft::object({{"ip", address}}
        )
    });
  }
}

using kube::FieldErrors;
using kube::FieldPath;

constexpr std::string_view kNotNegative = "must be a non-negative integer";

void check_pod_conditions(View conditions, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath here = path.index(i);
    const View generation = conditions[i].get("observedGeneration");
    if (generation.as_int() < 0) {
      note_invalid(here.child("observedGeneration"), generation, kNotNegative, errors);
    }
    const auto type = conditions[i].get("type").as_string();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    kube::note_problems(here.child("Type"), type, kube::qualified_name_problems, errors);
  }
}

// A container that ended for good does not come back.
void check_ended(View now, View before, std::string_view policy, const FieldPath& path,
                 FieldErrors& errors) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const View ended = before[i].get("state", "terminated");
    if (ended.is_null() || policy == "Always") continue;
    if (policy == "OnFailure" && ended.get("exitCode").as_int() != 0) continue;
    for (const View one : now.elements()) {
      if (!(one.get("name") == before[i].get("name"))) continue;
      if (!one.get("state", "terminated").is_null()) continue;
      const FieldPath here = path.index(i);
      note_forbidden(here.child("state"), "may not be transitioned to non-terminated state",
                     errors);
    }
  }
}

// Bad addresses that are there already may stay.
void check_addresses(View now, View before, const FieldPath& path, FieldErrors& errors) {
  int six = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const View address = now[i].get("ip");
    if (address.as_string().find(':') != std::string_view::npos) ++six;
    const auto range = before.elements();
    if (std::any_of(range.begin(), range.end(),
                    [&](View old) { return old.get("ip") == address; })) {
      continue;
    }
    kube::note_problems(path.index(i), address.as_string(), kube::ip_problems, errors);
  }
  const auto count = now.size();
  if (count < 2 || (count == 2 && six == 1)) return;
  std::string text;
  for (const View one : now.elements()) {
    text += (text.empty() ? "" : ",") + ("{\"IP\":" + kube::shown(one.get("ip").as_string()) + "}");
  }
  errors.push_back(
      kube::invalid(path, "[" + text + "]", "may specify no more than one IP for each IP family"));
}

void check_host_addresses(View status, View before, const FieldPath& path, FieldErrors& errors) {
  const View addresses = status.get("hostIPs");
  if (addresses.empty()) return;
  const auto first = addresses[0].get("ip").as_string();
  if (first != status.get("hostIP").as_string()) {
    const FieldPath here = path.index(0);
    note_invalid(here.child("ip"), first, "must be equal to `hostIP`", errors);
  }
  check_addresses(addresses, before, path, errors);
}

void check_claims(View pod, const FieldPath& path, FieldErrors& errors) {
  const View statuses = pod.get("status", "resourceClaimStatuses");
  const View claims = pod.get("spec", "resourceClaims");
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const View name = statuses[i].get("name");
    const auto range = claims.elements();
    if (std::any_of(range.begin(), range.end(),
                    [&](View claim) { return claim.get("name") == name; })) {
      continue;
    }
    const FieldPath here = path.index(i);
    note_invalid(here.child("name"), name.as_string(),
                 "must match the name of an entry in `spec.resourceClaims`", errors);
  }
}

}  // namespace

void prepare_pod_status(Draft& pod, View old_pod, const HookContext&) {
  Draft& status = pod.object_at("status");
  const View before = old_pod.get("status");
  if (status.find("qosClass") == nullptr) restore(status, before, "qosClass");
  carry_generations(status, before);
}

FieldErrors validate_pod_status_update(View pod, View old_pod) {
  FieldErrors errors;
  const FieldPath path{"status"};
  const View status = pod.get("status");
  const View before = old_pod.get("status");
  check_pod_conditions(status.get("conditions"), path.child("conditions"), errors);
  if (!(pod.get("spec", "nodeName") == old_pod.get("spec", "nodeName"))) {
    note_forbidden(path.child("nodeName"), "may not be changed directly", errors);
  }
  const auto nominated = status.get("nominatedNodeName").as_string();
  if (!nominated.empty() && nominated != before.get("nominatedNodeName").as_string()) {
    const FieldPath here = path.child("nominatedNodeName");
    kube::note_problems(here, nominated, kube::dns1123_subdomain_problems, errors);
  }
  if (const View generation = status.get("observedGeneration"); generation.as_int() < 0) {
    note_invalid(path.child("observedGeneration"), generation, kNotNegative, errors);
  }
  check_immutable(status.get("qosClass"), before.get("qosClass"), path.child("qosClass"), errors);
  check_ended(status.get("containerStatuses"), before.get("containerStatuses"),
              old_pod.get("spec", "restartPolicy").as_string(), path.child("containerStatuses"),
              errors);
  check_claims(pod, path.child("resourceClaimStatuses"), errors);
  check_addresses(status.get("podIPs"), before.get("podIPs"), path.child("podIPs"), errors);
  check_host_addresses(status, before.get("hostIPs"), path.child("hostIPs"), errors);
  return errors;
}

void agree_on_pod_address(Draft& pod) {
  if (Draft* status = pod.find("status"); status != nullptr && status->is_object()) {
    agree_on_address(*status);
  }
}

}  // namespace fixpoint::kinds
