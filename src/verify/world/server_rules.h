// SPDX-License-Identifier: Apache-2.0
//
// What everybody in a cluster relies on the API server for, as properties of every change of the
// store. They hold of the core that ships; a weaker server must be noticed where it matters.
#pragma once

#include "verify/property.h"
#include "verify/world/world.h"

#include <cstdint>
#include <vector>

namespace fixpoint::verify::world {

// Of the rules that ask for nothing but the changes of a step, a bit for each that these keep.
std::uint32_t server_rules_kept(const std::vector<store::Event>& events,
                                const client::Resource& primaries);

void add_server_rules(const World& world, Properties<World>& all);

}  // namespace fixpoint::verify::world
