// SPDX-License-Identifier: Apache-2.0
//
// The claim with the node's data. With retention policy Retain it carries no owner reference, or
// the garbage collector would remove it with the node; its stamp says for which node of which
// network it is kept.
#include "operators/stellar/children/children.h"
#include "runtime/ownership.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr std::string_view kFullSize = "1500Gi";
constexpr std::string_view kRecentSize = "100Gi";

std::string class_of(const Spec& spec, const Surroundings& around) {
  // A claim never changes its class, nor loses one that we named when the spec does not any more.
  return around.claimed ? around.claimed_class : spec.storage.storage_class;
}

}  // namespace

bool has_claim(const Spec& spec) {
  if (spec.node_type == NodeType::Validator) return true;
  // Several pods cannot share a volume that one machine mounts.
  if (spec.replicas > 1 || spec.autoscaling) return false;
  return spec.node_type == NodeType::SorobanRpc ||
         (spec.horizon_config && spec.horizon_config->enable_ingest);
}

kube::Quantity storage_size(const Spec& spec) {
  if (spec.storage.size) return *spec.storage.size;
  const bool full = spec.history_mode == HistoryMode::Full;
  return *kube::Quantity::parse(full ? kFullSize : kRecentSize);
}

std::string claim_stamp(const Node& node, std::string_view passphrase) {
  return fmt::format("StellarNode {}/{} of \"{}\"", node.key.ns, node.key.name, passphrase);
}

json::Value claim(const Node& node, const Surroundings& around) {
  auto claim = child_draft(node, kinds::kClaim, "-data");
  auto& annotations = claim.object_at("metadata").object_at("annotations");
  for (const auto& [key, value] : node.spec.storage.annotations) {
    if (!annotations.contains(key)) annotations[key] = value;
  }
  annotations[runtime::kStampAnnotation] = claim_stamp(node, around.passphrase);
  auto size = storage_size(node.spec);
  if (around.claimed && *around.claimed > size) size = *around.claimed;
  auto spec = runtime::object({
      {"accessModes", runtime::list({"ReadWriteOnce"})                                  },
      {"resources",
       runtime::object({{"requests", runtime::object({{"storage", size.to_string()}})}})}
  });
  if (const auto name = class_of(node.spec, around); !name.empty()) {
    spec["storageClassName"] = name;
  } else {
    annotations[kUnnamedClassAnnotation] = "true";
  }
  // What a volume starts from is asked once, when there is none.
  const auto& snapshot = node.spec.storage.snapshot_ref;
  if (snapshot && !snapshot->volume_snapshot_name.empty() && !around.claimed) {
    spec["dataSource"] = runtime::object({
        {"apiGroup", "snapshot.storage.k8s.io"     },
        {"kind",     "VolumeSnapshot"              },
        {"name",     snapshot->volume_snapshot_name}
    });
  }
  claim["spec"] = std::move(spec);
  return claim.freeze();
}

}  // namespace fixpoint::operators::stellar
