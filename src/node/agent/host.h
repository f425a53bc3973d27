// SPDX-License-Identifier: Apache-2.0
//
// Host: what all pods of a node share, and the node's settings.
#pragma once

#include "base/clock.h"
#include "base/rng.h"
#include "client/client.h"
#include "json/value.h"
#include "net/loop.h"
#include "node/addresses.h"
#include "node/pod/image_map.h"
#include "node/pod/sources.h"
#include "node/process/run_spec.h"
#include "runtime/manager/log.h"
#include "runtime/plan.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace fixpoint::node {

struct NodeOptions {
  std::string name;
  // The node's own directory: pods, addresses. Nobody else's files lie there.
  std::filesystem::path directory;
  // Persistent volumes may lie below; elsewhere only with allow_host_path.
  std::filesystem::path volumes;
  std::string host_ip = "127.0.0.1";
  std::uint16_t port = 0;  // of the server that is asked about its pods; 0: there is none
  std::map<std::string, std::string> labels;
  ImageMap images = ImageMap::standard();
  bool allow_host_path = false;
  bool allow_privileged = false;
  // How long a simulated container takes to run.
  Duration simulated_delay{};
  // How long containers outlive this process when it is killed, waiting for the next.
  Duration orphan_time = std::chrono::seconds(60);
  // The binary with the hidden subcommand; this one.
  std::string program = "/proc/self/exe";
  std::string cluster_domain = "cluster.local";
  std::int64_t pods_max = 1'000;
};

class Host {
 public:
  virtual ~Host() = default;
  virtual net::Loop& loop() = 0;
  virtual client::Client& client() = 0;
  virtual const runtime::Log& log() const = 0;
  virtual const NodeOptions& options() const = 0;
  virtual const Sources& sources() const = 0;
  // Pods come with their own address.
  virtual const Place& machine() const = 0;
  virtual Isolation isolation() const = 0;
  virtual Addresses& addresses() = 0;
  virtual Rng& rng() = 0;
  // Where names of the cluster are asked for; empty: nowhere.
  virtual const std::string& dns() const = 0;
  // `part` of the pod's spec, or empty: "spec.containers{web}".
  virtual void say(json::View pod, const runtime::EmitStep& event, std::string_view part = {}) = 0;
  // The answer to an own write.
  virtual void wrote(json::Value pod) = 0;
  // Nothing of the pod is left, here or in the API.
  virtual void done_with(std::string uid) = 0;
  Instant now() { return loop().clock().wall(); }
};

}  // namespace fixpoint::node
