// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/storage_protection.h"

#include "apiserver/admission/admission_pod.h"
#include "cluster/storage/pod_claims.h"
#include "cluster/storage/relations.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <vector>

namespace fixpoint::cluster {
namespace {

using apiserver::kAttributesFinalizer;
using apiserver::kClaimFinalizer;
using apiserver::kVolumeFinalizer;

constexpr std::string_view kClaims = "persistentvolumeclaims/";
constexpr std::string_view kVolumes = "persistentvolumes/";
constexpr std::string_view kAttributes = "volumeattributesclasses.storage.k8s.io/";
constexpr std::string_view kPods = "pods/";

std::string_view finalizer_of(std::string_view prefix) {
  if (prefix == kAttributes) return kAttributesFinalizer;
  return prefix == kClaims ? kClaimFinalizer : kVolumeFinalizer;
}

bool leaving(const store::RecordRef& record) {
  const auto prefix = split_key(record->key).prefix;
  const bool watched = prefix == kClaims || prefix == kVolumes || prefix == kAttributes;
  return watched && kube::being_deleted(record->body) &&
         kube::has_finalizer(record->body, finalizer_of(prefix));
}

// Somebody took the finalizer off, or it was made before anybody put one on.
bool unprotected(const store::RecordRef& record) {
  const auto prefix = split_key(record->key).prefix;
  return (prefix == kClaims || prefix == kVolumes) && !kube::being_deleted(record->body) &&
         !kube::has_finalizer(record->body, finalizer_of(prefix));
}

// A pod that is done uses nothing any more; one that waits for its node still does.
bool is_done(json::View pod) {
  const auto phase = pod.get("status", "phase").as_string();
  return phase == "Succeeded" || phase == "Failed";
}

std::vector<std::string_view> attributes_of(json::View object) {
  return {object.get("spec", "volumeAttributesClassName").as_string(),
          object.get("status", "currentVolumeAttributesClassName").as_string()};
}

bool attributes_used(Api& api, std::string_view name) {
  bool used = false;
  for (const auto prefix : {kClaims, kVolumes}) {
    api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
      used = used || std::ranges::count(attributes_of(record->body), name) > 0;
      return !used;
    });
  }
  return used;
}

bool in_use(Api& api, const store::RecordRef& record) {
  const auto parts = split_key(record->key);
  if (parts.prefix == kAttributes) return attributes_used(api, parts.name);
  if (parts.prefix == kVolumes) {
    return record->body.get("status", "phase").as_string() == "Bound";
  }
  const auto pods = api.reader().related(storage::Relation::PodOfClaim,
                                         storage::claim_name(parts.ns, parts.name));
  return !std::ranges::all_of(pods, [](const auto& pod) { return is_done(pod->body); });
}

}  // namespace

void StorageProtection::begin(Api& api) {
  for (const auto prefix : {kClaims, kVolumes, kAttributes}) {
    api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
      if (leaving(record) || unprotected(record)) leaving_.add(record->key);
      return true;
    });
  }
}

void StorageProtection::observe(const store::Event& event) {
  if (event.after && (leaving(event.after) || unprotected(event.after))) {
    leaving_.add(event.after->key);
  }
  // So may a claim or volume have been the last that a class waited for.
  const auto prefix = split_key(event.key()).prefix;
  if (event.before && (prefix == kClaims || prefix == kVolumes)) {
    for (const auto name : attributes_of(event.before->body)) {
      if (!name.empty()) leaving_.add(std::string{kAttributes} + "/" + std::string{name});
    }
  }
  // A pod that went or is done may have been the last one a claim waited for.
  if (prefix != kPods) return;
  const json::View pod = event.after ? event.after->body : event.before->body;
  for (const auto& claim : storage::claims_of(pod)) {
    leaving_.add(std::string{kClaims} + std::string{kube::namespace_of(pod)} + "/" + claim.name);
  }
}

bool StorageProtection::step(Api& api) {
  const auto key = leaving_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (record && unprotected(record)) {
    json::Draft object{record->body};
    object.object_at("metadata")
        .array_at("finalizers")
        .push_back(finalizer_of(split_key(*key).prefix));
    send_update(api, object);
    return true;
  }
  if (!record || !leaving(record) || in_use(api, record)) return true;
  json::Draft object{record->body};
  auto& metadata = object.object_at("metadata");
  auto& finalizers = metadata.array_at("finalizers");
  std::erase_if(finalizers.elements(), [&](const json::Draft& one) {
    return one.as_string() == finalizer_of(split_key(*key).prefix);
  });
  if (finalizers.empty()) metadata.erase("finalizers");
  send_update(api, object);
  return true;
}

}  // namespace fixpoint::cluster
