// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/health.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::nodes {
namespace {

using json::Draft;

struct ConditionTaint {
  std::string_view condition;
  std::string_view status;
  std::string_view taint;
};

constexpr std::array kConditionTaints{
    ConditionTaint{"Ready",              "False",   kNotReadyTaint                          },
    ConditionTaint{"Ready",              "Unknown", kUnreachableTaint                       },
    ConditionTaint{"MemoryPressure",     "True",    "node.kubernetes.io/memory-pressure"    },
    ConditionTaint{"DiskPressure",       "True",    "node.kubernetes.io/disk-pressure"      },
    ConditionTaint{"NetworkUnavailable", "True",    "node.kubernetes.io/network-unavailable"},
    ConditionTaint{"PIDPressure",        "True",    "node.kubernetes.io/pid-pressure"       },
};

// Conditions that a silent node's are set to; that of its network is the control plane's.
constexpr std::array<std::string_view, 4> kOfTheNode{"Ready", "MemoryPressure", "DiskPressure",
                                                     "PIDPressure"};

std::string_view status_of(json::View node, std::string_view condition) {
  return kube::condition_of(node, condition).get("status").as_string();
}

// What must keep new pods away, by key.
std::vector<std::string> wanted_no_schedule(json::View node) {
  std::vector<std::string> wanted;
  for (const json::View condition : node.get("status", "conditions").elements()) {
    for (const auto& row : kConditionTaints) {
      if (condition.get("type").as_string() == row.condition &&
          condition.get("status").as_string() == row.status) {
        wanted.emplace_back(row.taint);
      }
    }
  }
  if (node.get("spec", "unschedulable").as_bool()) wanted.emplace_back(kUnschedulableTaint);
  return wanted;
}

std::vector<std::string> wanted_no_execute(json::View node) {
  const auto ready = status_of(node, "Ready");
  if (ready == "False") return {std::string{kNotReadyTaint}};
  if (ready == "Unknown") return {std::string{kUnreachableTaint}};
  return {};
}

bool is_ours(const Taint& taint) {
  if (taint.effect == "NoExecute") {
    return taint.key == kNotReadyTaint || taint.key == kUnreachableTaint;
  }
  if (taint.effect != "NoSchedule") return false;
  return taint.key == kUnschedulableTaint ||
         std::ranges::any_of(kConditionTaints,
                             [&](const auto& row) { return row.taint == taint.key; });
}

Draft unknown_condition(std::string_view type, json::View node, Instant now) {
  return Draft::object({
      {"type",               type                               },
      {"status",             "Unknown"                          },
      {"reason",             "NodeStatusNeverUpdated"           },
      {"message",            "Kubelet never posted node status."},
      {"lastHeartbeatTime",  kube::creation_timestamp_of(node)  },
      {"lastTransitionTime", format_seconds(now)                }
  });
}

}  // namespace

Instant given_up_at(json::View node, Instant last_sign) {
  const bool spoke = kube::condition_of(node, "Ready").is_object();
  return last_sign + (spoke ? kSilenceMax : kFirstSilenceMax);
}

std::optional<json::Value> silent(json::View node, Instant now) {
  Draft changed{node};
  auto& conditions = changed.object_at("status").array_at("conditions");
  for (const auto type : kOfTheNode) {
    const auto known = std::ranges::find_if(conditions.elements(), [&](const Draft& one) {
      const Draft* name = one.find("type");
      return name != nullptr && name->as_string() == type;
    });
    if (known == conditions.elements().end()) {
      conditions.push_back(unknown_condition(type, node, now));
      continue;
    }
    if ((*known)["status"].as_string() == "Unknown") continue;
    (*known)["status"] = "Unknown";
    (*known)["reason"] = "NodeStatusUnknown";
    (*known)["message"] = "Kubelet stopped posting node status.";
    (*known)["lastTransitionTime"] = format_seconds(now);
  }
  json::Value made = changed.freeze();
  if (kube::condition_of(made, "Ready") == kube::condition_of(node, "Ready")) return std::nullopt;
  return made;
}

std::optional<json::Value> tainted(json::View node, Instant now) {
  auto no_schedule = wanted_no_schedule(node);
  auto no_execute = wanted_no_execute(node);
  Draft taints = Draft::array();
  bool changes = false;
  for (const json::View one : node.get("spec", "taints").elements()) {
    const auto taint = Taint::from(one);
    auto& wanted = taint.effect == "NoExecute" ? no_execute : no_schedule;
    const bool stays = !is_ours(taint) || std::erase(wanted, taint.key) > 0;
    changes = changes || !stays;
    if (stays) taints.push_back(one);
  }
  const auto add = [&](const std::vector<std::string>& keys, std::string_view effect) {
    for (const auto& key : keys) {
      taints.push_back(Draft::object({
          {"key",       key                },
          {"effect",    effect             },
          {"timeAdded", format_seconds(now)}
      }));
      changes = true;
    }
  };
  add(no_schedule, "NoSchedule");
  add(no_execute, "NoExecute");
  if (!changes) return std::nullopt;
  Draft made{node};
  auto& spec = made.object_at("spec");
  if (taints.empty()) {
    spec.erase("taints");
  } else {
    spec["taints"] = std::move(taints);
  }
  return made.freeze();
}

std::optional<Instant> leaves_at(json::View pod, json::View node, Instant now) {
  const auto tolerations = tolerations_of(pod);
  std::optional<Instant> first;
  for (const json::View one : node.get("spec", "taints").elements()) {
    const auto taint = Taint::from(one);
    if (taint.effect != "NoExecute") continue;
    const auto used = std::ranges::find_if(
        tolerations, [&](const Toleration& toleration) { return toleration.covers(taint); });
    if (used == tolerations.end()) return now;
    if (!used->seconds) continue;
    const auto since = parse_rfc3339(one.get("timeAdded").as_string());
    const Instant until =
        (since ? *since : now) + std::chrono::seconds(std::max<std::int64_t>(0, *used->seconds));
    if (!first || until < *first) first = until;
  }
  return first;
}

json::Value disruption_patch(json::View pod, std::string_view reason, std::string_view message,
                             Instant now) {
  auto condition = Draft::object({
      {"type",               "DisruptionTarget" },
      {"status",             "True"             },
      {"reason",             reason             },
      {"message",            message            },
      {"lastProbeTime",      Draft{}            },
      {"lastTransitionTime", format_seconds(now)}
  });
  if (const auto generation = kube::generation_of(pod); generation > 0) {
    condition["observedGeneration"] = generation;
  }
  return Draft::object(
             {
                 {"status", Draft::object({{"conditions", Draft::array({std::move(condition)})}})}
  })
      .freeze();
}

}  // namespace fixpoint::cluster::nodes
