// SPDX-License-Identifier: Apache-2.0
//
// LocalNode: the node of `fixpoint up`, beside the API server it belongs to.
#pragma once

#include "base/error.h"
#include "cli/up/service_client.h"
#include "front/host.h"
#include "front/pages/meter.h"
#include "front/pod_streams.h"
#include "node/agent/agent.h"
#include "runtime/manager/log.h"

#include <functional>
#include <memory>

namespace fixpoint::cli {

class LocalNode final : private front::PodStreams, private front::Meter {
 public:
  static Result<std::unique_ptr<LocalNode>> open(front::Host& host, const runtime::Log& log,
                                                 node::NodeOptions options);
  ~LocalNode() override;

  void start() { agent_->start(); }
  // Ends the pods' processes; the pods themselves stay in the API.
  void stop(std::function<void()> done);

 private:
  explicit LocalNode(front::Host& host);
  kube::Answer<bool> serve(const front::PodStreamCall& call) override;
  front::Measurement measure() const override;

  front::Host& host_;
  ServiceClient client_;
  std::unique_ptr<node::Agent> agent_;
};

}  // namespace fixpoint::cli
