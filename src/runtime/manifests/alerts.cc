// SPDX-License-Identifier: Apache-2.0
//
// What to be woken for, as the Prometheus operator reads it. Metric names: facts of
// controller-runtime that dashboards and people already know (metrics/controller_metrics.h).
#include "runtime/manifests/manifests.h"
#include "runtime/manifests/parts.h"

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using json::Draft;

struct Alert {
  std::string_view name;
  std::string_view expression;  // {} is the job
  std::string_view lasting;
  std::string_view severity;
  std::string_view summary;
  std::string_view description;
};

constexpr Alert kAlerts[]{
    {"FixpointNobodyLeads",     "(max(leader_election_master_status{{job=\"{0}\"}}) or vector(0)) < 1",
     "5m",                                                                                                     "critical", "No replica leads, so nothing is reconciled.",
     "Look at the pods and their logs: they say why they cannot get the lease."},
    {"FixpointReconcileErrors",
     "sum by (controller) (rate(controller_runtime_reconcile_errors_total{{job=\"{0}\"}}[10m])) / "
     "sum by (controller) (rate(controller_runtime_reconcile_total{{job=\"{0}\"}}[10m])) > 0.5",        "15m", "warning",  "More than half of the passes of {{{{ $labels.controller }}}} fail.",
     "The conditions of the objects and the log name the reason."              },
    {"FixpointTerminalErrors",
     "sum by (controller) "
     "(increase(controller_runtime_terminal_reconcile_errors_total{{job=\"{0}\"}}[1h])) > 0",           "1m",  "warning",  "{{{{ $labels.controller }}}} gave up on an object until a person acts.",
     "Objects whose condition Ready is False say what to do."                  },
    {"FixpointQueueStuck",
     "max by (controller) (workqueue_longest_running_processor_seconds{{job=\"{0}\"}}) > 300",          "5m",
     "warning",                                                                                                            "A pass of {{{{ $labels.controller }}}} has been running for minutes.",
     "Something it asks does not answer within its deadline."                  },
    {"FixpointServerWentBack",  "sum(increase(fixpoint_cache_rewinds_total{{job=\"{0}\"}}[1h])) > 0",
     "1m",                                                                                                     "warning",  "The API server's data are older than they were.",
     "It was restored from a backup, or the address leads to another cluster. What was written "
     "since the backup is made again."                                         },
    {"FixpointEditWar",         "sum(increase(fixpoint_thrashing_total{{job=\"{0}\"}}[1h])) > 0",       "1m",
     "warning",                                                                                                            "Somebody else keeps changing a managed object back; it is paused.",
     "The event on the object names the other writer and how to resume."       },
};

Draft rule(const Alert& alert, const ManifestOptions& options) {
  return Draft::object({
      {"alert", alert.name},
      {"expr", fmt::format(fmt::runtime(alert.expression), options.name)},
      {"for", alert.lasting},
      {"labels", Draft::object({{"severity", alert.severity}})},
      {"annotations",
       Draft::object({{"summary", fmt::format(fmt::runtime(alert.summary), options.name)},
                      {"description", alert.description}})},
  });
}

}  // namespace

std::vector<json::Value> alert_objects(const ManifestOptions& options) {
  const Place place{.name = options.name, .ns = options.ns, .part_of = options.name};
  auto rules = begin(place, "monitoring.coreos.com/v1", "PrometheusRule");
  auto list = Draft::array();
  for (const auto& alert : kAlerts) list.push_back(rule(alert, options));
  rules["spec"] = Draft::object({
      {"groups",
       Draft::array({Draft::object({{"name", options.name}, {"rules", std::move(list)}})})}
  });
  auto monitor = begin(place, "monitoring.coreos.com/v1", "ServiceMonitor");
  monitor["spec"] = Draft::object({
      {"selector",  Draft::object({{"matchLabels", selector_labels(options.name)}})          },
      {"endpoints", Draft::array({Draft::object({{"port", "metrics"}, {"interval", "30s"}})})},
  });
  return {rules.freeze(), monitor.freeze()};
}

}  // namespace fixpoint::runtime
