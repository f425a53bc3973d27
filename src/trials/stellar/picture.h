// SPDX-License-Identifier: Apache-2.0
//
// What can be seen of a StellarNode in a cluster: the node, its children and what it says of
// itself. Properties and scenarios ask these; none of them asks the operator.
#pragma once

#include "operators/stellar/children/names.h"
#include "verify/world/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::trials::stellar {

using verify::world::Glance;
using verify::world::Look;

// Where each kind is served.
const client::Resource& nodes();
const client::Resource& resource_of(const operators::stellar::ChildKind& kind);
// Everything that a node may have, the claim included.
const std::vector<const operators::stellar::ChildKind*>& all_kinds();
bool is_mesh(const operators::stellar::ChildKind& kind);

// A child that a spec asks for.
struct Wanted {
  const operators::stellar::ChildKind* kind;
  kube::Key key;
};

inline kube::Key key(std::string_view name) {
  return {"default", std::string{name}};
}
json::View node_of(const Look& look, std::string_view name);
bool is_alive(json::View node);
bool is_leaving(json::View node);

// What the spec asks for, worked out from the text of the spec alone. Kinds in `absent` are not
// asked for.
std::vector<Wanted> wanted_by(json::View node, const std::vector<std::string>& absent);
bool keeps_claim(json::View node);
// Objects of all kinds that carry the uid.
std::vector<json::View> owned_by(const Look& look, std::string_view uid);
json::View workload_of(const Look& look, json::View node);
// The generation that a child was made from; 0 when it does not say.
std::int64_t made_from(json::View child);
// It exists, is the node's, and of the node's generation.
bool is_current(const Look& look, json::View node, const Wanted& wanted);

std::string_view phase_of(json::View node);
bool says_running(json::View node);
// The status is about the generation that is there now.
bool is_observed(json::View node);
// "True", "False", "Unknown", or "" when it is not there.
std::string_view condition(json::View node, std::string_view type);
bool is_valid(json::View node);

}  // namespace fixpoint::trials::stellar
