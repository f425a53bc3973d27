// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/simulated_nodes.h"

#include "base/error.h"
#include "cluster/decision.h"
#include "cluster/workloads/pod_template.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <fmt/format.h>

namespace fixpoint::cluster::nodes {
namespace {

// Nodes registered in one step: a millisecond or two of work.
constexpr int kNodesPerStep = 16;

std::string address_of(json::View node) {
  for (const json::View one : node.get("status", "addresses").elements()) {
    if (one.get("type").as_string() == "InternalIP") {
      return std::string{one.get("address").as_string()};
    }
  }
  return "127.0.0.1";
}

}  // namespace

void SimulatedNodes::begin(Api& api) {
  for (const auto prefix : {kNodes, kPods}) {
    api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
      observe({.revision = record->modified, .before = {}, .after = record, .last = {}});
      return true;
    });
  }
}

void SimulatedNodes::observe(const store::Event& event) {
  const auto prefix = split_key(event.key()).prefix;
  if (prefix == kNodes) return see_node(event);
  if (prefix != kPods) return;
  pods_.observe(event);
  see_pod(event);
}

void SimulatedNodes::see_node(const store::Event& event) {
  const std::string name{split_key(event.key()).name};
  if (!event.after || !is_simulated(event.after->body)) {
    hosts_.erase(name);
    return;
  }
  const json::View node = event.after->body;
  const auto known = hosts_.find(name);
  const bool was_up = known != hosts_.end() && !known->second.down;
  hosts_[name] = {.address = address_of(node), .down = is_down(node)};
  if (!is_down(node) && !kube::condition_is_true(node, "Ready")) ill_.add(event.key());
  if (was_up || is_down(node)) return;
  for (const auto& key : pods_.on(name)) queue_.add(key);
}

void SimulatedNodes::see_pod(const store::Event& event) {
  if (!event.after) {
    planned_.erase(event.key());
    deadlines_.clear(event.key());
    const auto address = event.before->body.get("status", "podIP").as_string();
    if (const auto number = number_of_address(address)) addresses_.erase(*number);
    return;
  }
  const json::View pod = event.after->body;
  if (!hosts_.contains(node_of(pod))) return;
  const auto number = number_of_address(pod.get("status", "podIP").as_string());
  if (number) addresses_.insert(*number);
  queue_.add(event.key());
}

bool SimulatedNodes::register_some(Api& api) {
  if (registered_ == options_.nodes) return false;
  for (int i = 0; i < kNodesPerStep && registered_ < options_.nodes; ++i) {
    const auto node = simulated_node(registered_++, api.now());
    if (api.latest().find(node_key(kube::name_of(node)))) continue;
    // Nothing but a name taken in the meantime refuses it, and then it is there.
    (void)api.call(create_request(kNodeResource, node));
  }
  return true;
}

bool SimulatedNodes::step(Api& api) {
  if (register_some(api)) return true;
  if (const auto key = ill_.take()) {
    recover(api, *key);
    return true;
  }
  while (auto key = deadlines_.take(api.now())) queue_.add(*std::move(key));
  const auto key = queue_.take();
  if (!key) return false;
  look(api, *key);
  return true;
}

void SimulatedNodes::recover(Api& api, const std::string& key) {
  const auto node = api.latest().find(key);
  if (!node || is_down(node->body)) return;
  const auto well = recovered(node->body, api.now());
  // A conflict comes back as an event.
  if (well) (void)api.call(update_request(kNodeResource, *well, "status"));
}

void SimulatedNodes::look(Api& api, const std::string& key) {
  const auto pod = api.latest().find(key);
  if (!pod) return;
  const auto host = hosts_.find(node_of(pod->body));
  if (host == hosts_.end() || host->second.down) return;
  const auto next = next_step(pod->body, options_);
  if (next.kind == PodStep::Kind::Nothing || !due(api, key, next)) return;
  planned_.erase(key);
  act(api, pod, host->second, next.kind);
}

bool SimulatedNodes::due(Api& api, const std::string& key, const PodStep& step) {
  if (step.after <= Duration::zero()) return true;
  auto& planned = planned_[key];
  if (planned.kind != step.kind) {
    planned = {.kind = step.kind, .due = api.now() + step.after};
    deadlines_.set(key, planned.due);
  }
  return planned.due <= api.now();
}

void SimulatedNodes::act(Api& api, const store::RecordRef& pod, const Host& host,
                         PodStep::Kind kind) {
  using Kind = PodStep::Kind;
  switch (kind) {
    case Kind::Nothing: return;
    case Kind::Remove: {
      const auto response =
          api.call(delete_request(kPodResource, pod->body, std::chrono::seconds(0)));
      if (!response.ok() && response.code != 404) {
        deadlines_.set(pod->key, api.now() + kTryAgain);
      }
      return;
    }
    case Kind::Start: {
      const auto number = take_address();
      const auto address = pod_address(number);
      const PodPlace place{.host_ip = host.address, .pod_ip = address};
      if (!write_status(api, pod, started_status(pod->body, place, api.now()))) {
        addresses_.erase(number);
        return;
      }
      return recorder_.tell(
          api, {.object = pod->body,
                .type = Notice::Type::Normal,
                .reason = "Simulated",
                .message = fmt::format("No process runs for this pod: node {} is simulated",
                                       node_of(pod->body))});
    }
    case Kind::Recover: write_status(api, pod, recovered_status(pod->body, api.now())); return;
    case Kind::End: write_status(api, pod, ended_status(pod->body, api.now())); return;
    case Kind::Restart: write_status(api, pod, restarted_status(pod->body, api.now())); return;
  }
}

bool SimulatedNodes::write_status(Api& api, const store::RecordRef& pod,
                                  const json::Value& status) {
  json::Draft changed{pod->body};
  changed["status"] = status;
  // Through /status nobody may say who owns what; so it is not worth its bytes.
  changed.object_at("metadata").erase("managedFields");
  const json::Value body = changed.freeze();
  const auto response = api.call(update_request(kPodResource, body, "status"));
  // A conflict comes back as an event, and so does the end of the pod.
  if (!response.ok() && response.code != 404 && response.code != 409) {
    deadlines_.set(pod->key, api.now() + kTryAgain);
  }
  return response.ok();
}

std::uint32_t SimulatedNodes::take_address() {
  FP_CHECK(addresses_.size() < kPodAddresses - 1);
  do {
    last_address_ = (last_address_ + 1) % kPodAddresses;
  } while (last_address_ == 0 || addresses_.contains(last_address_));
  addresses_.insert(last_address_);
  return last_address_;
}

}  // namespace fixpoint::cluster::nodes
