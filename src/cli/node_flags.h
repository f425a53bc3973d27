// SPDX-License-Identifier: Apache-2.0
//
// What `up` and `node` say alike about the node they run.
#pragma once

#include "base/error.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/command.h"
#include "node/agent/host.h"

namespace fixpoint::cli {

inline constexpr Flag kImageFlag{
    .name = "image",
    .placeholder = "MAP",
    .help = "Which program stands for an image: lines of a file, or IMAGE=PROGRAM"};
inline constexpr Flag kAllowHostPathFlag{
    .name = "allow-host-path",
    .help = "Let pods use directories of this machine (hostPath volumes)"};
inline constexpr Flag kAllowPrivilegedFlag{.name = "allow-privileged",
                                           .help = "Accept privileged containers"};

// From these three flags; names, directories and times are the caller's.
Result<node::NodeOptions> node_options(const Arguments& arguments);

// This machine's name, as a node may have it.
std::string machine_name();

}  // namespace fixpoint::cli
