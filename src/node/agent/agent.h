// SPDX-License-Identifier: Apache-2.0
//
// Agent: a node. Registers itself, follows the pods bound to it and runs them as local processes.
//
// It reaches the cluster through a Client alone, so it is the node of the API server beside it and
// of any other. Everything belongs to the loop's thread. A killed agent leaves its pods running for
// a while; the next one on the same directory takes them over. Read next: pod_worker.h, streams.h.
#pragma once

#include "base/error.h"
#include "base/rng.h"
#include "client/client.h"
#include "net/loop.h"
#include "node/addresses.h"
#include "node/agent/host.h"
#include "node/agent/pod_worker.h"
#include "node/agent/registration.h"
#include "node/process/usage.h"
#include "node/streams.h"
#include "runtime/cache/cache.h"
#include "runtime/controller/event_log.h"
#include "runtime/manager/log.h"
#include "runtime/manager/loop_scheduler.h"
#include "store/dir_lock.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace fixpoint::node {

class Names;

class Agent final : public Streams, private Host {
 public:
  struct Surroundings {
    net::Loop& loop;
    client::Client& client;
    const runtime::Log& log;
  };
  // Opens the directory, finds out what the machine allows. Conflict when another agent has it.
  static Result<std::unique_ptr<Agent>> open(Surroundings surroundings, NodeOptions options);
  ~Agent() override;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  void start();
  // Ends all pods' processes, SIGKILL after `grace`, without a word to the API: they are started
  // again by the next agent.
  void stop(Duration grace, std::function<void()> done);

  // Of every container that runs as a process here, now.
  using EachUse =
      std::function<void(std::string_view pod_uid, std::string_view container, const Use&)>;
  void each_use(const EachUse& visit) const;
  const std::string& name() const { return options_.name; }

  // Streams: what kubectl logs, exec, attach and port-forward come to.
  Result<std::unique_ptr<LogStream>> open_log(const LogRequest& request) override;
  Result<ContainerPlace> find_container(const ContainerName& name) const override;
  bool has_pod(std::string_view uid) const override;
  json::Value find_pod(const kube::Key& key) const override;

 private:
  class Cached;
  Agent(Surroundings surroundings, NodeOptions options);
  Result<void> take_directory();
  void find_out_isolation();
  void follow();
  void on_change(runtime::FollowId id, const runtime::Change& change);
  void on_pod(const runtime::Change& change);
  void on_synced();
  void clear_leftovers();
  void send_events();
  void check_stopped();
  Host& host() { return *this; }
  PodWorker* worker_of(std::string_view uid) const;

  // Host
  net::Loop& loop() override { return surroundings_.loop; }
  client::Client& client() override { return surroundings_.client; }
  const runtime::Log& log() const override { return surroundings_.log; }
  const NodeOptions& options() const override { return options_; }
  const Sources& sources() const override;
  const Place& machine() const override { return place_; }
  Isolation isolation() const override { return isolation_; }
  Addresses& addresses() override { return *addresses_; }
  Rng& rng() override { return rng_; }
  const std::string& dns() const override { return dns_; }
  void say(json::View pod, const runtime::EmitStep& event, std::string_view part) override;
  void wrote(json::Value pod) override;
  void done_with(std::string uid) override;

  Surroundings surroundings_;
  NodeOptions options_;
  Rng rng_ = Rng::from_kernel();
  std::optional<store::DirLock> lock_;
  BlockClaims claims_;
  std::optional<Addresses> addresses_;
  Isolation isolation_ = Isolation::None;
  Place place_;
  std::string dns_;
  Machine hardware_;
  std::unique_ptr<Registration> registration_;
  std::unique_ptr<runtime::LoopScheduler> scheduler_;
  std::unique_ptr<runtime::Cache> cache_;
  std::unique_ptr<runtime::CacheSession> session_;
  std::unique_ptr<Cached> cached_;
  std::unique_ptr<Names> names_;
  runtime::FollowId pods_followed_ = 0;
  bool synced_ = false;
  std::map<std::string, std::unique_ptr<PodWorker>, std::less<>> workers_;
  runtime::EventLog events_;
  bool sending_ = false;
  std::function<void()> stopped_;
  net::TimerId stop_timer_;
  std::shared_ptr<Agent*> self_ = std::make_shared<Agent*>(this);
};

}  // namespace fixpoint::node
