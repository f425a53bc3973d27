// SPDX-License-Identifier: Apache-2.0
//
// The environment of a container: env, envFrom, the downward API and the services of the namespace,
// with $(NAME) expanded, as Kubernetes does it.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "node/pod/sources.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

using Environment = std::map<std::string, std::string>;

// $(NAME) becomes its value, $$ one dollar; a name that is not there stays as it is written.
std::string expand(std::string_view text, const Environment& environment);

// The error's message is that of a container that waits with CreateContainerConfigError.
Result<Environment> environment_of(json::View pod, json::View container, const Sources& sources,
                                   const Place& place);

// NAME_SERVICE_HOST and the rest, of one service with an address.
void add_service_variables(json::View service, Environment& out);

// command and args, expanded; empty when the container gives none.
struct CommandLine {
  std::vector<std::string> command;
  std::vector<std::string> args;
};
CommandLine command_line_of(json::View container, const Environment& environment);

}  // namespace fixpoint::node
