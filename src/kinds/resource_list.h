// SPDX-License-Identifier: Apache-2.0
//
// ResourceList: amounts by name ("cpu", "requests.memory", "count/configmaps"), and what the
// containers of a pod ask for together.
//
// Amounts are read after validation, so a text that is no quantity cannot be there; if it is (an
// object stored by other means), it counts as absent.
#pragma once

#include "json/draft.h"
#include "json/value.h"
#include "kube/scalars/quantity.h"

#include <map>
#include <string>

namespace fixpoint::kinds {

using ResourceList = std::map<std::string, kube::Quantity, std::less<>>;

ResourceList read_resources(json::View amounts);
json::Draft to_draft(const ResourceList& amounts);
// "cpu=1,memory=1Gi", as quota messages print them.
std::string to_text(const ResourceList& amounts);

void add(ResourceList& sum, const ResourceList& more);
// Each amount becomes the greater of the two.
void raise(ResourceList& most, const ResourceList& other);

// Of the "requests" or the "limits": the greater of what runs together and what each init container
// needs at its turn.
ResourceList containers_total(json::View pod_spec, std::string_view member);

}  // namespace fixpoint::kinds
