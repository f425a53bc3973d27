// SPDX-License-Identifier: Apache-2.0
//
// Istio and Linkerd. The marks that make a mesh inject its proxy are on the pods from the start;
// the policies follow once the workload exists, and select by the instance label alone. The peer
// port stays outside: whoever connects there belongs to no mesh.
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using runtime::list;
using runtime::object;

json::Draft seconds(std::int32_t number) {
  return fmt::format("{}s", number);
}

std::string host_of(const Node& node) {
  return fmt::format("{}.{}.svc.cluster.local", node.key.name, node.key.ns);
}

json::Value peer_authentication(const Node& node, const Istio& istio) {
  auto made = child_draft(node, kinds::kPeerAuthentication, "-peer-auth");
  const bool strict = istio.mtls_mode == MtlsMode::Strict;
  auto spec = object({
      {"selector", object({{"matchLabels", selector_labels(node)}})    },
      {"mtls",     object({{"mode", strict ? "STRICT" : "PERMISSIVE"}})},
  });
  if (node.spec.node_type == NodeType::Validator) {
    spec["portLevelMtls"] = object({
        {std::to_string(kPeerPort), object({{"mode", "PERMISSIVE"}})}
    });
  }
  made["spec"] = std::move(spec);
  return made.freeze();
}

json::Value destination_rule(const Node& node, const Istio& istio) {
  auto made = child_draft(node, kinds::kDestinationRule, "-dest-rule");
  auto policy = object({
      {"loadBalancer", object({{"simple", "LEAST_REQUEST"}})},
      {"tls",          object({{"mode", "ISTIO_MUTUAL"}})   },
  });
  if (const auto& breaker = istio.circuit_breaker) {
    policy["outlierDetection"] = object({
        {"consecutive5xxErrors", breaker->consecutive_errors       },
        {"interval",             seconds(breaker->time_window_secs)},
        {"baseEjectionTime",     "30s"                             },
        {"maxEjectionPercent",   50                                }
    });
  }
  // External peers speak no TLS of the mesh.
  if (node.spec.node_type == NodeType::Validator) {
    policy["portLevelSettings"] = list({
        object(
            {{"port", object({{"number", kPeerPort}})}, {"tls", object({{"mode", "DISABLE"}})}}
            )
    });
  }
  made["spec"] = object({
      {"host",          host_of(node)    },
      {"trafficPolicy", std::move(policy)}
  });
  return made.freeze();
}

// Only reads are sent again: a transaction that is submitted twice is an error to its sender.
json::Value virtual_service(const Node& node, const Istio& istio) {
  auto made = child_draft(node, kinds::kVirtualService, "-virtual-svc");
  const auto route = list({
      object({{"destination",
               object({{"host", host_of(node)}, {"port", object({{"number", kApiPort}})}})}}
      )
  });
  auto read = object({
      {"match",   list({object({{"method", object({{"exact", "GET"}})}})})},
      {"route",   route                                                   },
      {"timeout", seconds(istio.timeout_secs)                             }
  });
  if (const auto& retries = istio.retries) {
    std::string on = "connect-failure,refused-stream,unavailable";
    for (const auto code : retries->retryable_status_codes) on += fmt::format(",{}", code);
    read["retries"] = object({
        {"attempts", retries->max_retries},
        {"backoff", fmt::format("{}ms", retries->backoff_ms)},
        {"retryOn", on}
    });
  }
  const auto rest = object({
      {"route",   route                      },
      {"timeout", seconds(istio.timeout_secs)},
      {"retries", object({{"attempts", 0}})  }
  });
  made["spec"] = object({
      {"hosts", list({host_of(node)})        },
      {"http",  list({std::move(read), rest})}
  });
  return made.freeze();
}

json::Value request_authentication(const Node& node, const Istio& istio) {
  auto made = child_draft(node, kinds::kRequestAuthentication, "-req-auth");
  auto rules = json::Draft::array();
  for (const auto& rule : istio.jwt_rules) {
    auto wanted = object({
        {"issuer", rule.issuer}
    });
    if (!rule.jwks_uri.empty()) wanted["jwksUri"] = rule.jwks_uri;
    for (const auto& audience : rule.audiences) wanted.array_at("audiences").push_back(audience);
    rules.push_back(std::move(wanted));
  }
  made["spec"] = object({
      {"selector", object({{"matchLabels", selector_labels(node)}})},
      {"jwtRules", std::move(rules)                                }
  });
  return made.freeze();
}

// With policy mode deny nobody may connect who is not let in here.
std::vector<MeshObject> linkerd_objects(const Node& node) {
  const bool validator = node.spec.node_type == NodeType::Validator;
  auto server = child_draft(node, kinds::kServer, "-server");
  server["spec"] = object({
      {"podSelector",   object({{"matchLabels", selector_labels(node)}})},
      {"port",          validator ? kPeerPort : kApiPort                },
      {"proxyProtocol", validator ? "opaque" : "HTTP/1"                 }
  });
  auto authorization = child_draft(node, kinds::kServerAuthorization, "-auth");
  authorization["spec"] = object({
      {"server", object({{"name", node.key.name + "-server"}})                                           },
      {"client", validator ? object({{"unauthenticated", true}})
                           : object({{"meshTLS", object({{"identities", list({"*"})}})}})}
  });
  return {
      {&kinds::kServer,              server.freeze()       },
      {&kinds::kServerAuthorization, authorization.freeze()}
  };
}

std::string_view inbound_policy(PolicyMode mode) {
  switch (mode) {
    case PolicyMode::Allow: return "all-unauthenticated";
    case PolicyMode::Deny: return "deny";
    case PolicyMode::Audit: return "audit";
  }
  return {};
}

}  // namespace

std::vector<MeshObject> mesh_objects(const Node& node) {
  const auto& mesh = node.spec.service_mesh;
  if (!mesh) return {};
  if (mesh->istio) {
    std::vector<MeshObject> all{
        {&kinds::kPeerAuthentication, peer_authentication(node, *mesh->istio)},
        {&kinds::kDestinationRule,    destination_rule(node,    *mesh->istio)}
    };
    // Peers of a Validator speak no HTTP: there is nothing to route.
    if (node.spec.node_type != NodeType::Validator) {
      all.push_back({&kinds::kVirtualService, virtual_service(node, *mesh->istio)});
    }
    if (!mesh->istio->jwt_rules.empty()) {
      all.push_back({&kinds::kRequestAuthentication, request_authentication(node, *mesh->istio)});
    }
    return all;
  }
  if (mesh->linkerd && mesh->linkerd->policy_mode == PolicyMode::Deny) return linkerd_objects(node);
  return {};
}

void add_mesh_marks(json::Draft& pod_metadata, const Spec& spec) {
  if (!spec.service_mesh) return;
  const auto& mesh = *spec.service_mesh;
  auto& annotations = pod_metadata.object_at("annotations");
  const bool validator = spec.node_type == NodeType::Validator;
  if (mesh.istio) {
    pod_metadata.object_at("labels")["sidecar.istio.io/inject"] =
        mesh.sidecar_injection ? "true" : "false";
    // The operator asks the node itself how it is, and is no part of the mesh.
    if (validator) {
      annotations["traffic.sidecar.istio.io/excludeInboundPorts"] =
          fmt::format("{},{}", kPeerPort, kCoreHttpPort);
      annotations["traffic.sidecar.istio.io/excludeOutboundPorts"] = std::to_string(kPeerPort);
    }
  }
  if (mesh.linkerd) {
    annotations["linkerd.io/inject"] = mesh.sidecar_injection ? "enabled" : "disabled";
    annotations["config.linkerd.io/opaque-ports"] = std::to_string(kPeerPort);
    annotations["config.linkerd.io/default-inbound-policy"] =
        inbound_policy(mesh.linkerd->policy_mode);
  }
}

}  // namespace fixpoint::operators::stellar
