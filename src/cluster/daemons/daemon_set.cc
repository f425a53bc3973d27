// SPDX-License-Identifier: Apache-2.0
#include "cluster/daemons/daemon_set.h"

#include "cluster/daemons/daemon_pass.h"
#include "cluster/nodes/pods_by_node.h"
#include "cluster/workloads/claim.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cluster::daemons {
namespace {

using json::Draft;
using json::View;
using Verdict = Placement::Verdict;

const kube::GroupVersionResource kSets{"apps", "v1", "daemonsets"};
constexpr std::string_view kSetPrefix = "daemonsets.apps/";
constexpr std::string_view kGenerationLabel = "pod-template-generation";
constexpr std::string_view kGenerationAnnotation = "deprecated.daemonset.template.generation";
constexpr std::int64_t kDefaultHistory = 10;

// As a real controller pauses before it replaces a pod that failed on a node.
constexpr std::chrono::nanoseconds kFirstPause = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::minutes(15);

Notice found(View set, Notice::Type type, std::string reason, std::string message) {
  return {.object = set, .type = type, .reason = std::move(reason), .message = std::move(message)};
}

}  // namespace

DaemonPass::DaemonPass(const DaemonSetFacts& facts, Instant now)
    : facts_(facts), set_(facts.set->body), now_(now), placement_(set_), pauses_(facts.memory) {
  if (!pauses_.is_object()) pauses_ = Draft::object();
}

std::int64_t DaemonPass::min_ready() const {
  return set_.get("spec", "minReadySeconds").as_int();
}

bool DaemonPass::available(View pod) const {
  return is_available(pod, min_ready(), now_);
}

bool DaemonPass::updated(View pod) const {
  const auto generation = kube::annotation_of(set_, kGenerationAnnotation);
  return kube::label_of(pod, kPodRevisionLabel) == revision_.hash ||
         (!generation.empty() && kube::label_of(pod, kGenerationLabel) == generation);
}

Decision DaemonPass::decide() {
  const auto selector = kube::LabelSelector::from_object(set_.get("spec", "selector"));
  if (kube::being_deleted(set_) || !selector || selector->empty()) return {};
  const auto selects = [&](View child) { return selector->matches(kube::labels_of(child)); };
  auto revisions = claim(set_, kRevisionResource, facts_.revisions, selects);
  auto pods = claim(set_, kPodResource, facts_.pods, selects);
  decision_.requests = std::move(revisions.effects);
  std::ranges::move(pods.effects, std::back_inserter(decision_.requests));
  sort_revisions(revisions.children);
  if (revision_name_was_taken()) {
    note_collision();
    return std::move(decision_);
  }
  revision_ =
      sync_revision(set_, RevisionHash::OfTemplate, set_.get("status", "collisionCount").as_int(),
                    revisions.children, decision_);
  place(pods.children);
  const auto before = decision_.requests.size();
  manage();
  // An update goes on from what there is: what is being made or ended now is not yet there.
  const bool rolling = set_.get("spec", "updateStrategy", "type").as_string() == "RollingUpdate";
  if (rolling && decision_.requests.size() == before) roll();
  truncate(revisions.children, pods.children);
  write_status();
  look_again(next_availability(pods.children, min_ready(), now_));
  if (!pauses_.empty()) decision_.memory = pauses_.freeze();
  return std::move(decision_);
}

bool DaemonPass::revision_name_was_taken() const {
  return facts_.refused && facts_.refused->request.resource == kRevisionResource &&
         reason_of(*facts_.refused) == "AlreadyExists";
}

void DaemonPass::note_collision() {
  Draft set{set_};
  set.object_at("status")["collisionCount"] = set_.get("status", "collisionCount").as_int() + 1;
  const json::Value body = set.freeze();
  decision_.requests.push_back({.request = update_request(kSets, body, "status")});
}

void DaemonPass::look_again(std::optional<Instant> at) {
  if (at) decision_.again = decision_.again ? std::min(*decision_.again, *at) : *at;
}

void DaemonPass::place(const Pods& pods) {
  for (const auto& node : facts_.nodes)
    verdicts_[kube::name_of(node->body)] = placement_.verdict(node->body);
  for (const auto& pod : pods) {
    if (is_finished(pod->body) && kube::being_deleted(pod->body)) continue;
    auto node = target_of(pod->body);
    if (!node.empty()) on_[std::move(node)].push_back(pod);
  }
  // Bound ones first, then by age.
  for (auto& [node, there] : on_) {
    std::ranges::sort(there, {}, [](const store::RecordRef& pod) {
      return std::tuple{pod->body.get("spec", "nodeName").as_string().empty(),
                        kube::creation_timestamp_of(pod->body), kube::name_of(pod->body)};
    });
  }
}

const DaemonPass::Pods& DaemonPass::pods_on(std::string_view node) const {
  static const Pods kNone;
  const auto there = on_.find(node);
  return there == on_.end() ? kNone : there->second;
}

void DaemonPass::manage() {
  std::vector<std::string_view> wanting;
  Pods surplus;
  for (const auto& [node, verdict] : verdicts_) {
    const Pods& there = pods_on(node);
    if (verdict == Verdict::Runs && there.empty()) {
      wanting.push_back(node);
    } else if (verdict == Verdict::Elsewhere) {
      std::ranges::copy_if(there, std::back_inserter(surplus),
                           [](const auto& pod) { return !kube::being_deleted(pod->body); });
    } else {
      sort_out(node, verdict, there, wanting, surplus);
    }
  }
  for (const auto& [node, there] : on_) {
    if (verdicts_.contains(node)) continue;
    std::ranges::copy_if(there, std::back_inserter(surplus), [](const auto& pod) {
      return pod->body.get("spec", "nodeName").as_string().empty();
    });
  }
  create_on(wanting);
  remove(surplus);
}

// A node that has pods: those that ended go, and of the others one stays, or one of each revision.
void DaemonPass::sort_out(std::string_view node, Verdict verdict, const Pods& there,
                          std::vector<std::string_view>& wanting, Pods& surplus) {
  Pods running;
  for (const auto& record : there) {
    const View pod = record->body;
    if (kube::being_deleted(pod)) continue;
    if (phase_of(pod) == "Failed") {
      if (!may_replace_failed(node)) continue;
      decision_.notices.push_back(
          found(set_, Notice::Type::Warning, "FailedDaemonPod",
                fmt::format("Found failed daemon pod {}/{} on node {}, will try to kill it",
                            kube::namespace_of(pod), kube::name_of(pod), node)));
      surplus.push_back(record);
    } else if (phase_of(pod) == "Succeeded") {
      decision_.notices.push_back(
          found(set_, Notice::Type::Normal, "SucceededDaemonPod",
                fmt::format("Found succeeded daemon pod {}/{} on node {}, will try to delete it",
                            kube::namespace_of(pod), kube::name_of(pod), node)));
      surplus.push_back(record);
    } else {
      running.push_back(record);
    }
  }
  if (!surges()) {
    if (running.size() > 1) surplus.insert(surplus.end(), running.begin() + 1, running.end());
    return;
  }
  if (running.empty() && verdict == Verdict::Runs) wanting.push_back(node);
  if (running.size() > 1) keep_one_of_each(running, surplus);
}

void DaemonPass::keep_one_of_each(const Pods& running, Pods& surplus) {
  store::RecordRef young;
  store::RecordRef old;
  for (const auto& pod : running) {
    auto& kept = kube::label_of(pod->body, kPodRevisionLabel) == revision_.hash ? young : old;
    if (kept) {
      surplus.push_back(pod);
    } else {
      kept = pod;
    }
  }
  if (young && old && (!is_ready(old->body) || available(young->body))) surplus.push_back(old);
}

// Notes the pause that follows.
bool DaemonPass::may_replace_failed(std::string_view node) {
  const auto generation = set_.get("status", "observedGeneration").as_int();
  const auto number = [](const Draft& entry, std::string_view field) {
    const Draft* given = entry.find(field);
    return given == nullptr ? 0 : given->as_int();
  };
  std::chrono::nanoseconds pause = kFirstPause;
  if (const Draft* known = pauses_.find(node);
      known != nullptr && number(*known, "generation") == generation) {
    const Instant since{std::chrono::nanoseconds(number(*known, "since"))};
    const std::chrono::nanoseconds last(number(*known, "pause"));
    if (now_ - since < last) {
      look_again(since + last);
      return false;
    }
    if (now_ - since <= 2 * kLongestPause) pause = std::min(2 * last, kLongestPause);
  }
  pauses_[node] = Draft::object({
      {"generation", generation                     },
      {"since",      now_.time_since_epoch().count()},
      {"pause",      std::int64_t{pause.count()}    }
  });
  return true;
}

void DaemonPass::create_on(const std::vector<std::string_view>& nodes) {
  const bool refused = facts_.refused && facts_.refused->request.resource == kPodResource &&
                       facts_.refused->request.verb == apiserver::Verb::Create;
  if (nodes.empty() || refused) return;
  Draft pod = pod_from_template(set_, set_.get("spec", "template"));
  Draft& labels = pod.object_at("metadata").object_at("labels");
  labels[kPodRevisionLabel] = revision_.hash;
  const auto generation = kube::annotation_of(set_, kGenerationAnnotation);
  if (!generation.empty()) labels[kGenerationLabel] = generation;
  pod["spec"] = daemon_spec(set_);
  for (std::size_t i = 0; i < std::min(nodes.size(), kPodsPerPass); ++i) {
    bind_to(pod.object_at("spec"), nodes[i]);
    const json::Value body = pod.freeze();
    decision_.requests.push_back(create_pod(set_, json::to_text(body)));
  }
  if (nodes.size() > kPodsPerPass) decision_.again = now_;
}

void DaemonPass::remove(const Pods& pods) {
  for (std::size_t i = 0; i < std::min(pods.size(), kPodsPerPass); ++i) {
    decision_.requests.push_back(delete_pod(set_, pods[i]->body));
  }
  if (pods.size() > kPodsPerPass) decision_.again = now_;
}

// Beyond the limit the oldest go that no pod is of.
void DaemonPass::truncate(const Pods& sorted, const Pods& pods) {
  std::set<std::string_view> live;
  for (const auto& pod : pods) live.insert(kube::label_of(pod->body, kPodRevisionLabel));
  Pods old;
  std::ranges::copy_if(sorted, std::back_inserter(old), [&](const auto& revision) {
    return kube::name_of(revision->body) != revision_.name;
  });
  auto surplus = std::ssize(old) - set_.get("spec", "revisionHistoryLimit").as_int(kDefaultHistory);
  for (const auto& revision : old) {
    if (surplus <= 0) return;
    if (live.contains(kube::label_of(revision->body, kPodRevisionLabel))) continue;
    decision_.requests.push_back({.request = delete_request(kRevisionResource, revision->body),
                                  .tolerates = Effect::Tolerates::Absence});
    --surplus;
  }
}

void DaemonPass::write_status() {
  std::int64_t desired = 0;
  std::int64_t current = 0;
  std::int64_t misplaced = 0;
  std::int64_t ready = 0;
  std::int64_t fresh = 0;
  std::int64_t served = 0;
  for (const auto& [node, verdict] : verdicts_) {
    const Pods& there = pods_on(node);
    if (verdict != Verdict::Runs) {
      misplaced += there.empty() ? 0 : 1;
      continue;
    }
    ++desired;
    if (there.empty()) continue;
    ++current;
    const View pod = there.front()->body;
    if (is_ready(pod)) ++ready;
    if (available(pod)) ++served;
    if (updated(pod)) ++fresh;
  }
  Draft status{set_.get("status")};
  if (!status.is_object()) status = Draft::object();
  const auto set_count = [&](std::string_view field, std::int64_t count) {
    if (count == 0) {
      status.erase(field);
    } else {
      status[field] = count;
    }
  };
  status["observedGeneration"] = kube::generation_of(set_);
  status["desiredNumberScheduled"] = desired;
  status["currentNumberScheduled"] = current;
  status["numberMisscheduled"] = misplaced;
  status["numberReady"] = ready;
  set_count("updatedNumberScheduled", fresh);
  set_count("numberAvailable", served);
  set_count("numberUnavailable", desired - served);
  const json::Value made = status.freeze();
  if (made == set_.get("status")) return;
  Draft set{set_};
  set["status"] = made;
  const json::Value body = set.freeze();
  decision_.requests.push_back({.request = update_request(kSets, body, "status")});
}

Decision decide(const DaemonSetFacts& facts, Instant now) {
  return DaemonPass{facts, now}.decide();
}

DaemonSetController::DaemonSetController()
    : KeyedController({
          .name = "daemonset-controller",
          .prefix = kSetPrefix,
          .kind = {"apps", "DaemonSet"},
          .children = {kPodPrefix},
          .adopts = {kPodPrefix},
          .follows = {nodes::kNodes}
}) {}

// A node that comes, goes, or changes what pods may run on it.
void DaemonSetController::map(const store::Event& event, const Reader& reader,
                              KeyQueue& keys) const {
  if (event.before && event.after) {
    const View before = event.before->body;
    const View after = event.after->body;
    if (kube::labels_of(before) == kube::labels_of(after) &&
        before.get("spec", "taints") == after.get("spec", "taints")) {
      return;
    }
  }
  reader.snapshot().scan(kSetPrefix, {}, [&](const store::RecordRef& set) {
    keys.add(set->key);
    return true;
  });
}

Decision DaemonSetController::pass(const Reader& reader, const Subject& subject,
                                   Instant now) const {
  if (!subject.record) return {};
  const auto uid = kube::uid_of(subject.record->body);
  const auto ns = subject.parts.ns;
  DaemonSetFacts facts{.set = subject.record,
                       .pods = reader.controlled(uid, kPodPrefix),
                       .revisions = reader.controlled(uid, kRevisionPrefix),
                       .nodes = reader.all(nodes::kNodes, {}),
                       .refused = subject.refused,
                       .memory = subject.memory};
  std::ranges::copy(reader.orphans(kPodPrefix, ns), std::back_inserter(facts.pods));
  std::ranges::copy(reader.orphans(kRevisionPrefix, ns), std::back_inserter(facts.revisions));
  return decide(facts, now);
}

}  // namespace fixpoint::cluster::daemons
