// SPDX-License-Identifier: Apache-2.0
//
// PodWorker: one pod on this node, from the moment it is bound to it until nothing is left of it.
//
// Everything that happens ends in a look: gather facts, decide, act, tell the API if it changed.
// One status write is under way at a time. Read next: pod/plan.h, what is decided.
#pragma once

#include "json/value.h"
#include "node/agent/container_run.h"
#include "node/agent/host.h"
#include "node/agent/pod_volumes.h"
#include "node/pod/facts.h"
#include "node/pod/plan.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fixpoint::node {

class PodWorker {
 public:
  PodWorker(Host& host, json::Value pod);
  ~PodWorker();
  PodWorker(const PodWorker&) = delete;
  PodWorker& operator=(const PodWorker&) = delete;

  // As the API has it now.
  void update(json::Value pod);
  // The API has it no more: whatever runs is ended, at once if a deletion was under way.
  void gone();
  // Something it refers to may have changed.
  void look_soon();
  // The node stops: everything ends now and is not started again; `idle` tells when.
  void end_for_now();
  void kill_for_now();
  bool idle() const;

  const PodFacts& facts() const { return facts_; }
  const ContainerRun* container(std::string_view name) const;
  const std::vector<std::unique_ptr<ContainerRun>>& runs() const { return runs_; }

 private:
  struct Token {
    std::string value;
    bool asked = false;
    net::TimerId renewal;
  };

  json::View pod() const { return facts_.pod; }
  std::filesystem::path directory() const;
  Place place() const;
  void look();
  void prepare();
  void want_tokens();
  void ask_for_token(const TokenWish& wish);
  void on_token(const TokenWish& wish, const client::Reply& reply);
  void start(std::size_t index);
  void tell_blocked(const ContainerRun& run, const Waiting& why);
  void tell_backing_off(std::size_t index);
  void watch_storage();
  void check_storage();
  void report(const PodPlan& plan);
  void on_reported(const client::Reply& reply);
  void remove_from_api();
  void clean_up();

  Host& host_;
  PodFacts facts_;
  PodVolumes volumes_;
  std::vector<std::unique_ptr<ContainerRun>> runs_;
  std::map<TokenWish, Token> tokens_;
  std::map<std::size_t, int> backoff_told_;  // by container: for which run
  std::string mount_trouble_;
  json::Value last_patch_;
  net::TimerId timer_;
  net::TimerId storage_timer_;
  bool scheduled_ = false;
  bool adopted_ = false;  // an earlier agent ran it
  bool ran_ = false;      // this one did
  bool writing_ = false;
  bool removing_ = false;
  bool stopped_ = false;  // the node stops
  std::shared_ptr<PodWorker*> self_ = std::make_shared<PodWorker*>(this);
};

}  // namespace fixpoint::node
