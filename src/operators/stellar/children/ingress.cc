// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"

namespace fixpoint::operators::stellar {
namespace {

using runtime::list;
using runtime::object;

json::Draft path_rule(const Node& node, const IngressPath& path) {
  return object({
      {"backend",  object({{"service", object({{"name", node.key.name},
                                              {"port", object({{"number", kApiPort}})}})}})},
      {"path",     path.path                                                                                },
      {"pathType", path.path_type                                                                           }
  });
}

void add_rate_limit(json::Draft& annotations, const RateLimit& limit) {
  const auto add = [&](std::string_view name, const std::optional<std::int32_t>& value) {
    if (value) {
      annotations["nginx.ingress.kubernetes.io/" + std::string{name}] = std::to_string(*value);
    }
  };
  add("limit-rps", limit.requests_per_second);
  add("limit-rpm", limit.requests_per_minute);
  add("limit-connections", limit.connections);
  add("limit-burst-multiplier", limit.burst_multiplier);
}

}  // namespace

json::Value ingress(const Node& node) {
  const auto wanted = node.spec.ingress.value_or(Ingress{});
  auto made = child_draft(node, kinds::kIngress, "-ingress");
  auto& annotations = made.object_at("metadata").object_at("annotations");
  if (wanted.rate_limit) add_rate_limit(annotations, *wanted.rate_limit);
  if (!wanted.cert_manager_issuer.empty()) {
    annotations["cert-manager.io/issuer"] = wanted.cert_manager_issuer;
  }
  if (!wanted.cert_manager_cluster_issuer.empty()) {
    annotations["cert-manager.io/cluster-issuer"] = wanted.cert_manager_cluster_issuer;
  }
  for (const auto& [key, value] : wanted.annotations) {
    if (key != kGenerationAnnotation) annotations[key] = value;
  }
  if (wanted.external_dns) add_external_dns(annotations, *wanted.external_dns);
  auto rules = json::Draft::array();
  auto hosts = json::Draft::array();
  for (const auto& host : wanted.hosts) {
    auto paths = json::Draft::array();
    for (const auto& path : host.paths) paths.push_back(path_rule(node, path));
    rules.push_back(object({
        {"host", host.host                            },
        {"http", object({{"paths", std::move(paths)}})}
    }));
    hosts.push_back(host.host);
  }
  auto spec = object({
      {"rules", std::move(rules)}
  });
  if (!wanted.class_name.empty()) spec["ingressClassName"] = wanted.class_name;
  if (!wanted.tls_secret_name.empty()) {
    spec["tls"] = list({
        object({{"hosts", std::move(hosts)}, {"secretName", wanted.tls_secret_name}}
        )
    });
  }
  made["spec"] = std::move(spec);
  return made.freeze();
}

}  // namespace fixpoint::operators::stellar
