// SPDX-License-Identifier: Apache-2.0
//
// Admission: what the server adds to an object, and when it refuses one, beyond the object's own
// rules. The plug-ins that a default kube-apiserver has and that need no other program.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "json/draft.h"
#include "kube/errors/status.h"
#include "store/store.h"

namespace fixpoint::apiserver {

class ServiceHoldings;

// One write on its way in. `old_object` is null on create; `ns` is where the object lives.
struct AdmissionCall {
  const Resource& resource;
  std::string_view verb;  // "create", "update", "delete"
  std::string_view ns;
  std::string_view name;
  std::string_view subresource;
  const User& user;
  const Environment& environment;
  bool dry_run = false;

  // Whom a refusal names: admission speaks before it is known that a name is missing.
  std::string_view shown_name() const { return name.empty() ? "Unknown" : name; }
};

// Namespace life cycle: writing in a missing namespace is 404, creating in a terminating one 403;
// the three immortal namespaces cannot be deleted.
kube::Answer<void> admit_namespace(const AdmissionCall& call, const store::Snapshot& snapshot);

// Changes the object: limit-range defaults, the two default tolerations and priority of pods, the
// default storage class of claims, …
kube::Answer<void> admit_mutating(const AdmissionCall& call, const store::Snapshot& snapshot,
                                  json::Draft& object, json::View old_object);

// Refuses it: limit ranges, then quota. Quota charges by writing the quota's status into the store,
// as a real server does, unless this is a dry run.
kube::Answer<void> admit_validating(const AdmissionCall& call, store::Store& store,
                                    json::View object, json::View old_object);

// Cluster addresses and node ports of Services. Runs before validation, as in a real server, which
// is told by whose words a refusal has; nothing is taken until the object is stored.
kube::Answer<void> allocate(const AdmissionCall& call, const store::Store& store,
                            ServiceHoldings& holdings, json::Draft& object, json::View old_object);

}  // namespace fixpoint::apiserver
