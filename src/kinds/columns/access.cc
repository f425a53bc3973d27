// SPDX-License-Identifier: Apache-2.0
//
// RBAC, certificates, admission, leases and the small cluster-wide kinds.
#include "kinds/columns/cells.h"
#include "kinds/columns/columns.h"
#include "kinds/groups.h"
#include "kube/scalars/duration.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

std::string subjects(View binding, std::string_view kind) {
  std::vector<std::string> names;
  for (const View subject : binding.get("subjects").elements()) {
    if (subject.get("kind").as_string() != kind) continue;
    auto name = text(subject.get("name"));
    if (kind == "ServiceAccount") name = text(subject.get("namespace")) + "/" + name;
    names.push_back(std::move(name));
  }
  return joined(names, ", ");
}

Cells binding_cells(View object, Instant now) {
  const View role = object.get("roleRef");
  return {name_cell(object),
          Draft{text(role.get("kind")) + "/" + text(role.get("name"))},
          age_cell(object, now),
          Draft{subjects(object, "User")},
          Draft{subjects(object, "Group")},
          Draft{subjects(object, "ServiceAccount")}};
}

std::string signing_status(View request) {
  const View conditions = request.get("status", "conditions");
  const auto has = [&](std::string_view type) { return !condition(conditions, type).is_null(); };
  std::string status = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) status += ",Failed";
  if (!request.get("status", "certificate").as_string().empty()) status += ",Issued";
  return status;
}

std::string requested_duration(View seconds) {
  if (seconds.is_null()) return std::string{kNone};
  return kube::human_duration(std::chrono::seconds{seconds.as_int()});
}

Cells signing_request_cells(View object, Instant now) {
  const View spec = object.get("spec");
  return {name_cell(object),
          age_cell(object, now),
          Draft{or_else(spec.get("signerName"), kNone)},
          Draft{text(spec.get("username"))},
          Draft{requested_duration(spec.get("expirationSeconds"))},
          Draft{signing_status(object)}};
}

Cells webhook_cells(View object, Instant now) {
  return {name_cell(object), Draft{static_cast<std::int64_t>(object.get("webhooks").size())},
          age_cell(object, now)};
}

Cells policy_cells(View object, Instant now) {
  const View kind = object.get("spec", "paramKind");
  return {name_cell(object),
          Draft{static_cast<std::int64_t>(object.get("spec", "validations").size())},
          Draft{kind.is_null() ? std::string{kUnset}
                               : text(kind.get("apiVersion")) + "/" + text(kind.get("kind"))},
          age_cell(object, now)};
}

std::string parameters_text(View reference) {
  const auto name = reference.get("name").as_string();
  if (!name.empty()) return or_else(reference.get("namespace"), "*") + "/" + std::string{name};
  const View selector = reference.get("selector");
  if (selector.is_null()) return std::string{kUnset};
  // A real server prints the Go struct here; only matchLabels are common enough to imitate.
  std::string labels;
  for (const auto [key, value] : selector.get("matchLabels").members()) {
    labels += fmt::format("{}: {},", key, value.as_string());
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]"
      "LabelSelectorRequirement{{}},}}",
      labels);
}

Cells policy_binding_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("spec", "policyName"))},
          Draft{parameters_text(object.get("spec", "paramRef"))}, age_cell(object, now)};
}

Cells priority_class_cells(View object, Instant now) {
  return {name_cell(object), Draft{object.get("value").as_int()},
          Draft{object.get("globalDefault").as_bool()}, age_cell(object, now),
          Draft{text(object.get("preemptionPolicy"))}};
}

Cells lease_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("spec", "holderIdentity"))},
          age_cell(object, now)};
}

Cells runtime_class_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("handler"))}, age_cell(object, now)};
}

std::string availability(View service) {
  const View available = condition(service.get("status", "conditions"), "Available");
  if (available.is_null()) return "Unknown";
  const auto status = text(available.get("status"));
  const auto reason = available.get("reason").as_string();
  return status == "True" || reason.empty() ? status : fmt::format("{} ({})", status, reason);
}

Cells api_service_cells(View object, Instant now) {
  const View service = object.get("spec", "service");
  return {
      name_cell(object),
      Draft{service.is_null() ? "Local"
                              : text(service.get("namespace")) + "/" + text(service.get("name"))},
      Draft{availability(object)}, age_cell(object, now)};
}

Cells named_cells(View object, Instant now) {
  return {name_cell(object), age_cell(object, now)};
}

std::string claim_state(View claim) {
  const bool going = !claim.get("metadata", "deletionTimestamp").is_null();
  const View status = claim.get("status");
  std::vector<std::string> states;
  if (going) states.emplace_back("deleted");
  if (!status.get("allocation").is_null()) {
    states.emplace_back("allocated");
    if (!status.get("reservedFor").empty()) states.emplace_back("reserved");
  } else if (!going) {
    states.emplace_back("pending");
  }
  return joined(states, ",");
}

Cells resource_claim_cells(View object, Instant now) {
  return {name_cell(object), Draft{claim_state(object)}, age_cell(object, now)};
}

Cells resource_slice_cells(View object, Instant now) {
  const View spec = object.get("spec");
  return {name_cell(object), Draft{text(spec.get("nodeName"))}, Draft{text(spec.get("driver"))},
          Draft{text(spec.get("pool", "name"))}, age_cell(object, now)};
}

Cells flow_schema_cells(View object, Instant now) {
  const View spec = object.get("spec");
  const View dangling = condition(object.get("status", "conditions"), "Dangling");
  return {name_cell(object),
          Draft{text(spec.get("priorityLevelConfiguration", "name"))},
          Draft{spec.get("matchingPrecedence").as_int()},
          Draft{or_else(spec.get("distinguisherMethod", "type"), kNone)},
          age_cell(object, now),
          Draft{dangling.is_null() ? std::string{"?"} : text(dangling.get("status"))}};
}

Draft number_or_none(View number) {
  return number.is_null() ? Draft{std::string{kNone}} : Draft{number.as_int()};
}

Cells priority_level_cells(View object, Instant now) {
  const View limited = object.get("spec", "limited");
  const View queuing = limited.get("limitResponse", "queuing");
  return {name_cell(object),
          Draft{text(object.get("spec", "type"))},
          number_or_none(limited.get("nominalConcurrencyShares")),
          number_or_none(queuing.get("queues")),
          number_or_none(queuing.get("handSize")),
          number_or_none(queuing.get("queueLengthLimit")),
          age_cell(object, now)};
}

constexpr std::string_view kBindingColumns = "Name,Role,Age,*Users,*Groups,*ServiceAccounts";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";

constexpr std::string_view kDevices = "resource.k8s.io";
constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";

constexpr Printer kAccessPrinters[] = {
    {kDevices,                 "DeviceClass",                      "Name,Age",                               named_cells          },
    {kDevices,                 "ResourceClaim",                    "Name,State,Age",                         resource_claim_cells },
    {kDevices,                 "ResourceClaimTemplate",            "Name,Age",                               named_cells          },
    {kDevices,                 "ResourceSlice",                    "Name,Node,Driver,Pool,Age",              resource_slice_cells },
    {kFlowControl,             "FlowSchema",
     "Name,PriorityLevel,MatchingPrecedence,DistinguisherMethod,Age,MissingPL",                              flow_schema_cells    },
    {kFlowControl,             "PriorityLevelConfiguration",
     "Name,Type,NominalConcurrencyShares,Queues,HandSize,QueueLengthLimit,Age",                              priority_level_cells },
    {kRbacGroup,               "ClusterRoleBinding",               kBindingColumns,                          binding_cells        },
    {kRbacGroup,               "RoleBinding",                      kBindingColumns,                          binding_cells        },
    {"certificates.k8s.io",    "CertificateSigningRequest",
     "Name,Age,SignerName,Requestor,RequestedDuration,Condition",                                            signing_request_cells},
    {kAdmission,               "MutatingWebhookConfiguration",     "Name,Webhooks:integer,Age",              webhook_cells        },
    {kAdmission,               "ValidatingWebhookConfiguration",   "Name,Webhooks:integer,Age",              webhook_cells        },
    {kAdmission,               "ValidatingAdmissionPolicy",        "Name,Validations:integer,ParamKind,Age",
     policy_cells                                                                                                                 },
    {kAdmission,               "ValidatingAdmissionPolicyBinding", "Name,PolicyName,ParamRef,Age",
     policy_binding_cells                                                                                                         },
    {"scheduling.k8s.io",      "PriorityClass",
     "Name,Value:integer,Global-Default:boolean,Age,PreemptionPolicy",                                       priority_class_cells },
    {"coordination.k8s.io",    "Lease",                            "Name,Holder,Age",                        lease_cells          },
    {"node.k8s.io",            "RuntimeClass",                     "Name,Handler,Age",                       runtime_class_cells  },
    {"apiregistration.k8s.io", "APIService",                       "Name,Service,Available,Age",             api_service_cells    },
};

}  // namespace

std::span<const Printer> access_printers() {
  return kAccessPrinters;
}

}  // namespace fixpoint::kinds
