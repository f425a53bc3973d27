// SPDX-License-Identifier: Apache-2.0
//
// Ownership across /scale.
#include "kube/ownership/scale_fields.h"

#include "kube/ownership/ownership.h"

namespace fixpoint::kube {

namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

Path path_of(const std::vector<std::string>& names) {
  Path path;
  for (const std::string& name : names) path.push_back(PathElement::field(name));
  return path;
}

FieldSet only(const Path& path) {
  FieldSet set;
  set.insert(path);
  return set;
}

const Path& replicas_in_scale() {
  static const Path* const path = new Path(path_of({"spec", "replicas"}));  // kept for ever
  return *path;
}

Answer<Ownership> decoded(json::View managed_fields) {
  auto ownership = decode_ownership(managed_fields, Source::Stored);
  if (!ownership) return std::unexpected(unreasoned(500, ownership.error().message));
  return *std::move(ownership);
}

json::Value encoded(const Ownership& ownership) {
  return encode_ownership(ownership).freeze();
}

}  // namespace

Answer<json::Value> scale_managed_fields(json::View parent_managed_fields,
                                         const ReplicasPaths& paths) {
  FP_TRY(parent, decoded(parent_managed_fields));
  Ownership scale;
  for (const Owner& owner : parent.owners()) {
    const auto path = paths.find(owner.api_version);
    if (path == paths.end() || !owner.fields.contains(path_of(path->second))) continue;
    Owner identity = owner;
    identity.api_version = kScaleVersion;
    scale.at(identity).own(only(replicas_in_scale()));
  }
  return encoded(scale);
}

Answer<json::Value> parent_managed_fields(json::View parent_managed_fields,
                                          json::View scale_managed_fields,
                                          const GroupVersion& version, const ReplicasPaths& paths) {
  FP_TRY(parent, decoded(parent_managed_fields));
  FP_TRY(scale, decoded(scale_managed_fields));
  // Entries are added without regard to ids: an updater has its version in its id, so on the Scale
  // it is another one than on the parent. It loses the field there and gets an entry of its own
  // here, without a time. That is what Kubernetes does, and clients see it.
  Ownership out;
  for (const Owner& owner : parent.owners()) {
    const auto path = paths.find(owner.api_version);
    if (path == paths.end()) continue;
    const Path replicas = path_of(path->second);
    if (!owner.fields.contains(replicas)) {
      out.owners().push_back(owner);
    } else if (scale.find(owner.id()) != nullptr) {
      scale.erase(owner.id());
      out.owners().push_back(owner);
    } else {
      Owner rest = owner;
      rest.own(subtract(rest.fields, only(replicas)));
      if (!rest.fields.empty()) out.owners().push_back(std::move(rest));
    }
  }
  const auto replicas = paths.find(version.api_version());
  for (const Owner& owner : scale.owners()) {
    if (!owner.fields.contains(replicas_in_scale()) || replicas == paths.end()) continue;
    const Owner* known = parent.find(owner.id());
    Owner taker = owner;
    taker.api_version = version.api_version();
    taker.time = known == nullptr ? std::nullopt : known->time;
    taker.own(only(path_of(replicas->second)));
    out.owners().push_back(std::move(taker));
  }
  return encoded(out);
}

}  // namespace fixpoint::kube
