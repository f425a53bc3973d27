// SPDX-License-Identifier: Apache-2.0
#include "front/pages/usage.h"

#include "base/rfc3339.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::front {
namespace {

using apiserver::Verb;
using json::Draft;

constexpr std::string_view kApiVersion = "metrics.k8s.io/v1beta1";
constexpr std::string_view kPodKind = "PodMetrics";
constexpr std::string_view kNodeKind = "NodeMetrics";

bool about_pods(const apiserver::Request& request) {
  return request.resource.resource == "pods";
}

// Billionths of a core and kibibytes, as a metrics server says it.
Draft usage(const Used& before, const Used& after, Duration window) {
  const auto spent = std::max(after.cpu - before.cpu, Duration::zero());
  const double cores = std::chrono::duration<double>(spent) / std::chrono::duration<double>(window);
  return Draft::object({
      {"cpu",    fmt::format("{}n",  static_cast<std::int64_t>(cores * 1e9))},
      {"memory", fmt::format("{}Ki", after.memory_bytes / 1024)             }
  });
}

Draft metrics_of(json::View object, const UsageQuestion& question) {
  auto metadata = Draft::object({
      {"name",              kube::name_of(object)       },
      {"creationTimestamp", format_seconds(question.now)}
  });
  if (const auto ns = kube::namespace_of(object); !ns.empty()) metadata["namespace"] = ns;
  if (const auto labels = kube::labels_of(object); !labels.empty()) metadata["labels"] = labels;
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(question.window);
  return Draft::object({
      {"metadata", std::move(metadata)},
      {"timestamp", format_seconds(question.now)},
      {"window", fmt::format("{}s", static_cast<double>(millis.count()) / 1000)}
  });
}

// Nothing of a pod that does not run here, or did not during the whole time.
std::optional<Draft> of_pod(json::View pod, const UsageQuestion& question) {
  const auto before = question.before.pods.find(kube::uid_of(pod));
  const auto after = question.after.pods.find(kube::uid_of(pod));
  if (before == question.before.pods.end() || after == question.after.pods.end()) {
    return std::nullopt;
  }
  auto containers = Draft::array();
  for (const auto& [name, used] : after->second) {
    const auto known = before->second.find(name);
    if (known == before->second.end()) continue;
    containers.push_back(Draft::object({
        {"name", name},
        {"usage", usage(known->second, used, question.window)}
    }));
  }
  if (containers.empty()) return std::nullopt;
  auto metrics = metrics_of(pod, question);
  metrics["containers"] = std::move(containers);
  return metrics;
}

std::optional<Draft> of_node(json::View node, const UsageQuestion& question) {
  const auto& [before, after] = std::pair{question.before.machine, question.after.machine};
  if (kube::name_of(node) != question.after.node || !before || !after) return std::nullopt;
  auto metrics = metrics_of(node, question);
  metrics["usage"] = usage(*before, *after, question.window);
  return metrics;
}

std::optional<Draft> of_object(json::View object, const UsageQuestion& question) {
  return about_pods(question.request) ? of_pod(object, question) : of_node(object, question);
}

kube::Answer<json::Value> one(const UsageQuestion& question) {
  const auto& request = question.request;
  const bool pods = about_pods(request);
  const auto object =
      question.snapshot.find(pods ? fmt::format("pods/{}/{}", request.ns, request.name)
                                  : fmt::format("nodes//{}", request.name));
  auto metrics = object ? of_object(object->body, question) : std::nullopt;
  if (!metrics) {
    const std::string resource = pods ? "podmetrics" : "nodemetrics";
    const auto name = pods ? fmt::format("{}/{}", request.ns, request.name) : request.name;
    return std::unexpected(kube::not_found({std::string{kMetricsGroup}, resource}, name));
  }
  (*metrics)["kind"] = pods ? kPodKind : kNodeKind;
  (*metrics)["apiVersion"] = kApiVersion;
  return metrics->freeze();
}

kube::Answer<json::Value> all(const UsageQuestion& question) {
  const auto& request = question.request;
  const auto selector = kube::LabelSelector::parse(request.parameter("labelSelector"));
  if (!selector) return std::unexpected(kube::bad_request(selector.error().message));
  const bool pods = about_pods(request);
  std::string prefix = pods ? "pods/" : "nodes/";
  if (pods && !request.ns.empty()) prefix += request.ns + "/";
  auto items = Draft::array();
  question.snapshot.scan(prefix, {}, [&](const store::RecordRef& record) {
    if (!selector->matches(kube::labels_of(record->body))) return true;
    if (auto metrics = of_object(record->body, question)) items.push_back(*std::move(metrics));
    return true;
  });
  return Draft::object({
                           {"kind", fmt::format("{}List", pods ? kPodKind : kNodeKind)},
                           {"apiVersion", kApiVersion},
                           {"metadata", Draft::object()},
                           {"items", std::move(items)}
  })
      .freeze();
}

// --- discovery ---

struct Served {
  std::string_view resource;
  std::string_view kind;
  bool namespaced;
};
constexpr Served kServed[] = {
    {"nodes", kNodeKind, false},
    {"pods",  kPodKind,  true },
};

Draft verbs() {
  return Draft::array({"get", "list"});
}

Draft version_entry() {
  return Draft::object({
      {"groupVersion", kApiVersion    },
      {"version",      kMetricsVersion}
  });
}

Draft group_entry() {
  return Draft::object({
      {"name",             kMetricsGroup                  },
      {"versions",         Draft::array({version_entry()})},
      {"preferredVersion", version_entry()                }
  });
}

Draft aggregated_entry() {
  auto resources = Draft::array();
  for (const auto& served : kServed) {
    resources.push_back(Draft::object({
        {"resource",         served.resource                                                       },
        {"responseKind",     Draft::object({{"group", ""}, {"version", ""}, {"kind", served.kind}})},
        {"scope",            served.namespaced ? "Namespaced" : "Cluster"                          },
        {"singularResource", ""                                                                    },
        {"verbs",            verbs()                                                               }
    }));
  }
  return Draft::object({
      {"metadata", Draft::object({{"name", kMetricsGroup}})                                              },
      {"versions", Draft::array({Draft::object({{"version", kMetricsVersion},
                                                {"freshness", "Current"},
                                                {"resources", std::move(resources)}})})}
  });
}

json::Value resource_list() {
  auto resources = Draft::array();
  for (const auto& served : kServed) {
    resources.push_back(Draft::object({
        {"name",         served.resource  },
        {"singularName", ""               },
        {"namespaced",   served.namespaced},
        {"kind",         served.kind      },
        {"verbs",        verbs()          }
    }));
  }
  return Draft::object({
                           {"kind",         "APIResourceList"   },
                           {"apiVersion",   "v1"                },
                           {"groupVersion", kApiVersion         },
                           {"resources",    std::move(resources)}
  })
      .freeze();
}

}  // namespace

kube::Answer<void> check_usage_request(const apiserver::Request& request) {
  const bool pods = about_pods(request);
  const bool known = request.resource.version == kMetricsVersion && request.subresource.empty() &&
                     (pods || (request.resource.resource == "nodes" && request.ns.empty()));
  if (!known) return std::unexpected(kube::not_found_path());
  if (pods && request.ns.empty() && !request.name.empty()) {
    return std::unexpected(kube::not_found_path());
  }
  if (request.verb == Verb::Get || request.verb == Verb::List) return {};
  return std::unexpected(kube::method_not_allowed());
}

kube::Answer<json::Value> usage_of(const UsageQuestion& question) {
  return question.request.verb == Verb::Get ? one(question) : all(question);
}

json::Value with_usage_group(const json::Value& document) {
  Draft draft{document};
  if (document.get("kind").as_string() == "APIGroupDiscoveryList") {
    draft.array_at("items").push_back(aggregated_entry());
  } else {
    draft.array_at("groups").push_back(group_entry());
  }
  return draft.freeze();
}

std::optional<json::Value> usage_document(std::string_view path) {
  if (path == "/apis/metrics.k8s.io/v1beta1") return resource_list();
  if (path != "/apis/metrics.k8s.io") return std::nullopt;
  auto group = group_entry();
  group["kind"] = "APIGroup";
  group["apiVersion"] = "v1";
  return group.freeze();
}

}  // namespace fixpoint::front
