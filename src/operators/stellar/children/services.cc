// SPDX-License-Identifier: Apache-2.0
//
// A Service for clients, and a headless one that gives pods their names.
#include "operators/stellar/children/children.h"
#include "operators/stellar/configuration/settings.h"

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

json::Draft service_port(std::string_view name, std::int64_t number) {
  return runtime::object({
      {"name",       name  },
      {"port",       number},
      {"protocol",   "TCP" },
      {"targetPort", name  }
  });
}

json::Draft ports(const Node& node) {
  if (node.spec.node_type == NodeType::Validator) {
    return runtime::list({service_port("peer", kPeerPort), service_port("http", kCoreHttpPort)});
  }
  return runtime::list({service_port("http", kApiPort)});
}

}  // namespace

json::Value headless_service(const Node& node) {
  auto service = child_draft(node, kinds::kService, "-headless");
  service["spec"] = runtime::object({
      {"clusterIP",                "None"               },
      {"ports",                    ports(node)          },
      // Peers look each other up before they are ready.
      {"publishNotReadyAddresses", true                 },
      {"selector",                 selector_labels(node)}
  });
  return service.freeze();
}

json::Value client_service(const Node& node) {
  auto service = child_draft(node, kinds::kService);
  auto& metadata = service.object_at("metadata");
  // What the operator says itself wins; the selector has none of it.
  for (const auto& [key, value] : node.spec.service_labels) {
    auto& all = metadata.object_at("labels");
    if (!all.contains(key)) all[key] = value;
  }
  for (const auto& [key, value] : node.spec.service_annotations) {
    auto& all = metadata.object_at("annotations");
    if (!all.contains(key)) all[key] = value;
  }
  if (const auto& validator = node.spec.validator_config; validator && validator->external_dns) {
    add_external_dns(metadata.object_at("annotations"), *validator->external_dns);
  }
  service["spec"] = runtime::object({
      {"ports",    ports(node)          },
      {"selector", selector_labels(node)}
  });
  return service.freeze();
}

std::string endpoint_of(const Node& node) {
  const bool validator = node.spec.node_type == NodeType::Validator;
  return fmt::format("{}.{}.svc:{}", node.key.name, node.key.ns, validator ? kPeerPort : kApiPort);
}

}  // namespace fixpoint::operators::stellar
