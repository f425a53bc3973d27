// SPDX-License-Identifier: Apache-2.0
//
// Ownership across /scale.
#include "kube/scale_fields.h"

#include "kube/ownership.h"

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

json::Value encoded(const Ownership& ownership) { return encode_ownership(ownership).freeze(); }

// An update's key has its version in it, so the same writer has another id on either side.
const Owner* counterpart(const Ownership& scale, const Owner& parent) {
  for (const Owner& owner : scale.owners())
    if (owner.manager == parent.manager && owner.operation == parent.operation &&
        owner.subresource == parent.subresource)
      return &owner;
  return nullptr;
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
  Ownership out;
  for (const Owner& owner : parent.owners()) {
    const auto path = paths.find(owner.api_version);
    if (path == paths.end()) continue;
    const Path replicas = path_of(path->second);
    if (!owner.fields.contains(replicas)) {
      out.at(owner) = owner;
    } else if (const Owner* kept = counterpart(scale, owner)) {
      scale.erase(std::string(kept->id()));
      out.at(owner) = owner;
    } else {
      Owner rest = owner;
      rest.own(subtract(rest.fields, only(replicas)));
      if (!rest.fields.empty()) out.at(rest) = rest;
    }
  }
  const auto replicas = paths.find(version.api_version());
  for (const Owner& owner : scale.owners()) {
    if (!owner.fields.contains(replicas_in_scale()) || replicas == paths.end()) continue;
    Owner taker = owner;
    taker.api_version = version.api_version();
    taker.own(only(path_of(replicas->second)));
    out.at(taker) = taker;
  }
  return encoded(out);
}

}  // namespace fixpoint::kube
