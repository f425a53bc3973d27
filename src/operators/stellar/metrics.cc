// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/metrics.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::operators::stellar {
namespace {

// Somebody is there and said something, good or bad.
bool answers(const Facts& facts) {
  return facts.health && facts.health->verdict != Verdict::Unknown &&
         facts.health->reason != "Unreachable";
}

}  // namespace

runtime::ObjectMetrics object_metrics() {
  return {
      .prefix = "stellar_",
      .labels = {"node_type", "network"},
      .gauges = {
                 {"node_up", "1 when a pod of the node answers, 0 when none does."},
                 {"node_sync_status", "1 when the node says that it is in sync, 0 otherwise."},
                 {"node_ready_replicas", "Pods that are ready."},
                 {"node_ledger_sequence", "The newest ledger that the node has."},
                 {"node_ledger_age_seconds", "How old that ledger is, as stellar-core says."},
                 {"node_ingestion_lag", "Ledgers that Horizon's history is behind its core."},
                 {"node_peers", "Peers that stellar-core is connected to."},
                 {"archive_ledger_lag",
           "Ledgers that the latest of the node's history archives is behind the node."},
                 {"pvc_requested_bytes", "What the claim of the node's data asks for."},
                 {"quorum_agreeing", "Nodes of the quorum set that agree."},
                 {"quorum_missing", "Nodes of the quorum set that are not heard."},
                 {"quorum_fail_at", "How many more failures stop the node."},
                 }
  };
}

runtime::Samples samples(const Node& node, const Facts& facts) {
  if (facts.deleting || node.spec.suspended) return {};
  runtime::Samples made{
      .labels = {std::string{to_string(node.spec.node_type)},
                 std::string{to_string(node.spec.network)}},
      .values = {}
  };
  const auto say = [&](std::string_view name, double value) {
    made.values.emplace_back(name, value);
  };
  const auto say_known = [&](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) say(name, static_cast<double>(*value));
  };
  const Health health = facts.health.value_or(Health{});
  say("node_up", answers(facts) ? 1 : 0);
  say("node_sync_status", health.healthy() ? 1 : 0);
  say("node_ready_replicas", facts.workload.ready);
  say_known("node_ledger_sequence", health.ledger);
  say_known("node_ledger_age_seconds", health.age_seconds);
  say_known("node_ingestion_lag", health.lag);
  say_known("node_peers", health.peers);
  say_known("archive_ledger_lag", facts.archives.lag);
  say_known("quorum_agreeing", health.quorum_agreeing);
  say_known("quorum_missing", health.quorum_missing);
  say_known("quorum_fail_at", health.quorum_fail_at);
  if (facts.claim.requested) say("pvc_requested_bytes", facts.claim.requested->approximate());
  return made;
}

}  // namespace fixpoint::operators::stellar
