// SPDX-License-Identifier: Apache-2.0
//
// DELETE: removal at once, or the stamp that begins it.
//
// An object with finalizers, a grace period or dependents to wait for is only stamped; the write
// that removes the last of these deletes it (write.h: ready_to_vanish).
#pragma once

#include "apiserver/body/options.h"
#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "kube/errors/status.h"
#include "store/store.h"

namespace fixpoint::apiserver {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

struct DeleteCall {
  const Request& request;
  const Resource& resource;
  store::Store& store;
  const Environment& environment;
  DeleteOptions options = {};
};

struct Removed {
  json::Value object;  // stamped or final, in the requested version
  bool gone = false;
};

// The 409s of a deletion that is meant for another object or version.
kube::Answer<void> check_delete_preconditions(const DeleteCall& call, json::View object);

kube::Answer<Removed> remove_object(DeleteCall& call, const store::RecordRef& current);

Response remove(DeleteCall call);
Response remove_collection(DeleteCall call);

}  // namespace fixpoint::apiserver
