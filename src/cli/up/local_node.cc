// SPDX-License-Identifier: Apache-2.0
#include "cli/up/local_node.h"

#include "kube/meta/metadata.h"
#include "node/process/usage.h"
#include "node/remote/pod_requests.h"

#include <utility>

namespace fixpoint::cli {
namespace {

constexpr Duration kPodsStopGrace = std::chrono::milliseconds(1'500);

}  // namespace

LocalNode::LocalNode(front::Host& host) : host_(host), client_(host.service()) {}

LocalNode::~LocalNode() {
  host_.ask_about_pods(nullptr);
  host_.ask_about_usage(nullptr);
}

Result<std::unique_ptr<LocalNode>> LocalNode::open(front::Host& host, const runtime::Log& log,
                                                   node::NodeOptions options) {
  std::unique_ptr<LocalNode> local(new LocalNode(host));
  auto agent =
      node::Agent::open({host.service().loop(), local->client_.client(), log}, std::move(options));
  if (!agent) return std::unexpected(std::move(agent).error());
  local->agent_ = *std::move(agent);
  host.ask_about_pods(local.get());
  host.ask_about_usage(local.get());
  return local;
}

void LocalNode::stop(std::function<void()> done) {
  agent_->stop(kPodsStopGrace, std::move(done));
}

front::Measurement LocalNode::measure() const {
  front::Measurement measured;
  measured.node = agent_->name();
  if (const auto use = node::use_of_machine()) {
    measured.machine = {.cpu = use->cpu, .memory_bytes = use->memory_bytes};
  }
  agent_->each_use([&](std::string_view uid, std::string_view container, const node::Use& use) {
    measured.pods[std::string{uid}][std::string{container}] = {.cpu = use.cpu,
                                                               .memory_bytes = use.memory_bytes};
  });
  return measured;
}

kube::Answer<bool> LocalNode::serve(const front::PodStreamCall& call) {
  if (!agent_->has_pod(kube::uid_of(call.pod))) return false;
  auto& loop = host_.service().loop();
  const node::PodRequest request{
      .pod = call.pod,
      .container = std::string{call.request.parameter("container")},
      .query = call.request.query,
      .ask = {.request = call.asked, .answer = call.headers, .exchange = call.exchange}
  };
  const std::string_view what = call.request.subresource;
  if (what == "log") {
    const auto served = node::serve_log(loop, *agent_, request);
    if (!served) return std::unexpected(kube::bad_request(served.error().message));
    return true;
  }
  if (!call.asked.has_token("connection", "upgrade")) {
    return std::unexpected(kube::bad_request("Upgrade request required"));
  }
  if (what == "exec") {
    node::serve_exec(loop, *agent_, request);
  } else if (what == "portforward") {
    node::serve_port_forward(loop, *agent_, request);
  } else {
    node::serve_attach(loop, *agent_, request);
  }
  return true;
}

}  // namespace fixpoint::cli
