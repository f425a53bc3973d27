// SPDX-License-Identifier: Apache-2.0
//
// One session through a client::Client, told line by line with all that differs from run to run
// masked: whoever is behind the interface (HTTP/1.1, HTTP/2, the core in process, our server or a
// real one), the lines are the same.
#pragma once

#include "client/client.h"

#include <functional>
#include <string>

namespace fixpoint {

// Runs whatever carries the client until `done` holds; false when it never did.
using Wait = std::function<bool(const std::function<bool()>& done)>;

// Needs a namespace "default" and works with objects labelled suite=client-session.
std::string client_session(client::Client& client, const Wait& wait);
// The same onto a core of its own.
std::string client_session_in_process();

}  // namespace fixpoint
