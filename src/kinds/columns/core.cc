// SPDX-License-Identifier: Apache-2.0
//
// The core group, without pods and volumes, and events.
#include "kinds/columns/cells.h"
#include "kinds/columns/columns.h"
#include "kinds/conversion/convert.h"
#include "kinds/table.h"
#include "kube/go/text.h"
#include "kube/scalars/duration.h"

#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

std::int64_t count(View container) {
  return static_cast<std::int64_t>(container.size());
}

Cells component_status_cells(View object, Instant) {
  const View healthy = condition(object.get("conditions"), "Healthy");
  const auto* status = healthy.is_null()                             ? "Unknown"
                       : healthy.get("status").as_string() == "True" ? "Healthy"
                                                                     : "Unhealthy";
  return {name_cell(object), Draft{status}, Draft{text(healthy.get("message"))},
          Draft{text(healthy.get("error"))}};
}

Cells config_map_cells(View object, Instant now) {
  return {name_cell(object), Draft{count(object.get("data")) + count(object.get("binaryData"))},
          age_cell(object, now)};
}

// "10.0.0.1:80", an IPv6 address in brackets.
std::string host_port(std::string_view address, std::int64_t port) {
  if (address.find(':') == std::string_view::npos) return fmt::format("{}:{}", address, port);
  return fmt::format("[{}]:{}", address, port);
}

Cells endpoints_cells(View object, Instant now) {
  std::vector<std::string> all;
  for (const View subset : object.get("subsets").elements()) {
    const auto addresses = each(subset.get("addresses"), "ip");
    if (subset.get("ports").empty()) all.insert(all.end(), addresses.begin(), addresses.end());
    for (const View port : subset.get("ports").elements()) {
      for (const auto& address : addresses)
        all.push_back(host_port(address, port.get("port").as_int()));
    }
  }
  auto shown = object.get("subsets").empty() ? std::string{kNone} : first_three(all);
  return {name_cell(object), Draft{std::move(shown)}, age_cell(object, now)};
}

Cells namespace_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("status", "phase"))}, age_cell(object, now)};
}

std::string node_status(View node) {
  const View ready = condition(node.get("status", "conditions"), "Ready");
  std::string status = ready.is_null()                             ? "Unknown"
                       : ready.get("status").as_string() == "True" ? "Ready"
                                                                   : "NotReady";
  if (node.get("spec", "unschedulable").as_bool()) status += ",SchedulingDisabled";
  return status;
}

std::string node_roles(View node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto [key, value] : node.get("metadata", "labels").members()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.emplace(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.as_string().empty()) {
      roles.emplace(value.as_string());
    }
  }
  return roles.empty() ? std::string{kNone} : joined({roles.begin(), roles.end()}, ",");
}

std::string node_address(View node, std::string_view type) {
  return or_else(condition(node.get("status", "addresses"), type).get("address"), kNone);
}

Cells node_cells(View node, Instant now) {
  constexpr std::string_view kUnknown = "<unknown>";
  const View info = node.get("status", "nodeInfo");
  return {name_cell(node),
          Draft{node_status(node)},
          Draft{node_roles(node)},
          age_cell(node, now),
          Draft{text(info.get("kubeletVersion"))},
          Draft{node_address(node, "InternalIP")},
          Draft{node_address(node, "ExternalIP")},
          Draft{or_else(info.get("osImage"), kUnknown)},
          Draft{or_else(info.get("kernelVersion"), kUnknown)},
          Draft{or_else(info.get("containerRuntimeVersion"), kUnknown)}};
}

std::string quota_text(View quota, std::string_view resource) {
  const auto amount = [&](std::string_view which) {
    return or_else(quota.get("status", which).get(resource), "0");
  };
  return fmt::format("{}: {}/{}", resource, amount("used"), amount("hard"));
}

Cells quota_cells(View object, Instant now) {
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto [resource, hard] : object.get("status", "hard").members()) {
    auto& column = resource.starts_with("limits.") ? limits : requests;
    column.push_back(quota_text(object, resource));
  }
  return {name_cell(object), Draft{joined(requests, ", ")}, Draft{joined(limits, ", ")},
          age_cell(object, now)};
}

Cells secret_cells(View object, Instant now) {
  return {name_cell(object), Draft{text(object.get("type"))}, Draft{count(object.get("data"))},
          age_cell(object, now)};
}

Cells service_account_cells(View object, Instant now) {
  return {name_cell(object), Draft{count(object.get("secrets"))}, age_cell(object, now)};
}

std::string event_target(View event) {
  const View about = event.get("involvedObject");
  auto kind = kube::lower_case(about.get("kind").as_string());
  const auto name = about.get("name").as_string();
  return name.empty() ? kind : kind + "/" + std::string{name};
}

std::string event_source(View event) {
  const View source = event.get("source");
  const auto component =
      or_else(source.get("component"), event.get("reportingComponent").as_string());
  const auto host = or_else(source.get("host"), event.get("reportingInstance").as_string());
  return host.empty() ? component : component + ", " + host;
}

// Newer events have one time and a series instead of first, last and count.
Cells event_cells(View event, Instant now) {
  const auto when = [&](View first, View otherwise) {
    return or_else(first, otherwise.as_string());
  };
  const auto first_time = when(event.get("firstTimestamp"), event.get("eventTime"));
  auto last_time = or_else(event.get("lastTimestamp"), first_time);
  auto times = event.get("count").as_int();
  if (const View series = event.get("series"); !series.is_null()) {
    last_time = text(series.get("lastObservedTime"));
    times = series.get("count").as_int();
  } else if (times == 0) {
    times = 1;
  }
  return {Draft{kube::age(last_time, now)},
          Draft{text(event.get("type"))},
          Draft{text(event.get("reason"))},
          Draft{event_target(event)},
          Draft{text(event.get("involvedObject", "fieldPath"))},
          Draft{event_source(event)},
          Draft{kube::trimmed(event.get("message").as_string())},
          Draft{kube::age(first_time, now)},
          Draft{times},
          name_cell(event)};
}

Cells new_event_cells(View event, Instant now) {
  Draft core{event};
  event_to_core(core);
  const auto frozen = core.freeze();
  return event_cells(frozen, now);
}

constexpr std::string_view kEventColumns =
    "Last Seen,Type,Reason,Object,*Subobject,*Source,Message,*First Seen,*Count,*Name";

constexpr Printer kCorePrinters[] = {
    {"",              "ComponentStatus", "Name,Status,Message,Error", component_status_cells},
    {"",              "ConfigMap",       "Name,Data,Age",             config_map_cells      },
    {"",              "Endpoints",       "Name,Endpoints,Age",        endpoints_cells       },
    {"",              "Event",           kEventColumns,               event_cells           },
    {"events.k8s.io", "Event",           kEventColumns,               new_event_cells       },
    {"",              "Namespace",       "Name,Status,Age",           namespace_cells       },
    {"",              "Node",
     "Name,Status,Roles,Age,Version,*Internal-IP,*External-IP,*OS-Image,*Kernel-Version,*Container-"
     "Runtime",                                                       node_cells            },
    {"",              "ResourceQuota",   "Name,Request,Limit,Age",    quota_cells           },
    {"",              "Secret",          "Name,Type,Data,Age",        secret_cells          },
    {"",              "ServiceAccount",  "Name,Secrets,Age",          service_account_cells },
};

}  // namespace

std::span<const Printer> core_printers() {
  return kCorePrinters;
}

}  // namespace fixpoint::kinds
