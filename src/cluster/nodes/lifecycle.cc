// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/lifecycle.h"

#include "base/rfc3339.h"
#include "cluster/decision.h"
#include "cluster/nodes/health.h"
#include "cluster/nodes/simulation.h"
#include "cluster/workloads/pod_template.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <fmt/format.h>

namespace fixpoint::cluster::nodes {
namespace {

constexpr std::string_view kLeases = "leases.coordination.k8s.io/";
constexpr std::string_view kLeaseNamespace = "kube-node-lease";
// Pods marked in one step: a few milliseconds of work.
constexpr int kMarksPerStep = 50;

bool node_is_ready(json::View node) {
  return kube::condition_is_true(node, "Ready");
}

// Events about nodes name them by uid, as a real controller does.
Notice about(const json::Value& node, std::string_view reason, std::string message) {
  return {.object = node,
          .type = Notice::Type::Normal,
          .reason = std::string{reason},
          .message = std::move(message)};
}

json::Value not_ready_patch(json::View pod, Instant now) {
  json::Draft condition{kube::condition_of(pod, "Ready")};
  condition["status"] = "False";
  condition["lastTransitionTime"] = format_seconds(now);
  return json::Draft::object(
             {
                 {"status", json::Draft::object(
                                {{"conditions", json::Draft::array({std::move(condition)})}})}
  })
      .freeze();
}

}  // namespace

void NodeLifecycle::begin(Api& api) {
  for (const auto prefix : {kPods, kNodes}) {
    api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
      pods_.observe({.revision = record->modified, .before = {}, .after = record, .last = {}});
      if (prefix == kNodes) queue_.add(record->key);
      return true;
    });
  }
}

void NodeLifecycle::observe(const store::Event& event) {
  pods_.observe(event);
  const auto parts = split_key(event.key());
  if (parts.prefix == kNodes) {
    queue_.add(event.key());
    const json::View node = event.after ? event.after->body : event.before->body;
    // Thousands of simulated nodes coming at once are not worth an Event each.
    if ((!event.before || !event.after) && !is_simulated(node)) {
      comings_and_goings_.push_back(event);
    }
  } else if (parts.prefix == kLeases && parts.ns == kLeaseNamespace) {
    queue_.add(node_key(parts.name));
  } else if (parts.prefix == kPods && event.after) {
    // A pod that came to, or recovered on, a node that was given up.
    const auto node = node_of(event.after->body);
    if (!node.empty() && given_up_.contains(node)) queue_.add(node_key(node));
  }
}

void NodeLifecycle::announce(Api& api) {
  for (const auto& event : std::exchange(comings_and_goings_, {})) {
    const json::Value node = event.after ? event.after->body : event.before->body;
    const auto name = kube::name_of(node);
    recorder_.tell(
        api, event.after
                 ? about(node, "RegisteredNode",
                         fmt::format("Node {0} event: Registered Node {0} in Controller", name))
                 : about(node, "RemovingNode",
                         fmt::format("Node {0} event: Removing Node {0} from Controller", name)));
  }
}

bool NodeLifecycle::step(Api& api) {
  while (auto due = deadlines_.take(api.now())) queue_.add(*std::move(due));
  announce(api);
  const auto key = queue_.take();
  if (!key) return false;
  look(api, *key);
  return true;
}

void NodeLifecycle::look(Api& api, const std::string& key) {
  const auto record = api.latest().find(key);
  const std::string name{split_key(key).name};
  if (!record) {
    signs_.erase(name);
    given_up_.erase(name);
    return deadlines_.clear(key);
  }
  const json::Value node = record->body;
  if (give_up_if_silent(api, key, node)) return;
  if (const auto changed = tainted(node, api.now())) {
    const auto request = update_request(kNodeResource, *changed);
    if (!api.call(request).ok()) deadlines_.set(key, api.now() + kTryAgain);
    return;  // its own event brings the node back
  }
  const bool unknown = kube::condition_of(node, "Ready").get("status").as_string() == "Unknown";
  if (!unknown) {
    given_up_.erase(name);
    return;
  }
  given_up_.insert(name);
  mark_pods_not_ready(api, key, node);
}

Instant NodeLifecycle::last_sign(Api& api, const json::Value& node) {
  const std::string name{kube::name_of(node)};
  const auto lease = api.latest().find(fmt::format("{}{}/{}", kLeases, kLeaseNamespace, name));
  const auto renewed =
      lease ? lease->body.get("spec", "renewTime").as_string() : std::string_view{};
  const auto beat = kube::condition_of(node, "Ready").get("lastHeartbeatTime").as_string();
  auto [at, fresh] = signs_.try_emplace(name);
  Sign& sign = at->second;
  if (fresh || sign.lease != renewed || sign.heartbeat != beat) {
    sign = {.lease = std::string{renewed}, .heartbeat = std::string{beat}, .seen = api.now()};
  }
  return sign.seen;
}

bool NodeLifecycle::give_up_if_silent(Api& api, const std::string& key, const json::Value& node) {
  if (is_simulated(node) && !is_down(node)) {
    signs_.erase(std::string{kube::name_of(node)});
    deadlines_.clear(key);
    return false;
  }
  const Instant due = given_up_at(node, last_sign(api, node));
  if (api.now() < due) {
    deadlines_.set(key, due);
    return false;
  }
  const auto changed = silent(node, api.now());
  if (!changed) return false;
  if (!api.call(update_request(kNodeResource, *changed, "status")).ok()) {
    deadlines_.set(key, api.now() + kTryAgain);
    return true;
  }
  if (node_is_ready(node)) {
    recorder_.tell(api,
                   about(node, "NodeNotReady",
                         fmt::format("Node {} status is now: NodeNotReady", kube::name_of(node))));
  }
  return true;
}

void NodeLifecycle::mark_pods_not_ready(Api& api, const std::string& key, const json::Value& node) {
  int marked = 0;
  for (const auto& pod_key : pods_.on(kube::name_of(node))) {
    const auto pod = api.latest().find(pod_key);
    if (!pod || !kube::condition_is_true(pod->body, "Ready")) continue;
    if (++marked > kMarksPerStep) return queue_.add(key);
    const auto patch = not_ready_patch(pod->body, api.now());
    auto request = patch_request(kPodResource, pod->body, patch);
    request.subresource = "status";
    if (!api.call(request).ok()) continue;
    recorder_.tell(api, {.object = pod->body,
                         .type = Notice::Type::Warning,
                         .reason = "NodeNotReady",
                         .message = "Node is not ready"});
  }
}

}  // namespace fixpoint::cluster::nodes
