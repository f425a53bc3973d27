// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/local_provisioner.h"

#include "cluster/storage/match.h"
#include "cluster/storage/names.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <optional>

#include <fmt/format.h>

namespace fixpoint::cluster::storage {
namespace {

using json::Draft;

std::string volume_name(json::View claim) {
  return fmt::format("pvc-{}", kube::uid_of(claim));
}

// Only the node with this name reaches it.
Draft only_on(std::string_view node) {
  auto requirement = Draft::object({
      {"key",      "kubernetes.io/hostname"},
      {"operator", "In"                    },
      {"values",   Draft::array({node})    }
  });
  auto term = Draft::object({
      {"matchExpressions", Draft::array({std::move(requirement)})}
  });
  return Draft::object({
      {"required", Draft::object({{"nodeSelectorTerms", Draft::array({std::move(term)})}})}
  });
}

json::Value new_volume(const ProvisionFacts& facts) {
  const json::View claim = facts.claim;
  const auto name = volume_name(claim);
  auto spec = Draft::object({
      {"accessModes", claim.get("spec", "accessModes")},
      {"capacity", Draft::object({{"storage", requested_by(claim).to_string()}})},
      {"persistentVolumeReclaimPolicy",
       facts.storage_class.get("reclaimPolicy").as_string("Delete")},
      {"storageClassName", class_of(claim)},
      {"volumeMode", claim.get("spec", "volumeMode").as_string("Filesystem")},
      {"hostPath", Draft::object({{"path", fmt::format("{}/{}", facts.directory, name)},
                                  {"type", "DirectoryOrCreate"}})},
      {"claimRef", Draft::object({{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", kube::namespace_of(claim)},
                                  {"name", kube::name_of(claim)},
                                  {"uid", kube::uid_of(claim)},
                                  {"resourceVersion", kube::resource_version_of(claim)}})}
  });
  const json::View options = facts.storage_class.get("mountOptions");
  if (!options.empty()) spec["mountOptions"] = options;
  const auto node = kube::annotation_of(claim, kSelectedNode);
  if (!node.empty()) spec["nodeAffinity"] = only_on(node);
  return Draft::object({
                           {"metadata",
                            Draft::object({{"name", name},
                                           {"annotations",
                                            Draft::object({{kProvisionedBy, kLocalDirectory}})}})},
                           {"spec",     std::move(spec)                                          }
  })
      .freeze();
}

Decision provision(const ProvisionFacts& facts) {
  const json::View claim = facts.claim;
  const bool delayed =
      facts.storage_class.get("volumeBindingMode").as_string() == "WaitForFirstConsumer";
  if (delayed && kube::annotation_of(claim, kSelectedNode).empty()) return {};
  Decision decision;
  if (claim.get("spec", "volumeMode").as_string() == "Block") {
    decision.notices.push_back(
        {.object = facts.claim,
         .type = Notice::Type::Warning,
         .reason = "ProvisioningFailed",
         .message =
             fmt::format("failed to provision volume with StorageClass \"{}\": a directory is no "
                         "block device",
                         class_of(claim))});
    return decision;
  }
  const Notice failed{
      .object = facts.claim,
      .type = Notice::Type::Warning,
      .reason = "ProvisioningFailed",
      .message = fmt::format("failed to provision volume with StorageClass \"{}\": {{}}",
                             class_of(claim))};
  const auto body = new_volume(facts);
  decision.requests.push_back({
      .request = create_request(kVolumeResource, body),
      .done = Notice{.object = facts.claim,
                     .reason = "ProvisioningSucceeded",
                     .message = "Successfully provisioned volume {}"},
      .refused = failed
  });
  return decision;
}

// A directory has no size: growing is agreeing to it. The volume first, so that a claim never says
// it has more than its volume.
Decision grow(const ProvisionFacts& facts) {
  const auto wanted = requested_by(facts.claim);
  const auto size = Draft::object({
      {"storage", wanted.to_string()}
  });
  Decision decision;
  if (capacity_of(facts.volume) < wanted) {
    const auto patch = Draft::object({
                                         {"spec", Draft::object({{"capacity", size}})}
    })
                           .freeze();
    decision.requests.push_back({.request = patch_request(kVolumeResource, facts.volume, patch)});
  }
  const auto patch = Draft::object({
                                       {"status", Draft::object({{"capacity", size}})}
  })
                         .freeze();
  auto request = patch_request(kClaimResource, facts.claim, patch);
  request.subresource = "status";
  decision.requests.push_back({
      .request = std::move(request),
      .done = Notice{.object = facts.claim,
                     .reason = "VolumeResizeSuccessful",
                     .message = "Resize volume succeeded"}
  });
  return decision;
}

bool wants_more(json::View claim) {
  const auto have = kube::Quantity::parse(claim.get("status", "capacity", "storage").as_string());
  return have && *have < requested_by(claim);
}

}  // namespace

Decision decide(const ProvisionFacts& facts) {
  const json::View claim = facts.claim;
  if (kube::being_deleted(claim)) return {};
  const bool ours = facts.storage_class.get("provisioner").as_string() == kLocalDirectory;
  if (claim.get("spec", "volumeName").as_string().empty()) {
    const bool asked = kube::annotation_of(claim, kProvisioner) == kLocalDirectory;
    return ours && asked && facts.volume.is_null() ? provision(facts) : Decision{};
  }
  const bool made_here = kube::annotation_of(facts.volume, kProvisionedBy) == kLocalDirectory;
  const bool bound = claim.get("status", "phase").as_string() == "Bound";
  return made_here && bound && wants_more(claim) ? grow(facts) : Decision{};
}

LocalProvisioner::LocalProvisioner(std::string directory)
    : KeyedController({
          .name = kLocalDirectory,
          .prefix = kClaims,
          .kind = {"", "PersistentVolumeClaim"},
          .children = {},
          .adopts = {},
          .follows = {},
}),
      directory_(std::move(directory)) {}

Decision LocalProvisioner::pass(const Reader& reader, const Subject& subject, Instant) const {
  if (!subject.record) return {};
  ProvisionFacts facts{.claim = subject.record->body, .directory = directory_};
  const auto found = reader.find(kClasses, "", class_of(facts.claim));
  if (found) facts.storage_class = found->body;
  const auto named = facts.claim.get("spec", "volumeName").as_string();
  const auto volume =
      reader.find(kVolumes, "", named.empty() ? volume_name(facts.claim) : std::string{named});
  if (volume) facts.volume = volume->body;
  return decide(facts);
}

}  // namespace fixpoint::cluster::storage
