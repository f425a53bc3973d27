// SPDX-License-Identifier: Apache-2.0
//
// What `fixpoint up` was asked for: the values of its flags, read and found sound before anything
// is started. An error names the flag, what it was given and what it takes.
#pragma once

#include "base/error.h"
#include "cli/command_line/arguments.h"
#include "cluster/controllers.h"
#include "node/agent/agent.h"
#include "runtime/manager/manager.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::cli {

// Always a loopback address.
struct Listen {
  std::string address;
  std::uint16_t port = 0;
};

struct UpSettings {
  Listen listen;
  cluster::ClusterOptions cluster;
  node::NodeOptions node;  // the images and what pods may do; the rest depends on the start
  std::vector<runtime::ManagedPart> operators;
};

Result<UpSettings> up_settings(const Arguments& arguments);

}  // namespace fixpoint::cli
