// SPDX-License-Identifier: Apache-2.0
//
// Objects as the text that Kubernetes itself has in hand: structs in the order of their fields,
// maps sorted. Clients see it when the result of a patch is refused, and what is wrong with it is
// told in this order.
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"

#include <string>

namespace fixpoint::kube {

// Everything sorted; a float that is whole keeps a fraction, as its author most likely wrote it.
std::string likely_text(json::View value);

// `object` after a patch. Patching takes apart, and so sorts, the objects on the way to a change:
// those that `touched`, an object like the patch itself, has an object for. What the patch brought
// is where `touched` has anything else; the rest keeps the order of `schema` (none: sorted).
std::string patched_text(const Schema* schema, json::View object, json::View touched);

}  // namespace fixpoint::kube
