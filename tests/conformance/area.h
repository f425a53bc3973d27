// SPDX-License-Identifier: Apache-2.0
//
// Area: a part of the API's vocabulary and the generator of sequences about it. One file each under
// areas/; the table is in area.cc.
#pragma once

#include "tests/conformance/gen.h"
#include "tests/conformance/step.h"

#include <chrono>
#include <span>
#include <string_view>

namespace fixpoint::conformance {

// How long a real server may take to hear of a role, a quota or a limit range.
inline constexpr Duration kHeard = std::chrono::milliseconds{150};

struct Area {
  std::string_view name;
  std::string_view about;  // one line
  Sequence (*make)(Gen& gen);
  // Its share of a whole run, beside the others' weights.
  int weight = 1;
};

std::span<const Area> areas();
// The sequence that this seed stands for, with its area and seed filled in.
Sequence make_sequence(const Area& area, std::uint64_t seed);

// areas/*.cc
Sequence make_metadata(Gen& gen);    // names, labels, owners, finalizers, preconditions, every kind
Sequence make_config(Gen& gen);      // ConfigMap, Secret, ServiceAccount, Lease, Event, Namespace
Sequence make_custom(Gen& gen);      // custom resources against a schema with every keyword
Sequence make_definition(Gen& gen);  // CustomResourceDefinitions themselves
Sequence make_apply(Gen& gen);       // server-side apply with up to three managers
Sequence make_patch(Gen& gen);       // the other patch types, good and bad
Sequence make_body(Gen& gen);        // mutated bodies, field validation, dry run
Sequence make_read(Gen& gen);        // lists, pages, selectors, watches at every resourceVersion
Sequence make_workload(Gen& gen);    // Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, …
Sequence make_network(Gen& gen);     // Service, Ingress, NetworkPolicy, PVC, PV, PDB, HPA, …
Sequence make_access(Gen& gen);      // roles, bindings, decisions, impersonation, reviews
Sequence make_limit(Gen& gen);       // quotas, limit ranges, namespace termination

}  // namespace fixpoint::conformance
