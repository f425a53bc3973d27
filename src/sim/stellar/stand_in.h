// SPDX-License-Identifier: Apache-2.0
//
// StandIn: a program of Stellar's that is not here, as a process: its ports, its pages, and a
// person at the switch.
//
// Every port of it also takes GET or POST /fixpoint/behave?mode=…, which no real program has; that
// one is answered whatever the mode is. It listens on one address only: the pod's.
// Read next: pages.h for what is answered, life.h for what is true meanwhile.
#pragma once

#include "base/error.h"
#include "sim/stellar/files.h"
#include "sim/stellar/life.h"
#include "sim/stellar/pages.h"

#include <functional>
#include <string>
#include <vector>

namespace fixpoint::sim {

struct Port {
  std::string address;
  std::uint16_t number = 0;
  std::string what;  // "http", for the first lines of the log
  // Nothing: 404. A port without pages only accepts connections.
  std::function<std::optional<Page>(const Asked&, const Moment&)> pages{};
};

struct StandIn {
  std::string name;  // "stellar-core"
  Pace pace{};
  std::vector<Port> ports;
};

// Until SIGTERM or SIGINT (0), or until it is told to die (1).
Result<int> run(StandIn stand_in);

}  // namespace fixpoint::sim
