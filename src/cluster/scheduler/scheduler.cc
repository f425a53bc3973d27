// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler/scheduler.h"

#include "base/rfc3339.h"
#include "cluster/decision.h"
#include "cluster/loops/namespace_controller.h"
#include "cluster/nodes/pods_by_node.h"
#include "cluster/storage/match.h"
#include "cluster/storage/names.h"
#include "cluster/workloads/pod_template.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster::scheduler {
namespace {

using json::Draft;
using nodes::is_over;
using nodes::kNodes;
using nodes::kPods;
using storage::kClaims;
using storage::kClasses;
using storage::kVolumes;

// Longer messages of Events are refused; conditions have room.
constexpr std::size_t kEventBytesMax = 1024;

bool wants_node(json::View pod) {
  const json::View spec = pod.get("spec");
  return spec.get("nodeName").as_string().empty() && !kube::being_deleted(pod) && !is_over(pod) &&
         spec.get("schedulingGates").empty() &&
         spec.get("schedulerName").as_string() == kSchedulerName;
}

// Heartbeats change a node's status all the time and nothing for pods.
bool offers_the_same(json::View before, json::View after) {
  return before.get("spec") == after.get("spec") &&
         before.get("status", "allocatable") == after.get("status", "allocatable") &&
         kube::labels_of(before) == kube::labels_of(after);
}

bool is_free(json::View volume) {
  return volume.get("status", "phase").as_string() == "Available" && !kube::being_deleted(volume);
}

std::string claim_key(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

json::Value body_of(const store::RecordRef& record) {
  return record ? record->body : json::Value{};
}

// Nothing when the pod says so already.
std::optional<json::Value> condition_patch(json::View pod, std::string_view why, Instant now) {
  const json::View known = kube::condition_of(pod, "PodScheduled");
  const bool was_false = known.get("status").as_string() == "False";
  if (was_false && known.get("reason").as_string() == "Unschedulable" &&
      known.get("message").as_string() == why) {
    return std::nullopt;
  }
  auto condition = Draft::object({
      {"type",               "PodScheduled"                                           },
      {"status",             "False"                                                  },
      {"reason",             "Unschedulable"                                          },
      {"message",            why                                                      },
      {"lastProbeTime",      Draft{}                                                  },
      {"lastTransitionTime",
       was_false ? Draft{known.get("lastTransitionTime")} : Draft{format_seconds(now)}}
  });
  if (const auto generation = kube::generation_of(pod); generation > 0) {
    condition["observedGeneration"] = generation;
  }
  return Draft::object(
             {
                 {"status", Draft::object({{"conditions", Draft::array({std::move(condition)})}})}
  })
      .freeze();
}

apiserver::Request binding_request(json::View pod, std::string_view node) {
  const auto ns = kube::namespace_of(pod);
  auto request = request_for(kPodResource, apiserver::Verb::Create, ns, kube::name_of(pod));
  request.subresource = "binding";
  request.user_agent = "kube-scheduler";
  const auto body =
      Draft::object({
                        {"apiVersion", "v1"                                                                         },
                        {"kind",       "Binding"                                                                    },
                        {"metadata",   Draft::object({{"name", kube::name_of(pod)},
                                                    {"namespace", ns},
                                                    {"uid", kube::uid_of(pod)}})},
                        {"target",     Draft::object({{"kind", "Node"}, {"name", node}})                            }
  })
          .freeze();
  request.body = json::to_text(body);
  return request;
}

apiserver::Request select_node(json::View claim, std::string_view node) {
  const auto patch =
      Draft::object(
          {
              {"metadata",
               Draft::object({{"annotations", Draft::object({{storage::kSelectedNode, node}})}})}
  })
          .freeze();
  return patch_request(storage::kClaimResource, claim, patch);
}

}  // namespace

void Scheduler::begin(Api& api) {
  for (const auto prefix : {kNamespaces, kNodes, kVolumes, kPods}) {
    api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
      observe({.revision = record->modified, .before = {}, .after = record, .last = {}});
      return true;
    });
  }
}

void Scheduler::observe(const store::Event& event) {
  const auto parts = split_key(event.key());
  if (parts.prefix == kPods) {
    see_pod(event.key(), event.before, event.after);
  } else if (parts.prefix == kNodes) {
    see_node(event.before, event.after);
  } else if (parts.prefix == kClaims) {
    queue_.stir_claim(claim_key(parts.ns, parts.name));
  } else if (parts.prefix == kVolumes) {
    see_volume(event.before, event.after);
  } else if (parts.prefix == kClasses) {
    queue_.stir(Change::Volumes);
  } else if (parts.prefix == kNamespaces) {
    if (event.after) {
      board_.set_namespace(parts.name, json::Value{kube::labels_of(event.after->body)});
    } else {
      board_.remove_namespace(parts.name);
    }
  }
}

void Scheduler::see_pod(const std::string& key, const store::RecordRef& before,
                        const store::RecordRef& after) {
  const bool gone = !after || is_over(after->body);
  const auto node = gone ? std::string_view{} : after->body.get("spec", "nodeName").as_string();
  if (!node.empty()) {
    queue_.remove(key);
    board_.place(key, after->body, node);
    const bool placed_before = before && !before->body.get("spec", "nodeName").as_string().empty();
    if (!placed_before || !(kube::labels_of(before->body) == kube::labels_of(after->body))) {
      queue_.stir(Change::Neighbours);
    }
    return;
  }
  if (gone || !wants_node(after->body)) {
    queue_.remove(key);
    if (!board_.node_of(key).empty()) {
      board_.remove(key);
      queue_.stir(Change::Room);
    }
    return;
  }
  // What the scheduler wrote itself into the status is no reason to try again.
  const bool news = !before || !(before->body.get("spec") == after->body.get("spec")) ||
                    !(kube::labels_of(before->body) == kube::labels_of(after->body));
  if (news) queue_.add(key, after->body.get("spec", "priority").as_int());
}

void Scheduler::see_node(const store::RecordRef& before, const store::RecordRef& after) {
  if (!after) return board_.remove_node(kube::name_of(before->body));
  if (before && offers_the_same(before->body, after->body)) return;
  board_.set_node(after->body);
  queue_.stir(Change::Room);
}

void Scheduler::see_volume(const store::RecordRef& before, const store::RecordRef& after) {
  if (before) {
    const auto known = free_volumes_.find(storage::class_of(before->body));
    if (known != free_volumes_.end()) {
      known->second.erase(std::string{kube::name_of(before->body)});
      if (known->second.empty()) free_volumes_.erase(known);
    }
  }
  if (!after || !is_free(after->body)) return;
  free_volumes_[std::string{storage::class_of(after->body)}].emplace(kube::name_of(after->body));
  queue_.stir(Change::Volumes);
}

VolumeSource Scheduler::source(const store::Snapshot& snapshot) const {
  const auto volume = [&snapshot](std::string_view name) {
    return body_of(snapshot.find(fmt::format("{}/{}", kVolumes, name)));
  };
  return {.claim =
              [&snapshot](std::string_view ns, std::string_view name) {
                return body_of(snapshot.find(fmt::format("{}{}/{}", kClaims, ns, name)));
              },
          .volume = volume,
          .storage_class =
              [&snapshot](std::string_view name) {
                return body_of(snapshot.find(fmt::format("{}/{}", kClasses, name)));
              },
          .candidates =
              [this, volume](json::View claim) {
                std::vector<json::Value> found;
                const auto known = free_volumes_.find(storage::class_of(claim));
                if (known == free_volumes_.end()) return found;
                for (const auto& name : known->second) {
                  if (auto body = volume(name); !body.is_null()) found.push_back(std::move(body));
                }
                return storage::candidates(found, claim);
              }};
}

bool Scheduler::step(Api& api) {
  const auto key = queue_.take(api.now());
  if (!key) return false;
  const auto pod = api.latest().find(*key);
  if (!pod || !wants_node(pod->body)) {
    queue_.remove(*key);
    return true;
  }
  schedule(api, pod);
  return true;
}

void Scheduler::schedule(Api& api, const store::RecordRef& pod) {
  board_.remove(pod->key);  // where it was to go while it waited for its claims
  const auto volumes = VolumeNeeds::of(pod->body, source(api.latest()));
  const auto verdict = pick(pod->body, volumes, board_, turn_);
  if (verdict.node.empty()) return refuse(api, pod, volumes, verdict.why);
  board_.place(pod->key, pod->body, verdict.node);
  if (prepare_volumes(api, volumes, verdict.node)) {
    std::vector<std::string> claims;
    for (const auto& one : volumes.waiting) {
      claims.push_back(claim_key(kube::namespace_of(one.claim), kube::name_of(one.claim)));
    }
    return queue_.wait_for_claims(pod->key, claims);
  }
  bind(api, pod, verdict.node);
}

bool Scheduler::prepare_volumes(Api& api, const VolumeNeeds& volumes, const std::string& node) {
  const NodeState* state = board_.find(node);
  if (volumes.waiting.empty() || state == nullptr) return false;
  for (const auto& step : volumes.steps_on(state->body)) {
    if (!step.volume.is_null()) {
      // A refusal means that either changed; the news of that bring the pod back.
      if (!storage::kept_for(step.volume, step.claim)) {
        (void)api.call(storage::keep_request(step.volume, step.claim));
      }
    } else if (kube::annotation_of(step.claim, storage::kSelectedNode).empty()) {
      (void)api.call(select_node(step.claim, node));
    }
  }
  return true;
}

void Scheduler::bind(Api& api, const store::RecordRef& pod, const std::string& node) {
  const auto response = api.call(binding_request(pod->body, node));
  if (response.ok()) {
    queue_.remove(pod->key);
    tell(api, pod->body, Notice::Type::Normal, "Scheduled",
         fmt::format("Successfully assigned {}/{} to {}", kube::namespace_of(pod->body),
                     kube::name_of(pod->body), node));
    return;
  }
  board_.remove(pod->key);
  // Gone, or bound by somebody else: the news of that are on their way.
  if (response.code == 404 || response.code == 409) return queue_.remove(pod->key);
  tell(api, pod->body, Notice::Type::Warning, "FailedScheduling",
       std::string{response.body.get("message").as_string()});
  queue_.wait(pod->key, {}, api.now());
  queue_.stir(Change::Room);
}

void Scheduler::refuse(Api& api, const store::RecordRef& pod, const VolumeNeeds& volumes,
                       const std::string& why) {
  const auto needs = PodNeeds::of(pod->body);
  Queue::Interest interest{.neighbours = !needs.near.empty() || !needs.must_spread.empty(),
                           .volumes = !volumes.claims.empty(),
                           .claims = {}};
  for (const auto& claim : volumes.claims) interest.claims.push_back(claim_key(needs.ns, claim));
  queue_.wait(pod->key, std::move(interest), api.now());
  tell(api, pod->body, Notice::Type::Warning, "FailedScheduling", why.substr(0, kEventBytesMax));
  const auto patch = condition_patch(pod->body, why, api.now());
  if (!patch) return;
  auto request = patch_request(kPodResource, pod->body, *patch);
  request.subresource = "status";
  request.user_agent = "kube-scheduler";
  // Refused means gone or replaced: then nobody needs to know.
  (void)api.call(request);
}

void Scheduler::tell(Api& api, const json::Value& pod, Notice::Type type, std::string_view reason,
                     std::string message) {
  recorder_.tell(
      api,
      {.object = pod, .type = type, .reason = std::string{reason}, .message = std::move(message)});
}

}  // namespace fixpoint::cluster::scheduler
