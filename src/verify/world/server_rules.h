// SPDX-License-Identifier: Apache-2.0
//
// What everybody in a cluster relies on the API server for, as properties of every change of the
// store. They hold of the core that ships; a weaker server must be noticed where it matters.
#pragma once

#include "verify/property.h"
#include "verify/world/world.h"

namespace fixpoint::verify::world {

void add_server_rules(const World& world, Properties<World>& all);

}  // namespace fixpoint::verify::world
