// SPDX-License-Identifier: Apache-2.0
//
// For Prometheus: where to scrape, and what to wake somebody for.
#include "json/yaml/yaml.h"
#include "operators/stellar/children/children.h"
#include "operators/stellar/health/health.h"

#include <utility>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using runtime::list;
using runtime::object;

json::Draft rule(const Node& node, std::string_view alert, std::string_view condition,
                 std::string_view time, std::string_view summary) {
  return object({
      {"alert", alert},
      {"expr", fmt::format("{}{{namespace=\"{}\",name=\"{}\"}} {}",
       condition.substr(0, condition.find(' ')), node.key.ns, node.key.name,
       condition.substr(condition.find(' ') + 1))},
      {"for", time},
      {"labels", object({{"severity", "warning"}})},
      {"annotations",
       object({{"summary", fmt::format("{} {}/{}", summary, node.key.ns, node.key.name)}})}
  });
}

}  // namespace

json::Value service_monitor(const Node& node) {
  auto monitor = child_draft(node, kinds::kServiceMonitor, "-service-monitor");
  monitor["spec"] = object({
      {"endpoints",
       list({object({{"interval", "30s"}, {"path", "/metrics"}, {"targetPort", "admin"}})})},
      {"selector",  object({{"matchLabels", selector_labels(node)}})                       }
  });
  return monitor.freeze();
}

// In the names of metrics.cc, and only of what a node of this type is known to say.
json::Value alert_rules(const Node& node) {
  auto map = child_draft(node, kinds::kConfigMap, "-alerts");
  auto rules =
      list({rule(node, "StellarNodeDown", "stellar_node_up == 0", "5m", "Nobody answers at"),
            rule(node, "StellarNodeNotSynced", "stellar_node_sync_status < 1", "15m",
                 "Behind its network for a quarter of an hour:")});
  switch (node.spec.node_type) {
    case NodeType::Validator:
      rules.push_back(rule(node, "StellarNodeLags", "stellar_node_ledger_age_seconds > 60", "10m",
                           "The newest ledger is old:"));
      rules.push_back(rule(node, "StellarQuorumFragile", "stellar_quorum_fail_at < 2", "10m",
                           "One more failure stops"));
      if (node.spec.validator_config && node.spec.validator_config->enable_history_archive) {
        rules.push_back(rule(node, "StellarArchiveLags",
                             fmt::format("stellar_archive_ledger_lag > {}", kArchiveLagMax), "2h",
                             "A history archive does not keep up with"));
      }
      break;
    case NodeType::Horizon:
      rules.push_back(rule(node, "StellarNodeLags", "stellar_node_ingestion_lag > 20", "10m",
                           "Behind the ledgers it should have:"));
      break;
    case NodeType::SorobanRpc: break;
  }
  const auto groups = object({
                                 {"groups", list({object({{"name", "stellar-" + node.key.name},
                                                          {"rules", std::move(rules)}})})}
  })
                          .freeze();
  map["data"] = object({
      {"alerts.yaml", json::to_yaml(groups)}
  });
  return map.freeze();
}

}  // namespace fixpoint::operators::stellar
