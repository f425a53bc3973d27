// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes/eviction.h"

#include "base/rfc3339.h"
#include "cluster/decision.h"
#include "cluster/nodes/health.h"
#include "cluster/workloads/pod_template.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <fmt/format.h>

namespace fixpoint::cluster::nodes {
namespace {

std::string named(json::View pod) {
  return fmt::format("{}/{}", kube::namespace_of(pod), kube::name_of(pod));
}

// Worth a look: it came to a node, is leaving, or tolerates other things than before.
bool concerns(const store::Event& event) {
  if (!event.before) return true;
  const json::View before = event.before->body;
  const json::View after = event.after->body;
  return node_of(before) != node_of(after) ||
         kube::being_deleted(before) != kube::being_deleted(after) ||
         !(before.get("spec", "tolerations") == after.get("spec", "tolerations"));
}

apiserver::Request status_request(json::View pod, json::View patch) {
  auto request = patch_request(kPodResource, pod, patch);
  request.subresource = "status";
  return request;
}

}  // namespace

void PodEviction::begin(Api& api) {
  api.latest().scan(kPods, {}, [&](const store::RecordRef& record) {
    pods_.observe({.revision = record->modified, .before = {}, .after = record, .last = {}});
    queue_.add(record->key);
    return true;
  });
}

void PodEviction::observe(const store::Event& event) {
  pods_.observe(event);
  const auto parts = split_key(event.key());
  if (parts.prefix == kPods) {
    if (!event.after) {
      doomed_.erase(event.key());
      deadlines_.clear(event.key());
      const auto node = node_of(event.before->body);
      if (pods_.on(node).empty()) missing_since_.erase(std::string{node});
    } else if (concerns(event)) {
      queue_.add(event.key());
    }
    return;
  }
  if (parts.prefix != kNodes) return;
  const bool came_or_went = !event.before || !event.after;
  if (came_or_went ||
      !(event.before->body.get("spec", "taints") == event.after->body.get("spec", "taints"))) {
    for (const auto& key : pods_.on(parts.name)) queue_.add(key);
  }
}

bool PodEviction::step(Api& api) {
  while (auto due = deadlines_.take(api.now())) queue_.add(*std::move(due));
  const auto key = queue_.take();
  if (!key) return false;
  look(api, *key);
  return true;
}

void PodEviction::look(Api& api, const std::string& key) {
  const auto pod = api.latest().find(key);
  if (!pod) return;
  const auto node = node_of(pod->body);
  if (node.empty()) return collect_if_stuck(api, pod);
  const auto record = api.latest().find(node_key(node));
  if (!record) return collect_if_orphaned(api, pod);
  missing_since_.erase(std::string{node});
  if (kube::being_deleted(pod->body)) return;
  const auto leaves = leaves_at(pod->body, record->body, api.now());
  if (!leaves) return cancel(api, pod);
  if (*leaves <= api.now()) return evict(api, pod);
  doomed_.insert(key);
  deadlines_.set(key, *leaves);
}

// Only a finalizer keeps such a pod: it is at least no longer waited for.
void PodEviction::collect_if_stuck(Api& api, const store::RecordRef& pod) {
  if (!kube::being_deleted(pod->body) || is_over(pod->body)) return;
  const auto since = parse_rfc3339(kube::deletion_timestamp_of(pod->body));
  const Instant due = (since ? *since : api.now()) + kCollectsEvery;
  if (api.now() < due) return deadlines_.set(pod->key, due);
  force_delete(api, pod, json::Value{});
}

void PodEviction::collect_if_orphaned(Api& api, const store::RecordRef& pod) {
  const auto since =
      missing_since_.try_emplace(std::string{node_of(pod->body)}, api.now()).first->second;
  if (api.now() < since + kQuarantine) return deadlines_.set(pod->key, since + kQuarantine);
  force_delete(
      api, pod,
      disruption_patch(pod->body, "DeletionByPodGC", "PodGC: node no longer exists", api.now()));
}

// Nobody will ever end such a pod: its last state is written for it.
void PodEviction::force_delete(Api& api, const store::RecordRef& pod, const json::Value& status) {
  if (!is_over(pod->body)) {
    json::Draft patch{status};
    if (patch.is_null()) patch = json::Draft::object();
    patch.object_at("status")["phase"] = "Failed";
    const json::Value body = patch.freeze();
    if (!api.call(status_request(pod->body, body)).ok()) {
      return deadlines_.set(pod->key, api.now() + kTryAgain);
    }
  }
  const auto response = api.call(delete_request(kPodResource, pod->body, std::chrono::seconds(0)));
  if (!response.ok() && response.code != 404) deadlines_.set(pod->key, api.now() + kTryAgain);
}

void PodEviction::evict(Api& api, const store::RecordRef& pod) {
  doomed_.erase(pod->key);
  recorder_.tell(api, {.object = pod->body,
                       .type = Notice::Type::Normal,
                       .reason = "TaintManagerEviction",
                       .message = "Marking for deletion Pod " + named(pod->body)});
  const auto patch = disruption_patch(pod->body, "DeletionByTaintManager",
                                      "Taint manager: deleting due to NoExecute taint", api.now());
  (void)api.call(status_request(pod->body, patch));  // said if it can be
  const auto response = api.call(delete_request(kPodResource, pod->body));
  if (!response.ok() && response.code != 404) deadlines_.set(pod->key, api.now() + kTryAgain);
}

void PodEviction::cancel(Api& api, const store::RecordRef& pod) {
  deadlines_.clear(pod->key);
  if (doomed_.erase(pod->key) == 0) return;
  recorder_.tell(api, {.object = pod->body,
                       .type = Notice::Type::Normal,
                       .reason = "TaintManagerEviction",
                       .message = "Cancelling deletion of Pod " + named(pod->body)});
}

}  // namespace fixpoint::cluster::nodes
