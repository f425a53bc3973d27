// SPDX-License-Identifier: Apache-2.0
//
// Relations: what pods, claims and volumes say of each other, as the index files it.
//
// Only of what a write to the object itself changes, never its status: our own status writes reach
// the index with their events only (object_index.h), and what is missing there is not found.
#pragma once

#include "json/value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::storage {

enum class Relation : std::uint8_t {
  PodOfClaim,     // a pod that mounts the claim "ns/name"
  VolumeOfClaim,  // a volume that says it is of the claim "ns/name"
  UnkeptVolume,   // a volume that is of no claim, of this class
  ClaimOfVolume,  // a claim that names this volume
  UnboundClaim,   // a claim that names no volume, of this class
};
inline constexpr std::size_t kRelations = 5;

// Under this unbound claims are found that leave the choice of a class to the cluster. No class has
// this name; "" is that of claims which want none.
inline constexpr std::string_view kAnyClass = "*";

struct Related {
  Relation relation;
  std::string name;

  bool operator==(const Related&) const = default;
};

// The kinds of objects that are related to something.
inline constexpr std::array<std::string_view, 3> kRelatedKinds{"pods/", "persistentvolumes/",
                                                               "persistentvolumeclaims/"};
bool has_relations(std::string_view key);
std::vector<Related> relations_of(std::string_view key, json::View object);

// As the first two relations name a claim.
std::string claim_name(std::string_view ns, std::string_view name);
// Whether the claim names a class, if only that it wants none.
bool names_a_class(json::View claim);

}  // namespace fixpoint::cluster::storage
