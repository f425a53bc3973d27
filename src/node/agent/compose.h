// SPDX-License-Identifier: Apache-2.0
//
// compose: from a container's spec to the run of a local program, or to the reason that `kubectl
// get pods` shows when that is not possible.
#pragma once

#include "node/agent/host.h"
#include "node/agent/pod_volumes.h"
#include "node/pod/facts.h"
#include "node/process/run_spec.h"

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::node {

struct ComposeCall {
  json::View pod;
  json::View container;
  const Place& place;
  const PodVolumes& volumes;
  std::filesystem::path pod_directory;
  std::filesystem::path container_directory;  // of the container, above its runs
  std::string log;
};

// What the image ID of a container that runs a stand-in begins with; its name follows.
inline constexpr std::string_view kStandInImage = "fixpoint://stand-in/";

struct Composed {
  std::optional<RunSpec> run;  // nothing: no local program, the container is simulated
  std::string image_id;
};

std::expected<Composed, Waiting> compose(Host& host, const ComposeCall& call);

// Where a program is, by PATH.
std::optional<std::string> find_in_path(std::string_view program);

// Outside of an own root, paths of volumes are written as they are on the machine.
std::string with_machine_paths(std::string_view text, const std::vector<BindMount>& mounts);

// The file a container may leave its last words in.
std::filesystem::path last_words_file(const std::filesystem::path& container_directory);

// /etc/hosts and /etc/resolv.conf of the pod, written to its directory.
Result<void> write_name_files(Host& host, json::View pod, const Place& place,
                              const std::filesystem::path& pod_directory);

}  // namespace fixpoint::node
