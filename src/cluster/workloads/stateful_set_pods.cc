// SPDX-License-Identifier: Apache-2.0
//
// A StatefulSet's pod: its name, its labels, and volumes that are its own claims.
#include "cluster/workloads/pod_template.h"
#include "cluster/workloads/stateful_set_pass.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

void set_identity(View set, std::int64_t ordinal, Draft& pod) {
  const auto name = pod_name(set, ordinal);
  auto& metadata = pod.object_at("metadata");
  metadata["name"] = name;
  metadata["namespace"] = kube::namespace_of(set);
  auto& labels = metadata.object_at("labels");
  labels[kPodNameLabel] = name;
  labels[kPodIndexLabel] = std::to_string(ordinal);
}

bool is_claim_template(View set, std::string_view volume) {
  return std::ranges::any_of(set.get("spec", "volumeClaimTemplates").elements(),
                             [&](View claim) { return kube::name_of(claim) == volume; });
}

// Volumes of the claims' names are the claims; whatever else had such a name gives way.
void set_storage(View set, std::int64_t ordinal, Draft& spec) {
  const View claims = set.get("spec", "volumeClaimTemplates");
  if (claims.empty()) return;
  auto volumes = Draft::array();
  for (const View claim : claims.elements()) {
    volumes.push_back(Draft::object({
        {"name",                  kube::name_of(claim)                  },
        {"persistentVolumeClaim",
         Draft::object({{"claimName", claim_name(set, claim, ordinal)}})}
    }));
  }
  if (const Draft* given = spec.find("volumes")) {
    for (const Draft& volume : given->elements()) {
      const Draft* name = volume.find("name");
      if (name == nullptr || !is_claim_template(set, name->as_string())) volumes.push_back(volume);
    }
  }
  spec["volumes"] = std::move(volumes);
}

}  // namespace

std::optional<std::int64_t> ordinal_in(std::string_view set, std::string_view pod) {
  if (pod.size() < set.size() + 2 || !pod.starts_with(set) || pod[set.size()] != '-') {
    return std::nullopt;
  }
  const auto digits = pod.substr(set.size() + 1);
  std::int32_t ordinal = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || ordinal < 0) {
    return std::nullopt;
  }
  return ordinal;
}

std::string pod_name(View set, std::int64_t ordinal) {
  return fmt::format("{}-{}", kube::name_of(set), ordinal);
}

std::string claim_name(View set, View claim_template, std::int64_t ordinal) {
  return fmt::format("{}-{}-{}", kube::name_of(claim_template), kube::name_of(set), ordinal);
}

std::int64_t first_ordinal(View set) {
  return set.get("spec", "ordinals", "start").as_int();
}

std::int64_t replicas_of(View set) {
  return set.get("spec", "replicas").as_int(1);
}

bool in_range(View set, std::int64_t ordinal) {
  const auto first = first_ordinal(set);
  return ordinal >= first && ordinal < first + replicas_of(set);
}

json::Value new_pod(View set, View pod_template, std::string_view revision, std::int64_t ordinal) {
  Draft pod = pod_from_template(set, pod_template);
  set_identity(set, ordinal, pod);
  pod.object_at("metadata").object_at("labels")[kPodRevisionLabel] = revision;
  auto& spec = pod.object_at("spec");
  spec["hostname"] = pod_name(set, ordinal);
  const auto service = set.get("spec", "serviceName").as_string();
  if (service.empty()) {
    spec.erase("subdomain");
  } else {
    spec["subdomain"] = service;
  }
  set_storage(set, ordinal, spec);
  return pod.freeze();
}

bool identity_matches(View set, View pod) {
  const auto ordinal = ordinal_in(kube::name_of(set), kube::name_of(pod));
  return ordinal && kube::name_of(pod) == pod_name(set, *ordinal) &&
         kube::label_of(pod, kPodNameLabel) == kube::name_of(pod);
}

bool storage_matches(View set, View pod, std::int64_t ordinal) {
  return std::ranges::all_of(set.get("spec", "volumeClaimTemplates").elements(), [&](View claim) {
    return std::ranges::any_of(pod.get("spec", "volumes").elements(), [&](View volume) {
      return volume.get("name").as_string() == kube::name_of(claim) &&
             volume.get("persistentVolumeClaim", "claimName").as_string() ==
                 claim_name(set, claim, ordinal);
    });
  });
}

json::Value corrected_pod(View set, View pod, std::int64_t ordinal) {
  Draft corrected{pod};
  if (!identity_matches(set, pod)) set_identity(set, ordinal, corrected);
  if (!storage_matches(set, pod, ordinal)) set_storage(set, ordinal, corrected.object_at("spec"));
  return corrected.freeze();
}

}  // namespace fixpoint::cluster
