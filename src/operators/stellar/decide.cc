// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/decide.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "operators/stellar/canary.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::operators::stellar {
namespace {

using runtime::ApplyStep;
using runtime::Branch;
using runtime::EmitStep;
using runtime::EventType;
using runtime::Ownership;
using runtime::Plan;
using runtime::WaitStep;

// Collects what is wanted, so that what is not can be removed.
class Children {
 public:
  explicit Children(Plan& plan) : plan_(plan) {}

  Branch& branch(std::string_view name, std::vector<std::string_view> after = {}) {
    std::vector<std::string> names(after.begin(), after.end());
    return plan_.branch(std::string{name}, std::move(names));
  }
  void apply(Branch& branch, json::Value object, Ownership ownership = Ownership::Owned) {
    keep(object.get("kind").as_string(), object.get("metadata", "name").as_string());
    branch.steps.emplace_back(ApplyStep{std::move(object), ownership});
  }
  void keep(std::string_view kind, std::string_view name) {
    wanted_.emplace_back(fmt::format("{}/{}", kind, name));
  }
  // Whatever carries the node's uid and is not wanted any more, each for itself.
  void prune(const Facts& facts) {
    for (const auto& object : facts.owned) {
      const auto name = fmt::format("{}/{}", object.kind->kind, object.key.name);
      if (std::ranges::find(wanted_, name) != wanted_.end()) continue;
      plan_.branch("remove " + name);
      plan_.remove({object.kind->gvk(), object.key}, object.uid);
    }
  }

 private:
  Plan& plan_;

  std::vector<std::string> wanted_;
};

WaitStep wait(std::string reason, std::string message, Duration again = kLookAgainSoon) {
  return {.reason = std::move(reason), .message = std::move(message), .again = again};
}

// What a person must do before anything can be done; true when there is such a thing.
bool plan_blocked(Plan& plan, const Node& node, const Facts& facts) {
  if (facts.other_network.empty()) return false;
  auto& branch = plan.branch(std::string{branches::kBlocked});
  const auto message = fmt::format(
      "namespace {} belongs to the network of {}, which was here first. Move this node to a "
      "namespace of its own",
      node.key.ns, facts.other_network);
  if (facts.published.phase != Phase::Failed) {
    branch.steps.emplace_back(
        EmitStep{.type = EventType::Warning, .reason = "NetworkSafetyViolation", .note = message});
  }
  branch.steps.emplace_back(wait("NetworkSafetyViolation", message, kLookAgainWell));
  return true;
}

// The claim has the data of another network, with which no program of this one starts: nothing is
// touched, and what runs goes on. True when it is so.
bool plan_other_data(Plan& plan, const Node& node, const Facts& facts) {
  const auto& kept_for = facts.claim.kept_for;
  const auto whose = claim_stamp(node, {});
  const auto same_node = std::string_view{whose}.substr(0, whose.size() - 1);  // up to the network
  if (!has_claim(node.spec) || !kept_for.starts_with(same_node)) return false;
  if (kept_for == claim_stamp(node, facts.passphrase)) return false;
  const auto data = key_of(node, "-data").name;
  const auto lost = fmt::format("kubectl delete pvc {}", data);
  const auto way_out =
      !facts.workload.exists
          ? fmt::format("give the data up ({})", lost)
          : fmt::format("give the data up (kubectl delete sn {}{}) and create the node again",
                        node.key.name, facts.claim.owned ? "" : ", then " + lost);
  plan.branch(std::string{branches::kClaim})
      .steps.emplace_back(wait(
          std::string{kNotOurs},
          fmt::format("PersistentVolumeClaim {}/{} has the data of another network, {}. Set the "
                      "network back, or {}, or choose another name here",
                      node.key.ns, data, kept_for.substr(same_node.size() - 1), way_out),
          kLookAgainWell));
  return true;
}

void plan_basics(Children& children, const Node& node, const Surroundings& around) {
  children.apply(children.branch("configuration"), config_map(node, around));
  auto& services = children.branch("services");
  children.apply(services, headless_service(node));
  children.apply(services, client_service(node));
  if (has_claim(node.spec)) {
    const bool kept = node.spec.storage.retention_policy == RetentionPolicy::Retain;
    children.apply(children.branch(branches::kClaim), claim(node, around),
                   kept ? Ownership::Kept : Ownership::Owned);
  }
  auto& policy = children.branch("policy");
  if (wants_network_policy(node.spec)) children.apply(policy, network_policy(node));
}

// A Validator's first pod waits until it can read history.
bool archive_holds(Children& children, const Facts& facts) {
  if (!facts.archive || facts.archive->healthy()) return false;
  auto& branch = children.branch(branches::kArchive);
  const auto message = fmt::format(
      "none of validatorConfig.historyArchiveUrls can be read: {}. Correct the list, or bring one "
      "of them back; they are asked again every {} seconds",
      facts.archive->message,
      std::chrono::duration_cast<std::chrono::seconds>(kLookAgainSoon).count());
  if (facts.published.phase != Phase::WaitingForArchive) {
    branch.steps.emplace_back(EmitStep{
        .type = EventType::Warning, .reason = "ArchiveHealthCheckFailed", .note = message});
  }
  branch.steps.emplace_back(wait("ArchiveHealthCheckFailed", message));
  return true;
}

runtime::PatchStep annotate(const Node& node, json::Draft annotations) {
  return {
      .target = {kube::gvk_of(node.object), node.key},
      .uid = node.uid,
      .body = runtime::object(
                  {{"metadata", runtime::object({{"annotations", std::move(annotations)}})}}
        )
                  .freeze()
  };
}

// The old version goes on as it is while another is tried; true when it does.
bool plan_canary(Children& children, const Node& node, const Facts& facts,
                 const Surroundings& around, Instant now) {
  const auto state = trial_of(node, facts, now);
  const auto& version = node.spec.version;
  if (!facts.rolled_back.empty() && facts.rolled_back != version) {
    children.branch("another version")
        .steps.emplace_back(annotate(node, runtime::object({
                                               {kRolledBackAnnotation, json::Draft{}}
    })));
  }
  if (state.trial == Trial::None) return false;
  auto& branch = children.branch(branches::kCanary, {"configuration", "services"});
  const auto say = [&](EventType type, std::string_view reason, std::string note) {
    branch.steps.emplace_back(
        EmitStep{.type = type, .reason = std::string{reason}, .note = std::move(note)});
  };
  // Here and not among what is pruned: that a trial ends changes nothing of the node itself.
  const auto drop = [&] {
    if (!facts.canary.exists) return;
    const auto key = key_of(node, "-canary");
    children.keep(kinds::kDeployment.kind, key.name);
    branch.steps.emplace_back(runtime::DeleteStep{
        .target = {kinds::kDeployment.gvk(), key},
          .uid = facts.canary.uid
    });
  };
  switch (state.trial) {
    case Trial::None: break;
    case Trial::Running:
      children.apply(branch,
                     canary_workload(node, around,
                                     {.pods = canary_pods(facts.workload.wanted, state.weight),
                                      .weight = state.weight,
                                      .passed = state.passed,
                                      .since = format_seconds(state.since)}));
      break;
    case Trial::Passed:
      say(EventType::Normal, "CanaryPromoted",
          fmt::format("version {} was well and replaces {}", version, facts.workload.version));
      return false;
    case Trial::Failed:
      branch.steps.emplace_back(annotate(node, runtime::object({
                                                   {kRolledBackAnnotation, version}
      })));
      say(EventType::Warning, kCanaryRolledBack,
          fmt::format("version {} was not well: {}; {} goes on", version, state.why,
                      facts.workload.version));
      drop();
      break;
    case Trial::RolledBack:
      drop();
      branch.steps.emplace_back(
          wait(std::string{kCanaryRolledBack},
               fmt::format("version {} was tried and was not well; {} goes on. Set version to {}, "
                           "or to another one",
                           version, facts.workload.version, facts.workload.version),
               kLookAgainWell));
      break;
  }
  children.keep(workload_kind(node.spec).kind, node.key.name);
  return true;
}

void plan_workload(Children& children, const Node& node, const Facts& facts,
                   const Surroundings& around) {
  std::vector<std::string_view> after{"configuration", "services", "policy"};
  if (has_claim(node.spec)) after.push_back(branches::kClaim);
  const bool held = archive_holds(children, facts);
  if (held) after.push_back(branches::kArchive);
  auto& branch = children.branch(branches::kWorkload, std::move(after));
  if (!facts.missing_secrets.empty() && !facts.workload.exists) {
    branch.steps.emplace_back(
        wait("SecretMissing", fmt::format("{} is not there; create it in namespace {}",
                                          fmt::join(facts.missing_secrets, ", "), node.key.ns)));
  }
  // Of pods that run already a missing Secret is no reason to stop: they have read it.
  if (facts.missing_secrets.empty() || !facts.workload.exists) {
    children.apply(branch, workload(node, around));
  } else {
    children.keep(workload_kind(node.spec).kind, node.key.name);
    branch.steps.emplace_back(
        wait("SecretMissing", fmt::format("{} is not there any more; pods go on with what they "
                                          "have read",
                                          fmt::join(facts.missing_secrets, ", "))));
  }
}

// Maintenance keeps its hands off these; they are not to be removed either.
void keep_workload(Children& children, const Facts& facts) {
  for (const auto& object : facts.owned) children.keep(object.kind->kind, object.key.name);
}

void plan_around_workload(Children& children, const Node& node, const Facts& facts) {
  const auto& spec = node.spec;
  if (wants_disruption_budget(spec)) {
    children.apply(children.branch("disruption"), disruption_budget(node));
  }
  if (spec.autoscaling) {
    children.apply(children.branch("autoscaling", {branches::kWorkload}), autoscaler(node));
  }
  if (spec.ingress) children.apply(children.branch("ingress"), ingress(node));
  const bool scraped = spec.node_type != NodeType::Validator;
  if (scraped && facts.serves(kinds::kServiceMonitor)) {
    children.apply(children.branch("monitoring"), service_monitor(node));
  }
  if (spec.alerting) children.apply(children.branch("alerts"), alert_rules(node));
}

// Of a mesh that is there in part, what it has is used: a kind that is missing is no reason to take
// the others away from a node that runs.
void plan_mesh(Children& children, const Node& node, const Facts& facts) {
  const auto objects = mesh_objects(node);
  if (objects.empty()) return;
  auto& branch = children.branch(branches::kMesh, {branches::kWorkload});
  const ChildKind* missing = nullptr;
  for (const auto& [kind, object] : objects) {
    if (facts.serves(*kind)) {
      children.apply(branch, object);
    } else if (missing == nullptr) {
      missing = kind;
    }
  }
  if (missing == nullptr) return;
  const auto message =
      fmt::format("this cluster has no {} ({}); install the mesh, or remove spec.serviceMesh",
                  missing->kind, missing->api_version);
  if (!facts.published.says("FeatureUnavailable")) {
    branch.steps.emplace_back(
        EmitStep{.type = EventType::Warning, .reason = "FeatureUnavailable", .note = message});
  }
  branch.steps.emplace_back(wait("FeatureUnavailable", message, kLookAgainWell));
}

// A program that is still catching up has an old ledger by nature, and a restart would set it back.
bool is_stalled(const Facts& facts) {
  if (!facts.health || facts.health->healthy() || facts.health->reason != "StaleLedger") {
    return false;
  }
  if (!facts.health->age_seconds) return false;
  return std::chrono::seconds(*facts.health->age_seconds) >= kStalledAfter;
}

bool may_remediate(const Facts& facts, Instant now) {
  if (facts.remediation_level >= kRemediationsMax) return false;
  const auto last = parse_rfc3339(facts.restarted_at);
  return !last || now - *last >= kRemediationPause;
}

// Restarts the pods of a node whose ledger stands still: one annotation, which the next pass
// carries to the pod template. How often and when is written there, so that a new process knows.
void plan_remediation(Plan& plan, const Node& node, const Facts& facts, Instant now) {
  if (is_stalled(facts) && facts.workload.settled && may_remediate(facts, now)) {
    auto& branch = plan.branch(std::string{branches::kRemediation});
    branch.steps.emplace_back(annotate(
        node, runtime::object({
                  {kLastRemediationAnnotation,  format_seconds(now)                        },
                  {kRemediationLevelAnnotation, std::to_string(facts.remediation_level + 1)}
    })));
    branch.steps.emplace_back(
        EmitStep{.type = EventType::Warning,
                 .reason = "AutoRemediationRestart",
                 .note = fmt::format("restarting the pods: {}", facts.health->message)});
  } else if (facts.health && facts.health->healthy() && facts.remediation_level > 0) {
    auto& branch = plan.branch("recovered");
    branch.steps.emplace_back(annotate(node, runtime::object({
                                                 {kRemediationLevelAnnotation, json::Draft{}}
    })));
  }
}

// conclude() knows no time: whether silence is still within its grace is said here.
void plan_health(Plan& plan, const Facts& facts, Instant now) {
  if (!facts.health || facts.health->verdict != Verdict::Unknown) return;
  const auto silent = now - facts.published.silent_since.value_or(now);
  auto& branch = plan.branch(std::string{branches::kHealth});
  const bool within = silent < kSilenceGrace;
  branch.steps.emplace_back(
      wait(std::string{within ? kWithinGrace : "NoAnswer"}, facts.health->message, kLookAgainSoon));
}

void plan_news(Plan& plan, const Facts& facts) {
  auto& branch = plan.branch(std::string{branches::kNews});
  const auto say = [&](EventType type, std::string reason, std::string note) {
    branch.steps.emplace_back(
        EmitStep{.type = type, .reason = std::move(reason), .note = std::move(note)});
  };
  const bool was_running =
      facts.published.phase == Phase::Running || facts.published.phase == Phase::Canary;
  const auto& health = facts.health;
  if (was_running && health && health->verdict == Verdict::Unhealthy) {
    say(EventType::Warning, "SyncLagDetected", health->message);
  }
  const auto& archives = facts.archives;
  if (!archives.late.empty() && !facts.published.says("ArchiveIntegrityDegraded")) {
    say(EventType::Warning, "ArchiveIntegrityDegraded",
        fmt::format("{} is {} ledgers behind", archives.late, *archives.lag));
  }
  if (archives.asked && !archives.readable && facts.published.says("ArchiveHealthCheck")) {
    say(EventType::Warning, "ArchiveHealthCheckFailed", archives.problem);
  }
  if (!facts.workload.pods_refused.empty() && !facts.published.says("QuotaExceeded") &&
      facts.workload.pods_refused.find("exceeded quota") != std::string::npos) {
    say(EventType::Warning, "QuotaExceeded", facts.workload.pods_refused);
  }
}

}  // namespace

Surroundings surroundings_of(const Facts& facts) {
  return {.passphrase = facts.passphrase,
          .secrets_stamp = facts.secrets_stamp,
          .restarted_at = facts.restarted_at,
          .claimed = facts.claim.requested,
          .claimed_class = facts.claim.storage_class};
}

runtime::Plan decide(const Node& node, const Facts& facts, Instant now) {
  Plan plan;
  const bool well = facts.workload.settled && facts.health && facts.health->healthy();
  plan.look_again = well || node.spec.suspended ? kLookAgainWell : kLookAgainSoon;
  if (plan_blocked(plan, node, facts)) return plan;
  // Without it no configuration can be written.
  if (facts.passphrase.empty()) {
    plan.wait("SecretMissing", fmt::format("{} is not there; create it in namespace {}",
                                           fmt::join(facts.missing_secrets, ", "), node.key.ns));
    return plan;
  }
  if (plan_other_data(plan, node, facts)) return plan;
  Children children(plan);
  const auto around = surroundings_of(facts);
  plan_basics(children, node, around);
  if (node.spec.maintenance_mode) {
    keep_workload(children, facts);
    return plan;
  }
  if (plan_canary(children, node, facts, around, now)) {
    children.branch(branches::kWorkload);  // others come after it
    const auto wanted = node.spec.strategy->canary.value_or(Canary{});
    const Duration next = std::chrono::seconds(wanted.check_interval_seconds);
    plan.look_again = std::min(*plan.look_again, next);
  } else {
    plan_workload(children, node, facts, around);
  }
  plan_around_workload(children, node, facts);
  plan_mesh(children, node, facts);
  children.prune(facts);
  plan_remediation(plan, node, facts, now);
  plan_health(plan, facts, now);
  plan_news(plan, facts);
  return plan;
}

}  // namespace fixpoint::operators::stellar
