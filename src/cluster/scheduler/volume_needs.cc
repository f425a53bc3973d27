// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/volume_needs.h"

#include "cluster/storage/match.h"
#include "cluster/storage/names.h"
#include "cluster/storage/pod_claims.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster::scheduler {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

bool reachable(json::View volume, json::View node) {
  const json::View where = volume.get("spec", "nodeAffinity", "required");
  return !where.is_object() || nodes::NodeSelector::from(where).matches(node);
}

bool is_bound(json::View claim) {
  return !claim.get("spec", "volumeName").as_string().empty() &&
         kube::annotations_of(claim).contains(storage::kBindCompleted);
}

bool waits_for_consumer(json::View claim, json::View storage_class) {
  return claim.get("spec", "volumeName").as_string().empty() &&
         storage_class.get("volumeBindingMode").as_string() == "WaitForFirstConsumer";
}

std::string problem_of(json::View pod, const storage::PodClaim& mounted, json::View claim) {
  if (claim.is_null()) {
    if (!mounted.is_ephemeral()) {
      return fmt::format("persistentvolumeclaim \"{}\" not found", mounted.name);
    }
    return fmt::format(
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
        mounted.name);
  }
  if (claim.get("status", "phase").as_string() == "Lost") {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                       mounted.name, claim.get("spec", "volumeName").as_string());
  }
  if (kube::being_deleted(claim)) {
    return fmt::format("persistentvolumeclaim \"{}\" is being deleted", mounted.name);
  }
  if (mounted.is_ephemeral() && !kube::owned_by(claim, kube::uid_of(pod))) {
    return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)",
                       kube::namespace_of(claim), mounted.name, kube::namespace_of(pod),
                       kube::name_of(pod));
  }
  return {};
}

}  // namespace

VolumeNeeds VolumeNeeds::of(json::View pod, const VolumeSource& source) {
  VolumeNeeds needs;
  bool unbound = false;
  for (const auto& mounted : storage::claims_of(pod)) {
    needs.claims.push_back(mounted.name);
    const json::Value claim = source.claim(kube::namespace_of(pod), mounted.name);
    if (needs.problem.empty()) needs.problem = problem_of(pod, mounted, claim);
    if (!needs.problem.empty()) continue;
    if (is_bound(claim)) {
      const json::Value volume = source.volume(claim.get("spec", "volumeName").as_string());
      needs.volume_missing = needs.volume_missing || volume.is_null();
      const json::View where = volume.get("spec", "nodeAffinity", "required");
      if (where.is_object()) needs.bound.push_back(nodes::NodeSelector::from(where));
      continue;
    }
    const json::Value storage_class = source.storage_class(storage::class_of(claim));
    if (waits_for_consumer(claim, storage_class)) {
      needs.waiting.push_back(
          {.claim = claim, .storage_class = storage_class, .candidates = source.candidates(claim)});
    } else {
      unbound = true;
    }
  }
  if (needs.problem.empty() && unbound)
    needs.problem = "pod has unbound immediate PersistentVolumeClaims";
  return needs;
}

std::vector<std::string> VolumeNeeds::problems_on(json::View node) const {
  if (volume_missing) {
    return {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"};
  }
  std::vector<std::string> problems;
  if (!std::ranges::all_of(bound, [&](const auto& one) { return one.matches(node); })) {
    problems.emplace_back("node(s) didn't match PersistentVolume's node affinity");
  }
  if (!waiting.empty() && served_on(node).size() < waiting.size()) {
    problems.emplace_back("node(s) didn't find available persistent volumes to bind");
  }
  return problems;
}

std::vector<VolumeStep> VolumeNeeds::steps_on(json::View node) const {
  return served_on(node);
}

std::vector<VolumeStep> VolumeNeeds::served_on(json::View node) const {
  std::vector<VolumeStep> steps;
  std::vector<std::string_view> taken;
  for (const auto& [claim, storage_class, candidates] : waiting) {
    // Being provided for a node that was chosen before: only that one will do.
    const auto selected = kube::annotation_of(claim, storage::kSelectedNode);
    if (!selected.empty() && selected != kube::name_of(node)) continue;
    const auto fits = [&](const json::Value& volume) {
      return std::ranges::count(taken, kube::name_of(volume)) == 0 && reachable(volume, node);
    };
    const auto found = std::ranges::find_if(candidates, fits);
    if (found != candidates.end()) {
      taken.push_back(kube::name_of(*found));
      steps.push_back({.claim = claim, .volume = *found});
    } else if (storage_class.get("provisioner").as_string() != kNoProvisioner &&
               nodes::allowed_by_topologies(storage_class.get("allowedTopologies"), node)) {
      steps.push_back({.claim = claim, .volume = {}});
    }
  }
  return steps;
}

}  // namespace fixpoint::cluster::scheduler
