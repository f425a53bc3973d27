// SPDX-License-Identifier: Apache-2.0
//
// The ReplicaSet of today's template: found or made, numbered, annotated.
#include "cluster/workloads/conditions.h"
#include "cluster/workloads/deployment_pass.h"
#include "cluster/workloads/template_hash.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

// What a Deployment does not pass on to its sets: it is about itself.
constexpr std::array<std::string_view, 6> kOwnAnnotations{
    "kubectl.kubernetes.io/last-applied-configuration",
    kRevision,
    kRevisionHistory,
    kDesiredReplicas,
    kMaxReplicas,
    kRollbackTo};
// About a hundred revisions.
constexpr std::size_t kHistoryBytesMax = 2000;
constexpr std::size_t kNameMax = 253;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool copy_annotations(View deployment, Draft& annotations) {
  bool changed = false;
  for (const auto [key, value] : kube::annotations_of(deployment).members()) {
    if (std::ranges::find(kOwnAnnotations, key) != kOwnAnnotations.end()) continue;
    const Draft* known = annotations.find(key);
    if (known != nullptr && known->as_string() == value.as_string()) continue;
    annotations[key] = value;
    changed = true;
  }
  return changed;
}

// Adds a revision that the set had before to the list of them, the oldest making room.
std::string longer_history(std::string_view history, std::string_view revision) {
  if (history.empty()) return std::string{revision};
  while (!history.empty() && history.size() + revision.size() + 1 > kHistoryBytesMax) {
    const auto comma = history.find(',');
    history = comma == std::string_view::npos ? std::string_view{} : history.substr(comma + 1);
  }
  return history.empty() ? std::string{revision} : fmt::format("{},{}", history, revision);
}

// A set that is rolled back to gets a new, higher number and remembers the old one.
bool raise_revision(Draft& annotations, std::int64_t to) {
  const Draft* known = annotations.find(kRevision);
  const std::string before{known == nullptr ? std::string_view{} : known->as_string()};
  const auto number = before.empty() ? std::optional<std::int64_t>{0} : number_in(before);
  if (!number || *number >= to) return false;
  annotations[kRevision] = std::to_string(to);
  if (known != nullptr) {
    const Draft* history = annotations.find(kRevisionHistory);
    annotations[kRevisionHistory] =
        longer_history(history == nullptr ? std::string_view{} : history->as_string(), before);
  }
  return true;
}

std::int64_t next_revision(const DeploymentPass& pass) {
  std::int64_t last = 0;
  for (const SetState* set : pass.old) last = std::max(last, revision_of(set->seen()));
  return last + 1;
}

void keep_found(DeploymentPass& pass) {
  SetState& set = *pass.newest;
  auto& metadata = set.body.object_at("metadata");
  auto& annotations = metadata.object_at("annotations");
  const bool copied = copy_annotations(pass.deployment, annotations);
  const bool raised = raise_revision(annotations, next_revision(pass));
  const auto min_ready = pass.deployment.get("spec", "minReadySeconds").as_int();
  const bool slower = set.seen().get("spec", "minReadySeconds").as_int() != min_ready;
  if (slower) set.body.object_at("spec")["minReadySeconds"] = min_ready;
  if (copied || raised || slower) pass.touch(set);
  if (annotations.empty()) metadata.erase("annotations");
  if (!pass.has_deadline() || find_condition(pass.status(), "Progressing") != nullptr) return;
  set_updated_condition(pass.status(),
                        {.type = "Progressing",
                         .status = "True",
                         .reason = "FoundNewReplicaSet",
                         .message = fmt::format("Found new replica set \"{}\"", set.name)},
                        pass.now);
}

Draft new_set(const DeploymentPass& pass, const std::string& hash, const std::string& name) {
  const View deployment = pass.deployment;
  Draft pod_template{deployment.get("spec", "template")};
  auto& labels = pod_template.object_at("metadata").object_at("labels");
  labels[kTemplateHash] = hash;
  Draft selector{deployment.get("spec", "selector")};
  selector.object_at("matchLabels")[kTemplateHash] = hash;
  auto spec = Draft::object({
      {"replicas", 0                  },
      {"selector", std::move(selector)},
      {"template", pod_template       }
  });
  const View min_ready = deployment.get("spec", "minReadySeconds");
  if (!min_ready.is_null()) spec["minReadySeconds"] = min_ready;
  auto annotations = Draft::object();
  copy_annotations(deployment, annotations);
  raise_revision(annotations, next_revision(pass));
  auto metadata = Draft::object({
      {"name",            name                                                            },
      {"namespace",       kube::namespace_of(deployment)                                  },
      {"labels",          labels                                                          },
      {"annotations",     std::move(annotations)                                          },
      {"ownerReferences", Draft::array({kube::controller_reference(deployment).to_json()})}
  });
  return Draft::object({
      {"apiVersion", "apps/v1"          },
      {"kind",       "ReplicaSet"       },
      {"metadata",   std::move(metadata)},
      {"spec",       std::move(spec)    }
  });
}

void make_missing(DeploymentPass& pass) {
  const View collisions = pass.deployment.get("status", "collisionCount");
  const auto hash =
      template_hash(pass.deployment.get("spec", "template"),
                    collisions.is_null() ? std::nullopt : std::optional{collisions.as_int()});
  auto name = std::string{kube::name_of(pass.deployment)}.substr(0, kNameMax - 1 - hash.size());
  name += "-" + hash;
  auto& set = pass.states.emplace_back(SetState{.body = new_set(pass, hash, name), .name = name});
  pass.newest = &set;
  pass.touch(set);
  pass.scale(set, new_set_replicas(pass, set));
  if (!pass.has_deadline()) return;
  set_updated_condition(pass.status(),
                        {.type = "Progressing",
                         .status = "True",
                         .reason = "NewReplicaSetCreated",
                         .message = fmt::format("Created new replica set \"{}\"", name)},
                        pass.now);
}

}  // namespace

std::int64_t revision_of(View set) {
  return number_in(kube::annotation_of(set, kRevision)).value_or(0);
}

bool same_template(View a, View b) {
  const auto plain = [](View pod_template) {
    Draft draft{pod_template};
    Draft* labels = draft.find("metadata", "labels");
    if (labels != nullptr && labels->erase(kTemplateHash) && labels->empty()) {
      draft.object_at("metadata").erase("labels");
    }
    return draft.freeze();
  };
  return plain(a) == plain(b);
}

void sync_revision(DeploymentPass& pass, bool create) {
  if (pass.newest != nullptr) {
    keep_found(pass);
  } else if (create) {
    make_missing(pass);
  } else {
    return;
  }
  auto& annotations = pass.body.object_at("metadata").object_at("annotations");
  annotations[kRevision] = pass.newest->annotation(kRevision);
}

}  // namespace fixpoint::cluster
