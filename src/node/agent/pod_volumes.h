// SPDX-License-Identifier: Apache-2.0
//
// PodVolumes: the volumes of a pod as directories, and where each container sees them.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "node/agent/host.h"
#include "node/pod/environment.h"
#include "node/process/run_spec.h"
#include "node/volume/volume_files.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fixpoint::node {

class PodVolumes {
 public:
  PodVolumes(Host& host, std::filesystem::path directory)
      : host_(host), directory_(std::move(directory)) {}

  // Makes or updates all of them. Unavailable: a token is on its way. Else the text of a
  // FailedMount event; the rest of the volumes is made all the same.
  Result<void> prepare(json::View pod, const Place& place, const Tokens& tokens);

  // What the container's volumeMounts come to.
  Result<std::vector<BindMount>> mounts_of(json::View pod, json::View container,
                                           const Environment& environment) const;

 private:
  Result<std::filesystem::path> make(json::View pod, json::View volume, const Place& place,
                                     const Tokens& tokens);
  Result<std::filesystem::path> claim(json::View pod, const std::string& name) const;
  Result<std::filesystem::path> host_path(json::View source) const;
  Result<std::filesystem::path> own(json::View pod, std::string_view name) const;

  Host& host_;
  std::filesystem::path directory_;
  std::map<std::string, std::filesystem::path, std::less<>> by_name_;
};

}  // namespace fixpoint::node
