// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/conclude.h"

#include "base/rfc3339.h"
#include "operators/stellar/check.h"
#include "operators/stellar/children/children.h"
#include "operators/stellar/decide.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using runtime::Condition;
using runtime::ErrorClass;
using runtime::Outcome;
using runtime::Outcomes;
using runtime::StepState;

// A ledger closes every five seconds; this many are about an hour and a half.
constexpr std::int64_t kLedgerStep = 1'024;

template <class Holds>
const Outcome* first(const Outcomes& outcomes, Holds holds) {
  const auto found = std::ranges::find_if(outcomes.steps, holds);
  return found == outcomes.steps.end() ? nullptr : &*found;
}

const Outcome* with_reason(const Outcomes& outcomes, std::string_view reason) {
  return first(outcomes, [&](const Outcome& outcome) { return outcome.reason == reason; });
}

// A person must act: what the spec asks for is refused, or not allowed.
bool is_refusal(const Outcome& outcome) {
  return outcome.error_class == ErrorClass::Permanent ||
         outcome.error_class == ErrorClass::Invalid || outcome.reason == kNotOurs;
}
const Outcome* refusal(const Outcomes& outcomes) {
  return first(outcomes, is_refusal);
}

bool is_child_branch(const Outcome& outcome) {
  return outcome.branch != branches::kHealth && outcome.branch != branches::kNews &&
         outcome.branch != branches::kRemediation && outcome.branch != branches::kCanary;
}

// Something of the children did not get done.
const Outcome* gap(const Outcomes& outcomes) {
  return first(outcomes, [](const Outcome& outcome) {
    return is_child_branch(outcome) && !succeeded(outcome);
  });
}

bool changed(const Outcomes& outcomes) {
  return first(outcomes, [](const Outcome& outcome) {
           return is_child_branch(outcome) && outcome.state == StepState::Done &&
                  outcome.object != nullptr;
         }) != nullptr;
}

std::string told(const Outcome& outcome) {
  // Of a wait its message says all; of everything else people want to know which object it was.
  // Unless the message names it.
  const auto object = std::string_view{outcome.what}.substr(outcome.what.find(' ') + 1);
  const bool of_object =
      outcome.object != nullptr && !outcome.what.empty() && !outcome.message.starts_with(object);
  return of_object ? fmt::format("{}: {}", outcome.what, outcome.message) : outcome.message;
}

// Deletions that are refused for good: by whom, and what is left to a person. All of them are in
// the command, or people would go round once for each.
std::string told_of_refusal(const Node& node, const Outcomes& outcomes, const Outcome& outcome) {
  auto text = told(outcome);
  if (outcome.object == nullptr) return text;
  std::vector<std::string> refused;
  for (const auto& step : outcomes.steps) {
    if (step.object == nullptr || !is_refusal(step)) continue;
    refused.push_back(fmt::format("{}/{}", step.object->kind.kind, step.object->key.name));
  }
  return text + fmt::format("; mend that, or give {} up: kubectl annotate sn {} {}={} -n {}",
                            refused.size() == 1 ? "the object" : "the objects", node.key.name,
                            kLeaveBehindAnnotation, fmt::join(refused, ","), node.key.ns);
}

bool remediates(const Outcomes& outcomes) {
  const auto* step = outcomes.find(branches::kRemediation, 0);
  return step != nullptr && succeeded(*step);
}

Finding finding_of_health(const Facts& facts) {
  if (!facts.health) return Finding::Incomplete;
  switch (facts.health->verdict) {
    case Verdict::Healthy: return Finding::InSync;
    case Verdict::Unknown: return Finding::Silent;
    case Verdict::Unhealthy:
      return facts.health->reason == "Syncing" || facts.health->reason == "NotReady"
                 ? Finding::CatchingUp
                 : Finding::Unwell;
  }
  return Finding::Silent;
}

bool is_in_sync(Finding finding) {
  return finding == Finding::InSync || finding == Finding::OnTrial;
}

struct Story {
  std::string reason;
  std::string message;
};

// Without the numbers that every answer changes: a status that told them would be written with
// every ledger. Events, which are said once, have them.
std::string steady_message(const Health& health) {
  if (health.reason == "Synced") return "in sync with the network";
  if (health.reason == "Syncing") {
    return health.state.empty() ? std::string{"catching up with the network"}
                                : fmt::format("catching up: it says \"{}\"", health.state);
  }
  if (health.reason == "StaleLedger") {
    return fmt::format("its last ledger is more than {} seconds old", kLedgerAgeMaxSeconds);
  }
  return health.message;
}

std::string pods_story(const WorkloadFacts& workload) {
  if (!workload.pods_refused.empty()) return workload.pods_refused;
  return fmt::format("{} of {} pods are ready{}{}", workload.ready, workload.wanted,
                     workload.pods_trouble.empty() ? "" : "; ", workload.pods_trouble);
}

// What to tell people about what was found.
Story story_of(const Node& node, const Facts& facts, const Outcomes& outcomes, Finding finding) {
  switch (finding) {
    case Finding::Deleted: {
      const auto* blocked = refusal(outcomes);
      if (blocked != nullptr) return {"CleanupBlocked", told_of_refusal(node, outcomes, *blocked)};
      const auto* waits = outcomes.problem();
      return {"Terminating", waits == nullptr ? "removing what belongs to the node" : told(*waits)};
    }
    case Finding::SpecRefused: return {"SpecInvalid", {}};
    case Finding::Blocked: {
      if (const auto* unsafe = outcomes.problem(branches::kBlocked)) {
        return {unsafe->reason, unsafe->message};
      }
      const auto* blocked = refusal(outcomes);
      if (blocked == nullptr) return {"Blocked", {}};
      return {blocked->reason, told(*blocked)};
    }
    case Finding::Suspended:
      return {"NodeSuspended",
              facts.workload.pods == 0
                  ? "suspended: no pods; services, configuration and data stay. Set "
                    "spec.suspended to false to start it"
                  : fmt::format("suspending: {} pods are left", facts.workload.pods)};
    case Finding::UnderMaintenance:
      return {"Maintenance",
              "under maintenance: the workload is left alone until spec.maintenanceMode is false"};
    case Finding::ArchiveMissing:
      return {"ArchiveHealthCheckFailed", outcomes.problem(branches::kArchive)->message};
    case Finding::Incomplete: {
      const auto* open = gap(outcomes);
      if (open != nullptr) return {open->reason, told(*open)};
      if (changed(outcomes)) return {"Applied", "what changed was applied; waiting for the pods"};
      if (!facts.workload.settled) return {"PodsNotReady", pods_story(facts.workload)};
      return {"PodsNotReady", "no pod can be asked yet"};
    }
    case Finding::OnTrial:
      return {"NodeSynced", fmt::format("in sync; version {} is tried on {}% of the pods",
                                        node.spec.version, facts.canary.weight)};
    case Finding::Stalled:
      return {"StaleLedger", "the ledger stands still; the pods are restarted"};
    case Finding::Unwell:
    case Finding::Silent:
    case Finding::CatchingUp:
    case Finding::InSync: break;
  }
  const auto* back = with_reason(outcomes, kCanaryRolledBack);
  if (back != nullptr && finding_of_health(facts) == Finding::InSync) {
    return {back->reason, back->message};
  }
  const Health health = facts.health.value_or(Health{});
  auto message = steady_message(health);
  if (finding == Finding::Unwell && facts.remediation_level >= kRemediationsMax) {
    message += fmt::format("; restarting helped {} times not: look at the logs of {}",
                           facts.remediation_level, node.key.name);
  }
  return {health.reason.empty() ? "Unknown" : health.reason, message};
}

bool is_progress(Finding finding) {
  return finding == Finding::Incomplete || finding == Finding::CatchingUp ||
         finding == Finding::Stalled || finding == Finding::ArchiveMissing ||
         finding == Finding::Deleted || finding == Finding::OnTrial;
}

Condition condition(std::string type, bool is_true, std::string reason, std::string message = {}) {
  return {.type = std::move(type),
          .is_true = is_true,
          .reason = std::move(reason),
          .message = std::move(message)};
}

Condition available(const Facts& facts, Finding finding, const Story& story) {
  if (finding == Finding::Silent) {
    auto made = condition("Available", false, "NoAnswer", story.message);
    made.unknown = true;
    return made;
  }
  const bool answers =
      facts.health && facts.health->healthy() && facts.workload.ready > 0 && !facts.deleting;
  return answers ? condition("Available", true, "NodeSynced", steady_message(*facts.health))
                 : condition("Available", false, story.reason, story.message);
}

Condition resources_ready(const Outcomes& outcomes) {
  const auto* open = gap(outcomes);
  if (open != nullptr) return condition("ResourcesReady", false, open->reason, told(*open));
  if (changed(outcomes)) {
    return condition("ResourcesReady", false, "Applied", "applied; to be looked at once more");
  }
  return condition("ResourcesReady", true, "AsDesired", "everything is as the spec wants it");
}

// Only what is so: a condition that is not there is not true.
void add_problems(std::vector<Condition>& all, const Node& node, const Facts& facts,
                  const Outcomes& outcomes) {
  if (const auto* foreign = with_reason(outcomes, kNotOurs)) {
    all.push_back(condition("OwnershipConflict", true, "ForeignObject", told(*foreign)));
  }
  if (const auto* quota = with_reason(outcomes, runtime::kQuotaExceeded)) {
    all.push_back(condition("QuotaExceeded", true, "ObjectsRefused", told(*quota)));
  } else if (facts.workload.pods_refused.find("exceeded quota") != std::string::npos) {
    all.push_back(condition("QuotaExceeded", true, "PodsRefused", facts.workload.pods_refused));
  }
  if (const auto* missing = with_reason(outcomes, "FeatureUnavailable")) {
    all.push_back(condition("FeatureUnavailable", true, "NotServed", missing->message));
  }
  if (!facts.deleting) return;
  if (const auto* blocked = refusal(outcomes)) {
    all.push_back(condition("CleanupBlocked", true, blocked->reason,
                            told_of_refusal(node, outcomes, *blocked)));
  }
}

// Nothing of it is the node's own fault: it runs on, and these say what to look after.
void add_archives(std::vector<Condition>& all, const Facts& facts) {
  const auto& archives = facts.archives;
  if (!archives.asked) return;
  all.push_back(
      archives.readable
          ? condition("ArchiveHealthCheck", true, "Readable", "a history archive can be read")
          : condition(
                "ArchiveHealthCheck", false, "ArchiveHealthCheckFailed",
                "none of validatorConfig.historyArchiveUrls can be read: " + archives.problem));
  if (archives.late.empty()) return;
  all.push_back(condition(
      "ArchiveIntegrityDegraded", true, "ArchiveLags",
      fmt::format("{} is more than {} ledgers behind; see the metric stellar_archive_ledger_lag, "
                  "and whoever publishes it",
                  archives.late, kArchiveLagMax)));
}

void add_mesh(std::vector<Condition>& all, const Node& node, const Outcomes& outcomes) {
  if (!node.spec.service_mesh) return;
  if (const auto* open = outcomes.problem(branches::kMesh)) {
    all.push_back(condition("MeshReady", false, open->reason, told(*open)));
  } else {
    all.push_back(condition("MeshReady", true, "AsDesired", "the node is in the mesh as asked"));
  }
}

std::vector<Condition> conditions_of(const Node& node, const Facts& facts, const Outcomes& outcomes,
                                     Finding finding, Phase phase, const Story& story) {
  std::vector<Condition> all;
  auto ready = condition("Ready", is_in_sync(finding),
                         is_in_sync(finding) ? "NodeSynced" : story.reason, story.message);
  ready.unknown = finding == Finding::Silent;
  all.push_back(std::move(ready));
  all.push_back(available(facts, finding, story));
  all.push_back(is_progress(finding)
                    ? condition("Progressing", true, story.reason, story.message)
                    : condition("Progressing", false, "Settled", "nothing is under way"));
  const bool degraded = phase == Phase::Degraded || phase == Phase::Failed;
  all.push_back(degraded
                    ? condition("Degraded", true, story.reason, story.message)
                    : condition("Degraded", false, "AsExpected", "nothing is known against it"));
  if (!facts.deleting) {
    all.push_back(condition("SpecValid", true, "Accepted", "the spec has no mistakes"));
    all.push_back(resources_ready(outcomes));
    add_mesh(all, node, outcomes);
    add_archives(all, facts);
  }
  add_problems(all, node, facts, outcomes);
  return all;
}

std::string_view sync_state(Finding finding) {
  switch (finding) {
    case Finding::InSync:
    case Finding::OnTrial: return "Synced";
    case Finding::CatchingUp: return "CatchingUp";
    default: return "Unknown";
  }
}

std::string claim_story(const Node& node) {
  if (!has_claim(node.spec)) return {};
  const bool kept = node.spec.storage.retention_policy == RetentionPolicy::Retain;
  return fmt::format("{}-data ({} with the node)", node.key.name,
                     kept ? "stays, not deleted" : "deleted");
}

// What people learn once: that a node has come to run, and what only they can put right. The rest
// is said by the steps themselves.
std::optional<runtime::EmitStep> news(const Facts& facts, Phase phase, const Story& story) {
  const auto before = facts.published.phase;
  const bool ran = before == Phase::Running || before == Phase::Canary;
  if (phase == Phase::Running && !ran) {
    return runtime::EmitStep{.type = runtime::EventType::Normal,
                             .reason = "SuccessfulReconciliation",
                             .note = facts.health.value_or(Health{}).message};
  }
  const bool for_people = story.reason == "CleanupBlocked" || story.reason == "SecretMissing";
  if (!for_people || facts.published.message == story.message) return {};
  return runtime::EmitStep{
      .type = runtime::EventType::Warning, .reason = story.reason, .note = story.message};
}

}  // namespace

Finding finding_of(const Node& node, const Facts& facts, const Outcomes& outcomes) {
  if (facts.deleting) return Finding::Deleted;
  if (!facts.other_network.empty() || refusal(outcomes) != nullptr) return Finding::Blocked;
  if (node.spec.suspended) return Finding::Suspended;
  if (node.spec.maintenance_mode) return Finding::UnderMaintenance;
  if (outcomes.problem(branches::kArchive) != nullptr) return Finding::ArchiveMissing;
  if (remediates(outcomes)) return Finding::Stalled;
  if (gap(outcomes) != nullptr || changed(outcomes) || !facts.workload.settled) {
    return Finding::Incomplete;
  }
  const auto finding = finding_of_health(facts);
  if (finding != Finding::InSync) return finding;
  if (with_reason(outcomes, kCanaryRolledBack) != nullptr) return Finding::Unwell;
  return outcomes.find(branches::kCanary, 0) != nullptr ? Finding::OnTrial : finding;
}

runtime::Verdict<Status> conclude(const Node& node, const Facts& facts, const Outcomes& outcomes) {
  const auto finding = finding_of(node, facts, outcomes);
  const auto story = story_of(node, facts, outcomes, finding);
  const auto holds = [&](Guard guard) {
    return guard == Guard::WithinGrace && with_reason(outcomes, kWithinGrace) != nullptr;
  };
  // Nothing leads out of Terminating: what the table does not list does not happen.
  const auto phase =
      fsm::next(kLife, facts.published.phase, finding, holds).value_or(facts.published.phase);
  Status status;
  status.phase = to_string(phase);
  status.message = story.message;
  status.replicas = facts.workload.pods;
  status.ready_replicas = facts.workload.ready;
  if (facts.health && facts.health->ledger) {
    status.ledger_sequence = *facts.health->ledger - *facts.health->ledger % kLedgerStep;
  }
  if (facts.canary.exists) {
    status.canary_version = facts.canary.version;
    status.canary_weight = facts.canary.weight;
    status.canary_ready_replicas = facts.canary.ready;
    if (facts.canary.since) status.canary_start_time = format_seconds(*facts.canary.since);
  }
  status.canary_rolled_back_version = facts.rolled_back;
  status.sync_state = sync_state(finding);
  status.endpoint = endpoint_of(node);
  status.volume_claim = claim_story(node);
  status.observed_seed_secret_version = facts.seed_version;
  status.observed_passphrase_secret_version = facts.passphrase_version;
  auto conditions = conditions_of(node, facts, outcomes, finding, phase, story);
  return {std::move(status), std::move(conditions), news(facts, phase, story)};
}

runtime::Verdict<Status> reject(const kube::FieldErrors& errors) {
  Status status;
  // Whatever the phase was: the table leads here from everywhere.
  status.phase = to_string(Phase::Failed);
  status.message = in_a_line(errors);
  auto unknown = condition("Available", false, "NotLookedAt",
                           "pods of the last good spec are left as they are");
  unknown.unknown = true;
  return {
      std::move(status),
      {condition("Ready", false, "SpecInvalid", in_a_line(errors)), std::move(unknown),
                      condition("Progressing", false, "WaitingForSpec",
                      "nothing is done until the spec is mended"),
                      condition("Degraded", true, "SpecInvalid", "the spec has mistakes"),
                      condition("SpecValid", false, "SpecInvalid", explain(errors))},
      runtime::EmitStep{.type = runtime::EventType::Warning,
                      .reason = "SpecValidationFailed",
                      .note = in_a_line(errors)}
  };
}

}  // namespace fixpoint::operators::stellar
