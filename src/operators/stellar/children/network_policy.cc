// SPDX-License-Identifier: Apache-2.0
//
// Who may connect. stellar-core's HTTP port takes commands from whoever reaches it, and the
// operator must reach it to know how the node is: so a Validator has a policy even when none is
// asked for, which closes that port to all but the operator, its own namespace and those who are
// named.
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"
#include "types/encode.h"

namespace fixpoint::operators::stellar {
namespace {

// Where `fixpoint manifests` puts the operator unless told otherwise, and how any other place can
// be marked.
constexpr std::string_view kOperatorNamespace = "fixpoint-system";
constexpr std::string_view kOperatorLabel = "stellar.org/operator";
constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";

json::Draft allowed_port(std::int64_t number, std::string_view protocol = "TCP") {
  return runtime::object({
      {"port",     number  },
      {"protocol", protocol}
  });
}

json::Draft in_namespace(std::string_view name) {
  return runtime::object({
      {"namespaceSelector",
       runtime::object({{"matchLabels", runtime::object({{kNamespaceName, name}})}})}
  });
}

json::Draft in_this_namespace() {
  return runtime::object({
      {"podSelector", json::Draft::object()}
  });
}

// Who may use every port.
json::Draft friends(const Spec& spec) {
  auto all = runtime::list({
      in_namespace(kOperatorNamespace),
      runtime::object(
          {{"namespaceSelector",
            runtime::object({{"matchLabels", runtime::object({{kOperatorLabel, "true"}})}})}}
          )
  });
  if (!spec.network_policy) {
    all.push_back(in_this_namespace());
    return all;
  }
  const auto& policy = *spec.network_policy;
  for (const auto& name : policy.allow_namespaces) all.push_back(in_namespace(name));
  if (policy.allow_pod_selector) {
    all.push_back(runtime::object({
        {"podSelector", types::encode(*policy.allow_pod_selector)}
    }));
  } else {
    all.push_back(in_this_namespace());
  }
  for (const auto& cidr : policy.allow_cidrs) {
    all.push_back(runtime::object({
        {"ipBlock", runtime::object({{"cidr", cidr}})}
    }));
  }
  if (policy.allow_metrics_scrape) all.push_back(in_namespace(policy.metrics_namespace));
  return all;
}

json::Draft ingress_rules(const Spec& spec) {
  const bool validator = spec.node_type == NodeType::Validator;
  return runtime::list({
      runtime::object({{"ports", runtime::list({allowed_port(validator ? kPeerPort : kApiPort)})}}
      ),
      runtime::object({{"from", friends(spec)}                                                   }
      ),
  });
}

json::Draft egress_rules(const Spec& spec) {
  auto ports = runtime::list({allowed_port(80), allowed_port(443), allowed_port(kPeerPort)});
  const bool database = spec.node_type == NodeType::Horizon || spec.database.has_value();
  if (database) ports.push_back(allowed_port(spec.database ? spec.database->port : 5432));
  if (spec.node_type != NodeType::Validator) ports.push_back(allowed_port(kCoreHttpPort));
  return runtime::list({
      runtime::object({{"ports", runtime::list({allowed_port(53, "UDP"), allowed_port(53)})}}
      ),
      runtime::object({{"ports", std::move(ports)}                                          }
      ),
      runtime::object({{"to", runtime::list({in_this_namespace()})}                         }
      ),
  });
}

}  // namespace

bool wants_network_policy(const Spec& spec) {
  if (spec.network_policy) return spec.network_policy->enabled;
  return spec.node_type == NodeType::Validator;
}

bool opens_http_port(const Spec& spec) {
  return spec.node_type == NodeType::Validator && wants_network_policy(spec);
}

json::Value network_policy(const Node& node) {
  auto policy = child_draft(node, kinds::kNetworkPolicy, "-netpol");
  auto spec = runtime::object({
      {"podSelector", runtime::object({{"matchLabels", selector_labels(node)}})},
      {"ingress",     ingress_rules(node.spec)                                 },
      {"policyTypes", runtime::list({"Ingress"})                               }
  });
  // What goes out is nobody's business unless a policy is asked for.
  if (node.spec.network_policy) {
    spec["egress"] = egress_rules(node.spec);
    spec["policyTypes"] = runtime::list({"Ingress", "Egress"});
  }
  policy["spec"] = std::move(spec);
  return policy.freeze();
}

}  // namespace fixpoint::operators::stellar
