// SPDX-License-Identifier: Apache-2.0
//
// ResourceList: amounts by name ("cpu", "requests.memory", "count/configmaps"), and what a pod asks
// for in total. LimitRange and ResourceQuota both reckon with these.
//
// Amounts are read after validation, so a text that is no quantity cannot be there; if it is (an
// object stored by other means), it counts as absent.
#pragma once

#include "json/draft.h"
#include "json/value.h"
#include "kube/quantity.h"

#include <map>
#include <string>

namespace fixpoint::apiserver {

using ResourceList = std::map<std::string, kube::Quantity, std::less<>>;

ResourceList read_resources(json::View amounts);
json::Draft to_draft(const ResourceList& amounts);
// "cpu=1,memory=1Gi", as quota messages print them.
std::string to_text(const ResourceList& amounts);

void add(ResourceList& sum, const ResourceList& more);
// Each amount becomes the greater of the two.
void raise(ResourceList& most, const ResourceList& other);

struct PodResources {
  ResourceList requests;
  ResourceList limits;
};

// The two plug-ins differ: quota adds the overhead of the pod's runtime class and takes huge pages
// from the pod level, limit ranges do neither.
enum class PodTotal { ForQuota, ForLimitRange };

// The greater of what runs together and what each init container needs at its turn; amounts set for
// the whole pod replace the sums.
PodResources pod_total(json::View pod, PodTotal purpose);

// True when the pod itself, not only its containers, says what it asks for.
bool has_pod_level_resources(json::View pod);

}  // namespace fixpoint::apiserver
