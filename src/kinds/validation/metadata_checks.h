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
  // updates; each N for all that is asked of a new object, not of its metadata alone.
  std::string_view order = "CW";
  bool finalizers = true;  // with either: a finalizer is Kubernetes' own or says whose it is
};

// What the kind itself asks in an update, beyond what the server asks of all kinds.
MetadataChecks metadata_checks(const Kind& kind, std::string_view subresource);

// False for the kinds that look at no metadata, not even of a new object, or not first: the server
// does when they find nothing wrong.
bool checks_metadata(const Kind& kind);

// The finalizers that are neither Kubernetes' own nor say whose they are.
kube::FieldErrors finalizer_errors(json::View object);

}  // namespace fixpoint::kinds
