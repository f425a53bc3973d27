// SPDX-License-Identifier: Apache-2.0
//
// What happens around a StellarNode: a kubelet and the controllers that run its pods, the people
// who edit and delete it, a program that gets into trouble, a quota, a namesake.
#pragma once

#include "trials/stellar/picture.h"
#include "verify/world/scenario.h"

#include <string>
#include <string_view>

namespace fixpoint::trials::stellar {

// Where the pod of a node is found: each node has one.
std::string address_of(std::string_view name);

// --- what a cluster does by itself ---
// The workload's controllers and a kubelet, in one step: the pods that it asks for run and are
// ready. While the quota of fills_quota_of("pods") is there they say that they cannot.
verify::world::Deed runs_pods(std::string_view name);
// The volume controller lets a claim go that is being deleted.
verify::world::Deed releases_claim(std::string_view name);
// Whoever was in trouble is well again, some day.
verify::world::Deed gets_well(std::string_view name);
verify::world::Deed lifts_quota();

// --- what costs something ---
// A merge patch of the spec.
verify::world::Deed edits(std::string_view name, std::string what, const std::string& spec_patch);
verify::world::Deed deletes(std::string_view name);
verify::world::Deed creates(std::string_view name, std::string object);
verify::world::Deed gets_into(std::string_view name, std::string_view mode);
// The pod stops to be ready, and the workload says so.
verify::world::Deed loses_pod(std::string_view name);
// "pods", or a resource as quotas count it: "persistentvolumeclaims".
verify::world::Deed fills_quota_of(std::string_view resource);

// A mesh is uninstalled: one of its kinds goes, and its objects with it. Needs
// built_in::definitions().
verify::world::Deed undefines(const operators::stellar::ChildKind& kind);
// That it has happened.
bool is_defined(const Look& look, const operators::stellar::ChildKind& kind);

// --- a namesake ---
verify::world::Deed namesake_goes(const operators::stellar::ChildKind& kind, std::string_view name);

}  // namespace fixpoint::trials::stellar
