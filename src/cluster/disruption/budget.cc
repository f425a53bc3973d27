// SPDX-License-Identifier: Apache-2.0
#include "cluster/disruption/budget.h"

#include "base/rfc3339.h"
#include "cluster/autoscaling/go_selector.h"
#include "cluster/autoscaling/scale.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/int_or_string.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cluster::disruption {
namespace {

using json::Draft;
using json::View;

const kube::GroupVersionResource kBudgets{"policy", "v1", "poddisruptionbudgets"};
constexpr std::string_view kBudgetPrefix = "poddisruptionbudgets.policy/";
constexpr std::string_view kTarget = "DisruptionTarget";
// An evicted pod that is still there after this time was not evicted.
constexpr auto kDeletionTimeout = std::chrono::minutes(2);
constexpr auto kStaleAfter = std::chrono::minutes(2);

bool is_stale_target(View pod) {
  const View condition = kube::condition_of(pod, kTarget);
  return condition.get("status").as_string() == "True" && is_active(pod) &&
         condition.get("reason").as_string() != "TerminationByKubelet";
}

class BudgetPass {
 public:
  BudgetPass(const BudgetFacts& facts, Instant now)
      : facts_(facts), budget_(facts.budget->body), now_(now), status_(budget_.get("status")) {
    if (!status_.is_object()) status_ = Draft::object();
  }
  Decision decide();

 private:
  Result<void> expect();
  Result<std::int64_t> expected_scale();
  void forget_charges();
  void count_healthy();
  void write_counts();
  void set_condition(bool allowed, std::string_view reason, std::string_view message);
  void write_status();
  void tell(Notice::Type type, std::string reason, std::string message) {
    decision_.notices.push_back({.object = budget_,
                                 .type = type,
                                 .reason = std::move(reason),
                                 .message = std::move(message)});
  }

  const BudgetFacts& facts_;
  View budget_;
  Instant now_;
  Draft status_;
  Decision decision_;
  std::int64_t expected_ = 0;
  std::int64_t desired_ = 0;
  std::int64_t healthy_ = 0;
  std::map<std::string, std::string, std::less<>> charged_;  // pods, and when
};

Decision BudgetPass::decide() {
  if (facts_.pods.empty()) tell(Notice::Type::Normal, "NoPods", "No matching pods found");
  if (const auto told = expect(); !told) {
    tell(Notice::Type::Warning, "CalculateExpectedPodCountFailed",
         "Failed to calculate the number of expected pods: " + told.error().message);
    // Nothing may go while nobody knows.
    status_["disruptionsAllowed"] = 0;
    for (const std::string_view field : {"currentHealthy", "desiredHealthy", "expectedPods"}) {
      if (status_.find(field) == nullptr) status_[field] = 0;
    }
    set_condition(false, "SyncFailed", told.error().message);
    write_status();
    return std::move(decision_);
  }
  forget_charges();
  count_healthy();
  write_counts();
  write_status();
  return std::move(decision_);
}

Result<void> BudgetPass::expect() {
  const View spec = budget_.get("spec");
  const View unavailable = spec.get("maxUnavailable");
  const View available = spec.get("minAvailable");
  if (!unavailable.is_null()) {
    FP_TRY(scale, expected_scale());
    FP_TRY(most,
           kube::scaled_value(kube::IntOrString::from(unavailable), scale, kube::Rounding::Up));
    expected_ = scale;
    desired_ = std::max<std::int64_t>(0, scale - most);
  } else if (available.is_int()) {
    desired_ = available.as_int();
    expected_ = std::ssize(facts_.pods);
  } else if (available.is_string()) {
    FP_TRY(scale, expected_scale());
    FP_TRY(least,
           kube::scaled_value(kube::IntOrString::from(available), scale, kube::Rounding::Up));
    expected_ = scale;
    desired_ = least;
  }
  return {};
}

// The sum over everything that controls one of the pods.
Result<std::int64_t> BudgetPass::expected_scale() {
  std::map<std::string_view, std::int64_t> scales;
  bool unmanaged = false;
  for (const auto& pod : facts_.pods) {
    const auto owner = kube::controller_of(pod->body);
    if (!owner) {
      unmanaged = true;
      continue;
    }
    const auto known = facts_.owners.find(owner->uid);
    if (known == facts_.owners.end()) {
      return fail(ErrorKind::NotFound,
                  fmt::format("found no controllers for pod \"{}\"", kube::name_of(pod->body)));
    }
    if (!known->second) return std::unexpected(known->second.error());
    scales[known->second->uid] = known->second->replicas;
  }
  if (unmanaged) {
    tell(Notice::Type::Warning, "UnmanagedPods",
         fmt::format("Pods selected by this PodDisruptionBudget (selector: {}) were found to be "
                     "unmanaged. As a result, the status of the PDB cannot be calculated "
                     "correctly, which may result in undefined behavior. To account for these pods "
                     "please set \".spec.minAvailable\" field of the PDB to an integer value.",
                     autoscaling::go_selector(budget_.get("spec", "selector"))));
  }
  std::int64_t sum = 0;
  for (const auto& [uid, scale] : scales) sum += scale;
  return sum;
}

void BudgetPass::forget_charges() {
  for (const auto& pod : facts_.pods) {
    const auto name = kube::name_of(pod->body);
    const View charged = budget_.get("status", "disruptedPods", name);
    const auto since = parse_rfc3339(charged.as_string());
    if (kube::being_deleted(pod->body) || !since) continue;
    const Instant until = *since + kDeletionTimeout;
    if (until < now_) {
      const auto ns = kube::namespace_of(budget_);
      decision_.notices.push_back(
          {.object = pod->body,
           .type = Notice::Type::Warning,
           .reason = "NotDeleted",
           .message =
               fmt::format("Pod was expected by PDB {}/{} to be deleted but it wasn't", ns, ns)});
      continue;
    }
    charged_.emplace(name, charged.as_string());
    decision_.again = decision_.again ? std::min(*decision_.again, until) : until;
  }
}

void BudgetPass::count_healthy() {
  for (const auto& pod : facts_.pods) {
    const bool going =
        kube::being_deleted(pod->body) || charged_.contains(kube::name_of(pod->body));
    if (!going && is_ready(pod->body)) ++healthy_;
  }
}

void BudgetPass::write_counts() {
  const auto spare = expected_ <= 0 ? 0 : std::max<std::int64_t>(0, healthy_ - desired_);
  status_["currentHealthy"] = healthy_;
  status_["desiredHealthy"] = desired_;
  status_["expectedPods"] = expected_;
  status_["disruptionsAllowed"] = spare;
  status_["observedGeneration"] = kube::generation_of(budget_);
  status_.erase("disruptedPods");
  for (const auto& [pod, since] : charged_) status_.object_at("disruptedPods")[pod] = since;
  set_condition(spare > 0, spare > 0 ? "SufficientPods" : "InsufficientPods", "");
}

void BudgetPass::set_condition(bool allowed, std::string_view reason, std::string_view message) {
  const std::string_view status = allowed ? "True" : "False";
  const View known = kube::condition_of(budget_, "DisruptionAllowed");
  const bool same = known.get("status").as_string() == status;
  auto made = Draft::object({
      {"type",               "DisruptionAllowed"                                             },
      {"status",             status                                                          },
      {"reason",             reason                                                          },
      {"message",            message                                                         },
      {"lastTransitionTime",
       same ? std::string{known.get("lastTransitionTime").as_string()} : format_seconds(now_)}
  });
  const Draft* observed = status_.find("observedGeneration");
  if (observed != nullptr) made["observedGeneration"] = *observed;
  status_["conditions"] = Draft::array({std::move(made)});
}

void BudgetPass::write_status() {
  const json::Value made = status_.freeze();
  if (made == budget_.get("status")) return;
  Draft budget{budget_};
  budget["status"] = made;
  const json::Value body = budget.freeze();
  decision_.requests.push_back({.request = update_request(kBudgets, body, "status")});
}

}  // namespace

Decision decide(const BudgetFacts& facts, Instant now) {
  return BudgetPass{facts, now}.decide();
}

Decision decide_target(const store::RecordRef& pod, Instant now) {
  Decision decision;
  if (!is_stale_target(pod->body)) return decision;
  const View condition = kube::condition_of(pod->body, kTarget);
  const auto since = parse_rfc3339(condition.get("lastTransitionTime").as_string());
  const Instant until = since.value_or(Instant{}) + kStaleAfter;
  if (until > now) {
    decision.again = until;
    return decision;
  }
  Draft changed{pod->body};
  for (Draft& each : changed.object_at("status").array_at("conditions").elements()) {
    const Draft* type = each.find("type");
    if (type == nullptr || type->as_string() != kTarget) continue;
    auto made = Draft::object({
        {"type",               kTarget            },
        {"status",             "False"            },
        {"lastTransitionTime", format_seconds(now)}
    });
    if (const Draft* observed = each.find("observedGeneration")) {
      made["observedGeneration"] = *observed;
    }
    each = std::move(made);
  }
  const json::Value body = changed.freeze();
  decision.requests.push_back({.request = update_request(kPodResource, body, "status")});
  return decision;
}

namespace {

using autoscaling::read_scale;

// What a ReplicaSet is scaled by is its Deployment, if it has one.
Result<BudgetFacts::Owner> owner_of(const Reader& reader, std::string_view ns,
                                    const kube::OwnerReference& reference) {
  const auto owner_named = [](const kube::OwnerReference& named) {
    return autoscaling::ScaleReference{
        .api_version = named.api_version, .kind = named.kind, .name = named.name};
  };
  FP_TRY(scale, read_scale(reader, ns, owner_named(reference)));
  const auto missing = fail(ErrorKind::NotFound, "");
  if (kube::uid_of(scale.record->body) != reference.uid) return missing;
  const auto above = kube::controller_of(scale.record->body);
  if (reference.kind == "ReplicaSet" && above && above->kind == "Deployment") {
    const auto deployment = read_scale(reader, ns, owner_named(*above));
    if (deployment && kube::uid_of(deployment->record->body) == above->uid) {
      return BudgetFacts::Owner{.uid = above->uid, .replicas = deployment->wanted};
    }
  }
  return BudgetFacts::Owner{.uid = reference.uid, .replicas = scale.wanted};
}

}  // namespace

BudgetController::BudgetController()
    : KeyedController({
          .name = "controllermanager",
          .prefix = kBudgetPrefix,
          .kind = {"policy", "PodDisruptionBudget"},
          .children = {},
          .adopts = {},
          .follows = {kPodPrefix}
}) {}

void BudgetController::begin_with(const Reader& reader, KeyQueue& keys) const {
  reader.snapshot().scan(kPodPrefix, {}, [&](const store::RecordRef& pod) {
    if (is_stale_target(pod->body)) keys.add(pod->key);
    return true;
  });
}

void BudgetController::map(const store::Event& event, const Reader& reader, KeyQueue& keys) const {
  if (event.after && is_stale_target(event.after->body)) keys.add(event.key());
  for (const auto& budget : reader.all(kBudgetPrefix, split_key(event.key()).ns)) {
    const auto selector = kube::LabelSelector::from_object(budget->body.get("spec", "selector"));
    const auto selected = [&](const store::RecordRef& pod) {
      return pod && selector && selector->matches(kube::labels_of(pod->body));
    };
    if (selected(event.before) || selected(event.after)) keys.add(budget->key);
  }
}

Decision BudgetController::pass(const Reader& reader, const Subject& subject, Instant now) const {
  if (!subject.record) return {};
  if (subject.parts.prefix == kPodPrefix) return decide_target(subject.record, now);
  const View budget = subject.record->body;
  const auto selector = kube::LabelSelector::from_object(budget.get("spec", "selector"));
  BudgetFacts facts{.budget = subject.record};
  for (auto& pod : reader.all(kPodPrefix, subject.parts.ns)) {
    if (!selector || !selector->matches(kube::labels_of(pod->body))) continue;
    if (const auto owner = kube::controller_of(pod->body);
        owner && !facts.owners.contains(owner->uid)) {
      auto found = owner_of(reader, subject.parts.ns, *owner);
      // One that is gone is nobody's owner; other errors are to be told.
      if (found || found.error().kind != ErrorKind::NotFound) {
        facts.owners.emplace(owner->uid, std::move(found));
      }
    }
    facts.pods.push_back(std::move(pod));
  }
  return decide(facts, now);
}

}  // namespace fixpoint::cluster::disruption
