// SPDX-License-Identifier: Apache-2.0
//
// apps, batch, policy and the replication controller.
#include "base/rfc3339.h"
#include "kinds/columns/cells.h"
#include "kinds/columns/columns.h"
#include "kube/meta/gvk.h"
#include "kube/scalars/duration.h"
#include "kube/scalars/int_or_string.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

void append_template(View pod_spec, Cells& cells) {
  cells.emplace_back(container_names(pod_spec));
  cells.emplace_back(container_images(pod_spec));
}

std::int64_t status_number(View object, std::string_view field) {
  return object.get("status", field).as_int();
}

// What Go prints of a replica count that is not set: workloads have a default, so this is rare.
std::int64_t replicas(View object) {
  return object.get("spec", "replicas").as_int();
}

Cells replica_set_cells(View object, Instant now) {
  Cells cells{name_cell(object), Draft{replicas(object)}, Draft{status_number(object, "replicas")},
              Draft{status_number(object, "readyReplicas")}, age_cell(object, now)};
  append_template(object.get("spec", "template", "spec"), cells);
  return cells;
}

Cells replication_controller_cells(View object, Instant now) {
  auto cells = replica_set_cells(object, now);
  cells.emplace_back(labels_text(object.get("spec", "selector")));
  return cells;
}

Cells apps_replica_set_cells(View object, Instant now) {
  auto cells = replica_set_cells(object, now);
  cells.emplace_back(selector_text(object.get("spec", "selector")));
  return cells;
}

Cells deployment_cells(View object, Instant now) {
  Cells cells{name_cell(object),
              Draft{ratio(status_number(object, "readyReplicas"), replicas(object))},
              Draft{status_number(object, "updatedReplicas")},
              Draft{status_number(object, "availableReplicas")}, age_cell(object, now)};
  append_template(object.get("spec", "template", "spec"), cells);
  const auto selector = kube::LabelSelector::from_object(object.get("spec", "selector"));
  cells.emplace_back(selector ? selector->to_string() : "<invalid>");
  return cells;
}

Cells stateful_set_cells(View object, Instant now) {
  Cells cells{name_cell(object),
              Draft{ratio(status_number(object, "readyReplicas"), replicas(object))},
              age_cell(object, now)};
  append_template(object.get("spec", "template", "spec"), cells);
  return cells;
}

Cells daemon_set_cells(View object, Instant now) {
  const View pod_spec = object.get("spec", "template", "spec");
  Cells cells{name_cell(object),
              Draft{status_number(object, "desiredNumberScheduled")},
              Draft{status_number(object, "currentNumberScheduled")},
              Draft{status_number(object, "numberReady")},
              Draft{status_number(object, "updatedNumberScheduled")},
              Draft{status_number(object, "numberAvailable")},
              Draft{labels_text(pod_spec.get("nodeSelector"))},
              age_cell(object, now)};
  append_template(pod_spec, cells);
  cells.emplace_back(selector_text(object.get("spec", "selector")));
  return cells;
}

// "statefulset.apps/web"
std::string owner_text(View object) {
  for (const View owner : object.get("metadata", "ownerReferences").elements()) {
    if (!owner.get("controller").as_bool()) continue;
    const auto version = kube::parse_group_version(owner.get("apiVersion").as_string());
    auto kind = kube::GroupKind{version ? version->group : "", text(owner.get("kind"))}.to_string();
    std::ranges::transform(kind, kind.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return kind + "/" + text(owner.get("name"));
  }
  return std::string{kNone};
}

Cells controller_revision_cells(View object, Instant now) {
  return {name_cell(object), Draft{owner_text(object)}, Draft{object.get("revision").as_int()},
          age_cell(object, now)};
}

std::string job_status(View job) {
  const View conditions = job.get("status", "conditions");
  if (condition_true(conditions, "Complete")) return "Complete";
  if (condition_true(conditions, "Failed")) return "Failed";
  if (!job.get("metadata", "deletionTimestamp").is_null()) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (condition_true(conditions, type)) return std::string{type};
  }
  return "Running";
}

std::string job_completions(View job) {
  const auto succeeded = status_number(job, "succeeded");
  const View wanted = job.get("spec", "completions");
  if (!wanted.is_null()) return ratio(succeeded, wanted.as_int());
  const auto parallelism = job.get("spec", "parallelism").as_int();
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism) : ratio(succeeded, 1);
}

std::string job_duration(View job, Instant now) {
  const auto started = parse_rfc3339(job.get("status", "startTime").as_string());
  if (!started) return "";
  const auto completed = parse_rfc3339(job.get("status", "completionTime").as_string());
  return kube::human_duration(completed.value_or(now) - *started);
}

Cells job_cells(View object, Instant now) {
  Cells cells{name_cell(object), Draft{job_status(object)}, Draft{job_completions(object)},
              Draft{job_duration(object, now)}, age_cell(object, now)};
  append_template(object.get("spec", "template", "spec"), cells);
  cells.emplace_back(selector_text(object.get("spec", "selector")));
  return cells;
}

std::string bool_text(View value) {
  if (value.is_null()) return std::string{kUnset};
  return value.as_bool() ? "True" : "False";
}

Cells cron_job_cells(View object, Instant now) {
  const View last = object.get("status", "lastScheduleTime");
  const View job = object.get("spec", "jobTemplate", "spec");
  Cells cells{name_cell(object),
              Draft{text(object.get("spec", "schedule"))},
              Draft{object.get("spec", "timeZone").as_string(kNone)},
              Draft{bool_text(object.get("spec", "suspend"))},
              Draft{static_cast<std::int64_t>(object.get("status", "active").size())},
              Draft{last.is_null() ? std::string{kNone} : kube::age(last.as_string(), now)},
              age_cell(object, now)};
  append_template(job.get("template", "spec"), cells);
  cells.emplace_back(selector_text(job.get("selector")));
  return cells;
}

std::string budget_text(View amount) {
  return amount.is_null() ? "N/A" : kube::IntOrString::from(amount).to_string();
}

Cells disruption_budget_cells(View object, Instant now) {
  return {name_cell(object), Draft{budget_text(object.get("spec", "minAvailable"))},
          Draft{budget_text(object.get("spec", "maxUnavailable"))},
          Draft{status_number(object, "disruptionsAllowed")}, age_cell(object, now)};
}

constexpr std::string_view kReplicaColumns =
    "Name,Desired:integer,Current:integer,Ready:integer,Age,*Containers,*Images,*Selector";

constexpr Printer kWorkloadPrinters[] = {
    {"",       "ReplicationController", kReplicaColumns,                                                      replication_controller_cells},
    {"apps",   "ReplicaSet",            kReplicaColumns,                                                      apps_replica_set_cells      },
    {"apps",   "Deployment",            "Name,Ready,Up-to-date,Available,Age,*Containers,*Images,*Selector",
     deployment_cells                                                                                                                     },
    {"apps",   "StatefulSet",           "Name,Ready,Age,*Containers,*Images",                                 stateful_set_cells          },
    {"apps",   "DaemonSet",
     "Name,Desired:integer,Current:integer,Ready:integer,Up-to-date:integer,Available:integer,Node "
     "Selector,Age,*Containers,*Images,*Selector",                                                            daemon_set_cells            },
    {"apps",   "ControllerRevision",    "Name,Controller,Revision,Age",                                       controller_revision_cells   },
    {"batch",  "Job",                   "Name,Status,Completions,Duration,Age,*Containers,*Images,*Selector",
     job_cells                                                                                                                            },
    {"batch",  "CronJob",
     "Name,Schedule,Timezone,Suspend:boolean,Active:integer,Last "
     "Schedule,Age,*Containers,*Images,*Selector",                                                            cron_job_cells              },
    {"policy", "PodDisruptionBudget",
     "Name,Min Available,Max Unavailable,Allowed Disruptions:integer,Age",                                    disruption_budget_cells     },
};

}  // namespace

std::span<const Printer> workload_printers() {
  return kWorkloadPrinters;
}

}  // namespace fixpoint::kinds
