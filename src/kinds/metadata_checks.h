// SPDX-License-Identifier: Apache-2.0
//
// How often a kind looks at the metadata of an update. Every update is checked by the server once;
// most kinds ask the same again, some twice, and clients see each mistake as often in the causes.
#pragma once

#include "json/value.h"
#include "kinds/kind.h"

#include <string_view>

namespace fixpoint::kinds {

struct MetadataChecks {
  // Each W asks for the rules of creation, with the kind's own rule for names; each C for those of
  // updates.
  std::string_view order = "CW";
  bool finalizers = true;  // with either: a finalizer is Kubernetes' own or says whose it is
};

// What the kind itself asks in an update, beyond what the server asks of all kinds.
MetadataChecks metadata_checks(const Kind& kind, std::string_view subresource);

// The finalizers that are neither Kubernetes' own nor say whose they are.
kube::FieldErrors finalizer_errors(json::View object);

}  // namespace fixpoint::kinds
