// SPDX-License-Identifier: Apache-2.0
#include "cluster/daemons/placement.h"

#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>

namespace fixpoint::cluster::daemons {
namespace {

using json::Draft;
using json::View;

struct Tolerated {
  std::string_view key;
  std::string_view effect;
};
constexpr std::array<Tolerated, 6> kAlways{
    {{nodes::kNotReadyTaint, "NoExecute"},
     {nodes::kUnreachableTaint, "NoExecute"},
     {"node.kubernetes.io/disk-pressure", "NoSchedule"},
     {"node.kubernetes.io/memory-pressure", "NoSchedule"},
     {"node.kubernetes.io/pid-pressure", "NoSchedule"},
     {nodes::kUnschedulableTaint, "NoSchedule"}}
};
constexpr Tolerated kOnHostNetwork{"node.kubernetes.io/network-unavailable", "NoSchedule"};

std::string_view text_in(const Draft& object, std::string_view field) {
  const Draft* given = object.find(field);
  return given == nullptr ? std::string_view{} : given->as_string();
}

// One that says the same for some time is replaced by one without end.
void tolerate(Draft& tolerations, const Tolerated& wanted) {
  auto made = Draft::object({
      {"key",      wanted.key   },
      {"operator", "Exists"     },
      {"effect",   wanted.effect}
  });
  for (Draft& given : tolerations.elements()) {
    if (text_in(given, "key") == wanted.key && text_in(given, "effect") == wanted.effect &&
        text_in(given, "operator") == "Exists" && text_in(given, "value").empty()) {
      given = std::move(made);
      return;
    }
  }
  tolerations.push_back(std::move(made));
}

}  // namespace

Draft daemon_spec(View set) {
  Draft spec{set.get("spec", "template", "spec")};
  Draft& tolerations = spec.array_at("tolerations");
  for (const auto& each : kAlways) tolerate(tolerations, each);
  const Draft* host = spec.find("hostNetwork");
  if (host != nullptr && host->as_bool()) tolerate(tolerations, kOnHostNetwork);
  return spec;
}

void bind_to(Draft& spec, std::string_view node) {
  auto field = Draft::object({
      {"key",      "metadata.name"            },
      {"operator", "In"                       },
      {"values",   Draft::array({Draft{node}})}
  });
  auto term = Draft::object({
      {"matchFields", Draft::array({std::move(field)})}
  });
  spec.object_at("affinity")
      .object_at("nodeAffinity")
      .object_at("requiredDuringSchedulingIgnoredDuringExecution")["nodeSelectorTerms"] =
      Draft::array({std::move(term)});
}

std::string target_of(View pod) {
  const auto bound = pod.get("spec", "nodeName").as_string();
  if (!bound.empty()) return std::string{bound};
  const View required =
      pod.get("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  for (const View term : required.get("nodeSelectorTerms").elements()) {
    const auto names = nodes::NodeTerm::from(term).names();
    if (names.size() == 1) return names.front();
  }
  return {};
}

Placement::Placement(View set) {
  const View spec = set.get("spec", "template", "spec");
  node_name_ = spec.get("nodeName").as_string();
  labels_ = kube::LabelSelector::from_labels(spec.get("nodeSelector"));
  const View required =
      spec.get("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  if (!required.is_null()) affinity_ = nodes::NodeSelector::from(required);
  const auto pod = Draft::object({
                                     {"spec", daemon_spec(set)}
  })
                       .freeze();
  tolerations_ = nodes::tolerations_of(pod);
}

bool Placement::fits(View node) const {
  if (!node_name_.empty() && node_name_ != kube::name_of(node)) return false;
  if (!labels_.matches(kube::labels_of(node))) return false;
  return !affinity_ || affinity_->matches(node);
}

Placement::Verdict Placement::verdict(View node) const {
  if (!fits(node)) return Verdict::Elsewhere;
  auto verdict = Verdict::Runs;
  for (const auto& taint : nodes::taints_of(node)) {
    const bool ends = taint.effect == "NoExecute";
    if ((!ends && taint.effect != "NoSchedule") || nodes::tolerated(tolerations_, taint)) continue;
    if (ends) return Verdict::Elsewhere;
    verdict = Verdict::Stays;
  }
  return verdict;
}

}  // namespace fixpoint::cluster::daemons
