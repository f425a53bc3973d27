// SPDX-License-Identifier: Apache-2.0
//
// The pods that run the operators, and how they are reached and kept.
#include "runtime/manifests/manifests.h"
#include "runtime/manifests/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::runtime {
namespace {

using json::Draft;

// What the program is started with: what `fixpoint operator` takes.
Draft arguments(const ManifestOptions& options) {
  std::vector<std::string_view> names;
  for (const auto* entry : options.operators) names.push_back(entry->name);
  auto list = Draft::array({
      "operator",
      fmt::format("--operators={}", fmt::join(names, ",")),
      "--leader-elect",
      fmt::format("--metrics-bind=:{}", kMetricsPort),
      fmt::format("--health-bind=:{}", kHealthPort),
  });
  if (!options.watch_namespaces.empty()) {
    list.push_back(fmt::format("--namespace={}", fmt::join(options.watch_namespaces, ",")));
  }
  return list;
}

Draft probe(std::string_view path, int period_seconds) {
  return Draft::object({
      {"httpGet",       Draft::object({{"path", path}, {"port", "health"}})},
      {"periodSeconds", period_seconds                                     }
  });
}

Draft port(std::string_view name, int number) {
  return Draft::object({
      {"name",          name  },
      {"containerPort", number},
      {"protocol",      "TCP" }
  });
}

Draft from_field(std::string_view name, std::string_view path) {
  return Draft::object({
      {"name",      name                                                                        },
      {"valueFrom",
       Draft::object({{"fieldRef", Draft::object({{"apiVersion", "v1"}, {"fieldPath", path}})}})}
  });
}

Draft container(const ManifestOptions& options) {
  return Draft::object({
      {"name", "operator"},
      {"image", options.image},
      {"args", arguments(options)},
      {"env", Draft::array({from_field("POD_NAME", "metadata.name"),
                            from_field("POD_NAMESPACE", "metadata.namespace")})},
      {"ports", Draft::array({port("metrics", kMetricsPort), port("health", kHealthPort)})},
      {"livenessProbe", probe("/healthz", 20)},
      {"readinessProbe", probe("/readyz", 5)},
      // A trivial operator needs a hundredth of this; the limit is for tens of thousands of
      // objects.
      {"resources",
       Draft::object({{"requests", Draft::object({{"cpu", "10m"}, {"memory", "32Mi"}})},
                      {"limits", Draft::object({{"memory", "512Mi"}})}})},
      {"securityContext",
       Draft::object({{"allowPrivilegeEscalation", false},
                      {"readOnlyRootFilesystem", true},
                      {"capabilities", Draft::object({{"drop", Draft::array({"ALL"})}})}})},
  });
}

// Replicas on different nodes, where there are several.
Draft spread(const ManifestOptions& options) {
  return Draft::array({
      Draft::object({
                     {"maxSkew", 1},
                     {"topologyKey", "kubernetes.io/hostname"},
                     {"whenUnsatisfiable", "ScheduleAnyway"},
                     {"labelSelector", Draft::object({{"matchLabels", selector_labels(options.name)}})},
                     }
      )
  });
}

Draft pod(const ManifestOptions& options) {
  return Draft::object({
      {"serviceAccountName",            options.name                                   },
      {"securityContext",
       Draft::object({{"runAsNonRoot", true},
                      {"runAsUser", 65532},
                      {"runAsGroup", 65532},
                      {"seccompProfile", Draft::object({{"type", "RuntimeDefault"}})}})},
      {"containers",                    Draft::array({container(options)})             },
      {"topologySpreadConstraints",     spread(options)                                },
      // The lease is given back on a clean stop; longer than that takes.
      {"terminationGracePeriodSeconds", 30                                             },
  });
}

Place place_of(const ManifestOptions& options) {
  return {.name = options.name, .ns = options.ns, .part_of = options.name};
}

json::Value deployment(const ManifestOptions& options) {
  auto object = begin(place_of(options), "apps/v1", "Deployment");
  object["spec"] = Draft::object({
      {"replicas", options.replicas                                               },
      {"selector", Draft::object({{"matchLabels", selector_labels(options.name)}})},
      {"template",
       Draft::object(
           {{"metadata", Draft::object({{"labels", selector_labels(options.name)},
                                        {"annotations",
                                         Draft::object({{"kubectl.kubernetes.io/default-container",
                                                         "operator"}})}})},
            {"spec", pod(options)}})                                              },
  });
  return object.freeze();
}

json::Value service(const ManifestOptions& options) {
  auto object = begin(place_of(options), "v1", "Service");
  object["spec"] = Draft::object({
      {"selector", selector_labels(options.name)                                   },
      {"ports",    Draft::array({Draft::object({{"name", "metrics"},
                                             {"port", kMetricsPort},
                                             {"targetPort", "metrics"},
                                             {"protocol", "TCP"}})})},
  });
  return object.freeze();
}

// One at a time may go, however many there are: a single replica must not block a drain.
json::Value disruption_budget(const ManifestOptions& options) {
  auto object = begin(place_of(options), "policy/v1", "PodDisruptionBudget");
  object["spec"] = Draft::object({
      {"maxUnavailable", 1                                                              },
      {"selector",       Draft::object({{"matchLabels", selector_labels(options.name)}})},
  });
  return object.freeze();
}

}  // namespace

std::vector<json::Value> workload_objects(const ManifestOptions& options) {
  return {deployment(options), service(options), disruption_budget(options)};
}

}  // namespace fixpoint::runtime
