// SPDX-License-Identifier: Apache-2.0
//
// NodeLifecycle: notices nodes that fell silent, and keeps taints in step with conditions.
//
// A sign of life counts from when it was seen here, not from the time written in it: clocks differ,
// and after a pause of this very process every node gets its time to speak up. A simulated node
// lives unless it is told not to; it neither renews a Lease nor costs a timer.
#pragma once

#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/event_recorder.h"
#include "cluster/nodes/pods_by_node.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fixpoint::cluster::nodes {

class NodeLifecycle final : public Controller {
 public:
  std::string_view name() const override { return "node-controller"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return deadlines_.first(); }

 private:
  // After a write that was refused; a conflict comes back as an event long before.
  static constexpr std::chrono::seconds kTryAgain{5};

  struct Sign {
    std::string lease;      // renewTime
    std::string heartbeat;  // of the Ready condition
    Instant seen{};
  };

  void announce(Api& api);
  void look(Api& api, const std::string& key);
  // True when the node was just given up.
  bool give_up_if_silent(Api& api, const std::string& key, const json::Value& node);
  Instant last_sign(Api& api, const json::Value& node);
  void mark_pods_not_ready(Api& api, const std::string& key, const json::Value& node);

  PodsByNode pods_;
  KeyQueue queue_;
  std::map<std::string, Sign, std::less<>> signs_;  // by name of the node
  std::set<std::string, std::less<>> given_up_;     // nodes whose state is unknown
  Deadlines deadlines_;
  std::vector<store::Event> comings_and_goings_;
  EventRecorder recorder_{"node-controller"};
};

}  // namespace fixpoint::cluster::nodes
