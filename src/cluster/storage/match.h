// SPDX-License-Identifier: Apache-2.0
//
// Which volume serves which claim.
#pragma once

#include "apiserver/request.h"
#include "json/value.h"
#include "kube/scalars/quantity.h"

#include <string_view>
#include <vector>

namespace fixpoint::cluster::storage {

// The class a claim or a volume names, the old annotation included; "" is none.
std::string_view class_of(json::View object);
// Filesystem unless a claim or a volume says otherwise.
std::string_view mode_of(json::View object);
kube::Quantity requested_by(json::View claim);
kube::Quantity capacity_of(json::View volume);

// The volume says it is this claim's: by name, and by uid once it has one.
bool kept_for(json::View volume, json::View claim);
// Modes, size, class, labels: everything but who else wants it and where it is.
bool suits(json::View volume, json::View claim);
// The modes that the claim asks for are among the volume's.
bool has_modes(json::View volume, json::View claim);
// Suits, and nobody has it.
bool takes(json::View volume, json::View claim);
// Of those that the claim can take the smallest first; one that is kept for it before all others.
std::vector<json::Value> candidates(const std::vector<json::Value>& volumes, json::View claim);

// Keeps the volume for the claim, which takes it with its next look.
apiserver::Request keep_request(json::View volume, json::View claim);

}  // namespace fixpoint::cluster::storage
