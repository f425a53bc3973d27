// SPDX-License-Identifier: Apache-2.0
//
// How the runtime marks what belongs to whom: by the owner's uid, never by a name.
//
// A controller reference where Kubernetes allows one; where it does not (an owner in another
// namespace, or a namespaced owner of something cluster-wide) this label, which the garbage
// collector does not know: the operator removes such objects itself, before its finalizer.
#pragma once

#include "json/value.h"

#include <string_view>

namespace fixpoint::runtime {

inline constexpr std::string_view kOwnerLabel = "fixpoint.dev/owner-uid";
// For whom an object outlives its owner (Ownership::Kept); whatever the operator writes there.
inline constexpr std::string_view kStampAnnotation = "fixpoint.dev/kept-for";

// The uid of whom `object` belongs to; empty when it belongs to nobody. The reference wins over the
// label: the API server lets only one controller have it, a label anybody can copy.
std::string_view owner_uid_of(json::View object);

}  // namespace fixpoint::runtime
