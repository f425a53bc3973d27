// SPDX-License-Identifier: Apache-2.0
//
// The inside of a container: namespaces, a root of its own, fewer rights. Called by a supervisor's
// children between fork and exec, in a process of one thread.
#pragma once

#include "base/error.h"
#include "node/process/run_spec.h"

#include <filesystem>

namespace fixpoint::node {

// Who this process is on the machine, asked before it is in a namespace of its own.
struct Owner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  static Owner self();
};

// fork, into new namespaces unless the isolation is None: 0 in the child, which is the first
// process there. Without root there is a user namespace too.
Result<int> fork_isolated(Isolation isolation);
// First thing in that child: it is the same user as outside, and its mounts are its own.
Result<void> settle_isolated(Isolation isolation, Owner owner);

// Isolation::Root, in that child: the machine's root under an own layer kept below `layer`, the
// mounts of the spec, own /proc, /dev and /tmp. The process is in it afterwards.
Result<void> enter_own_root(const RunSpec& spec, const std::filesystem::path& layer);

// Becomes the user of the spec and gives up what containers have no right to.
Result<void> drop_rights(const RunSpec& spec);

// Joins a running container: its first process is `init`.
Result<void> join_namespaces(int init, Isolation isolation);

// What works here, tried out below `scratch` in a child process.
Isolation find_isolation(const std::filesystem::path& scratch);

}  // namespace fixpoint::node
