// SPDX-License-Identifier: Apache-2.0
//
// SimulatedNodes: thousands of nodes in one loop, for tests of scale and of faults.
//
// At the beginning it registers the nodes it was asked for. From then on it acts for every node
// that carries the annotation, whoever made it, by the script of simulation.h. It is driven by
// events: a node at rest has no timer and renews no Lease (lifecycle.h takes a simulated node for
// alive unless it is told to be down), so nodes cost memory and nothing else.
#pragma once

#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/event_recorder.h"
#include "cluster/nodes/pods_by_node.h"
#include "cluster/nodes/simulation.h"

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace fixpoint::cluster::nodes {

class SimulatedNodes final : public Controller {
 public:
  explicit SimulatedNodes(SimulationOptions options) : options_(options) {}

  std::string_view name() const override { return "simulated-node"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return deadlines_.first(); }

 private:
  static constexpr std::chrono::seconds kTryAgain{5};

  struct Host {
    std::string address;
    bool down = false;
  };
  struct Planned {
    PodStep::Kind kind = PodStep::Kind::Nothing;
    Instant due{};
  };

  void see_node(const store::Event& event);
  void see_pod(const store::Event& event);
  bool register_some(Api& api);
  void recover(Api& api, const std::string& key);
  void look(Api& api, const std::string& key);
  // True when it is time for the step; else remembers when.
  bool due(Api& api, const std::string& key, const PodStep& step);
  void act(Api& api, const store::RecordRef& pod, const Host& host, PodStep::Kind kind);
  bool write_status(Api& api, const store::RecordRef& pod, const json::Value& status);
  std::uint32_t take_address();

  SimulationOptions options_;
  int registered_ = 0;
  std::unordered_map<std::string, Host, StringHash, std::equal_to<>> hosts_;
  PodsByNode pods_;
  KeyQueue queue_;
  KeyQueue ill_;  // nodes that are up and do not say so
  Deadlines deadlines_;
  std::map<std::string, Planned, std::less<>> planned_;
  std::unordered_set<std::uint32_t> addresses_;  // in use
  std::uint32_t last_address_ = 0;
  EventRecorder recorder_{"simulated-node"};
};

}  // namespace fixpoint::cluster::nodes
