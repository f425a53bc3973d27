// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/stateful_set.h"

#include "cluster/workloads/claim.h"
#include "cluster/workloads/controller_revision.h"
#include "cluster/workloads/pod_state.h"
#include "cluster/workloads/pod_template.h"
#include "cluster/workloads/stateful_set_pass.h"
#include "cluster/workloads/status_counts.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

const kube::GroupVersionResource kStatefulSets{"apps", "v1", "statefulsets"};
constexpr std::string_view kStatefulSetPrefix = "statefulsets.apps/";

struct Counts {
  std::int64_t replicas = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t current = 0;
  std::int64_t updated = 0;
};

// One place of the set, with or without its pod.
struct Seat {
  std::int64_t ordinal = 0;
  store::RecordRef pod;  // empty: it is missing

  View body() const { return pod ? View{pod->body} : View{}; }
};

class StatefulPass {
 public:
  StatefulPass(const StatefulSetFacts& facts, Instant now)
      : facts_(facts), set_(facts.set->body), now_(now) {}

  Decision decide();

 private:
  void seat_pods(const std::vector<store::RecordRef>& pods);
  bool run();
  bool serve(const Seat& seat);
  bool fill(const Seat& seat);
  bool condemn(const Seat& seat);
  void update_next();
  void correct(const Seat& seat);
  void remove(const Seat& seat);
  void count(const std::vector<store::RecordRef>& pods);
  void write_status();
  void note_collision();

  bool ordered() const { return set_.get("spec", "podManagementPolicy").as_string() != "Parallel"; }
  std::int64_t min_ready() const { return set_.get("spec", "minReadySeconds").as_int(); }
  std::int64_t partition() const {
    return set_.get("spec", "updateStrategy", "rollingUpdate", "partition").as_int();
  }
  bool available(const Seat& seat) const {
    return is_available(seat.body(), min_ready(), now_) && !kube::being_deleted(seat.body());
  }
  Place place_of(const Seat& seat) const {
    return {.ordinal = seat.ordinal, .pod_uid = kube::uid_of(seat.body())};
  }
  std::int64_t collisions() const { return set_.get("status", "collisionCount").as_int(); }

  const StatefulSetFacts& facts_;
  View set_;
  Instant now_;
  Decision decision_;
  std::vector<store::RecordRef> revisions_;
  CurrentRevision update_;
  std::string current_name_;
  json::Value current_data_;
  std::vector<Seat> seats_;      // by ordinal
  std::vector<Seat> condemned_;  // highest first
  std::int64_t first_unhealthy_ = -1;
  Counts counts_;
};

Decision StatefulPass::decide() {
  const auto selector = kube::LabelSelector::from_object(set_.get("spec", "selector"));
  if (!selector) return {};
  const auto name = kube::name_of(set_);
  // Revisions that no longer match are still its own; nobody lets go of them.
  auto revisions = claim(set_, kRevisionResource, facts_.revisions, [&](View revision) {
    return kube::owned_by(revision, kube::uid_of(set_)) ||
           selector->matches(kube::labels_of(revision));
  });
  auto pods = claim(set_, kPodResource, facts_.pods, [&](View pod) {
    return selector->matches(kube::labels_of(pod)) && ordinal_in(name, kube::name_of(pod));
  });
  decision_.requests = std::move(revisions.effects);
  std::ranges::move(pods.effects, std::back_inserter(decision_.requests));
  revisions_ = std::move(revisions.children);
  sort_revisions(revisions_);
  const bool collided = facts_.refused && facts_.refused->request.resource == kRevisionResource &&
                        reason_of(*facts_.refused) == "AlreadyExists";
  if (collided) {
    note_collision();
    return std::move(decision_);
  }
  update_ = sync_revision(set_, RevisionHash::OfData, collisions(), revisions_, decision_);
  current_name_ = update_.name;
  current_data_ = update_.data;
  for (const auto& revision : revisions_) {
    if (kube::name_of(revision->body) != set_.get("status", "currentRevision").as_string())
      continue;
    current_name_ = kube::name_of(revision->body);
    current_data_ = revision->body.get("data");
  }
  seat_pods(pods.children);
  count(pods.children);
  if (!kube::being_deleted(set_) && run()) update_next();
  write_status();
  std::set<std::string, std::less<>> live{current_name_, update_.name};
  for (const auto& pod : pods.children) live.emplace(kube::label_of(pod->body, kPodRevisionLabel));
  truncate_history(set_, revisions_, live, decision_);
  decision_.again = next_availability(pods.children, min_ready(), now_);
  return std::move(decision_);
}

void StatefulPass::note_collision() {
  Draft set{set_};
  set.object_at("status")["collisionCount"] = collisions() + 1;
  const json::Value body = set.freeze();
  decision_.requests.push_back({.request = update_request(kStatefulSets, body, "status")});
}

void StatefulPass::seat_pods(const std::vector<store::RecordRef>& pods) {
  const auto first = first_ordinal(set_);
  for (std::int64_t i = 0; i < replicas_of(set_); ++i) seats_.push_back({.ordinal = first + i});
  for (const auto& pod : pods) {
    const auto ordinal = ordinal_in(kube::name_of(set_), kube::name_of(pod->body));
    if (in_range(set_, *ordinal)) {
      seats_[static_cast<std::size_t>(*ordinal - first)].pod = pod;
    } else {
      condemned_.push_back({.ordinal = *ordinal, .pod = pod});
    }
  }
  std::ranges::sort(condemned_, std::ranges::greater{}, &Seat::ordinal);
  const auto unhealthy = [&](const Seat& seat) { return !available(seat); };
  if (const auto found = std::ranges::find_if(seats_, unhealthy); found != seats_.end()) {
    first_unhealthy_ = found->ordinal;
  } else if (const auto last =
                 std::ranges::find_if(condemned_.rbegin(), condemned_.rend(), unhealthy);
             last != condemned_.rend()) {
    first_unhealthy_ = last->ordinal;
  }
}

void StatefulPass::count(const std::vector<store::RecordRef>& pods) {
  for (const auto& record : pods) {
    const View pod = record->body;
    ++counts_.replicas;
    if (phase_of(pod) == "Running" && is_ready(pod)) {
      ++counts_.ready;
      if (is_available(pod, min_ready(), now_)) ++counts_.available;
    }
    if (kube::being_deleted(pod)) continue;
    const auto revision = kube::label_of(pod, kPodRevisionLabel);
    if (revision == current_name_) ++counts_.current;
    if (revision == update_.name) ++counts_.updated;
  }
}

// Every place in order, then those that are no more. False when something has to be waited for.
bool StatefulPass::run() {
  for (const Seat& seat : seats_) {
    if (!serve(seat) && ordered()) return false;
  }
  for (const Seat& seat : condemned_) {
    if (!claims_match_policy(facts_, place_of(seat))) {
      apply_policy(facts_, place_of(seat), decision_);
    }
  }
  for (const Seat& seat : condemned_) {
    if (!condemn(seat) && ordered()) return false;
  }
  return true;
}

// True when the place has a pod that everything else may go on with.
bool StatefulPass::serve(const Seat& seat) {
  const View pod = seat.body();
  if (!seat.pod) return fill(seat);
  if (is_finished(pod)) {
    if (!kube::being_deleted(pod)) remove(seat);
    return false;
  }
  if (phase_of(pod) == "Pending") {
    make_claims(facts_, seat.ordinal, decision_);
    apply_policy(facts_, place_of(seat), decision_);
  }
  const bool running = phase_of(pod) == "Running" && is_ready(pod);
  if (ordered() && (!running || !available(seat))) return false;
  correct(seat);
  return true;
}

bool StatefulPass::fill(const Seat& seat) {
  const auto name = pod_name(set_, seat.ordinal);
  std::string leaving;
  switch (trouble_with_claims(facts_, seat.ordinal, leaving)) {
    case ClaimTrouble::None: break;
    case ClaimTrouble::Stale: return false;
    case ClaimTrouble::Leaving:
      decision_.notices.push_back(
          failed_pod_notice(set_, "create", name, fmt::format("pvc {} is being deleted", leaving)));
      return false;
  }
  make_claims(facts_, seat.ordinal, decision_);
  const View strategy = set_.get("spec", "updateStrategy");
  const bool rolling = strategy.get("type").as_string() == "RollingUpdate";
  const auto old_ones = strategy.get("rollingUpdate").is_null()
                            ? (rolling ? set_.get("status", "currentReplicas").as_int() : 0)
                            : partition();
  const bool of_current = seat.ordinal < first_ordinal(set_) + old_ones;
  const json::Value pod = new_pod(set_, template_in(of_current ? current_data_ : update_.data),
                                  of_current ? current_name_ : update_.name, seat.ordinal);
  decision_.requests.push_back({.request = create_request(kPodResource, pod),
                                .done = pod_notice(set_, "create", name),
                                .refused = failed_pod_notice(set_, "create", name, "{}")});
  apply_policy(facts_, place_of(seat), decision_);
  return false;
}

void StatefulPass::correct(const Seat& seat) {
  const auto place = place_of(seat);
  const View pod = seat.body();
  const bool stored = storage_matches(set_, pod, seat.ordinal);
  if (identity_matches(set_, pod) && stored && claims_match_policy(facts_, place)) return;
  if (!stored) make_claims(facts_, seat.ordinal, decision_);
  apply_policy(facts_, place, decision_);
  const json::Value corrected = corrected_pod(set_, pod, seat.ordinal);
  decision_.requests.push_back(
      {.request = update_request(kPodResource, corrected),
       .done = pod_notice(set_, "update", kube::name_of(pod)),
       .refused = failed_pod_notice(set_, "update", kube::name_of(pod), "{}")});
}

// In ordered sets one pod goes at a time, and only while the others serve.
bool StatefulPass::condemn(const Seat& seat) {
  if (kube::being_deleted(seat.body())) return false;
  const bool running = phase_of(seat.body()) == "Running" && is_ready(seat.body());
  const bool serves = running && is_available(seat.body(), min_ready(), now_);
  if (ordered() && !serves && seat.ordinal != first_unhealthy_) return false;
  remove(seat);
  return false;
}

void StatefulPass::remove(const Seat& seat) {
  const auto name = kube::name_of(seat.body());
  decision_.requests.push_back({.request = delete_request(kPodResource, seat.body()),
                                .done = pod_notice(set_, "delete", name),
                                .refused = failed_pod_notice(set_, "delete", name, "{}"),
                                .tolerates = Effect::Tolerates::Absence});
}

// From the highest place down to the partition, one at a time.
void StatefulPass::update_next() {
  if (set_.get("spec", "updateStrategy", "type").as_string() == "OnDelete") return;
  for (auto i = std::ssize(seats_) - 1; i >= partition(); --i) {
    const Seat& seat = seats_[static_cast<std::size_t>(i)];
    const bool leaving = kube::being_deleted(seat.body());
    // A place that is being filled in this very pass is of the right revision, and not yet there.
    if (seat.pod && !leaving && kube::label_of(seat.body(), kPodRevisionLabel) != update_.name) {
      remove(seat);
      --counts_.current;
      return;
    }
    if (!available(seat)) return;
  }
}

void StatefulPass::write_status() {
  const auto wanted = replicas_of(set_);
  if (set_.get("spec", "updateStrategy", "type").as_string() == "RollingUpdate" &&
      counts_.updated == wanted && counts_.ready == wanted && counts_.replicas == wanted) {
    counts_.current = counts_.updated;
    current_name_ = update_.name;
  }
  auto status = Draft::object({
      {"observedGeneration", kube::generation_of(set_)},
      {"replicas",           counts_.replicas         },
      {"availableReplicas",  counts_.available        },
      {"currentRevision",    current_name_            },
      {"updateRevision",     update_.name             },
      {"collisionCount",     collisions()             }
  });
  set_count(status, "readyReplicas", counts_.ready);
  set_count(status, "currentReplicas", counts_.current);
  set_count(status, "updatedReplicas", counts_.updated);
  const json::Value made = status.freeze();
  if (made == set_.get("status")) return;
  Draft set{set_};
  set["status"] = made;
  const json::Value body = set.freeze();
  decision_.requests.push_back({.request = update_request(kStatefulSets, body, "status")});
}

std::string title(std::string_view verb) {
  std::string made{verb};
  made.front() = static_cast<char>(made.front() - 'a' + 'A');
  return made;
}

}  // namespace

Notice pod_notice(View set, std::string_view verb, std::string_view pod) {
  return {.object = set,
          .reason = "Successful" + title(verb),
          .message =
              fmt::format("{} Pod {} in StatefulSet {} successful", verb, pod, kube::name_of(set))};
}

Notice failed_pod_notice(View set, std::string_view verb, std::string_view pod,
                         std::string_view why) {
  return {.object = set,
          .type = Notice::Type::Warning,
          .reason = "Failed" + title(verb),
          .message = fmt::format("{} Pod {} in StatefulSet {} failed error: {}", verb, pod,
                                 kube::name_of(set), why)};
}

Decision decide(const StatefulSetFacts& facts, Instant now) {
  return StatefulPass{facts, now}.decide();
}

StatefulSetController::StatefulSetController()
    : KeyedController({
          .name = "statefulset-controller",
          .prefix = kStatefulSetPrefix,
          .kind = {"apps", "StatefulSet"},
          .children = {kPodPrefix},
          .adopts = {kPodPrefix},
          .follows = {kClaimPrefix}
}) {}

// A claim that went may have been what a place waited for. Its name has that of the set before the
// ordinal and that of a template before this; where one ends, each hyphen may be.
void StatefulSetController::map(const store::Event& event, const Reader& reader,
                                KeyQueue& keys) const {
  if (event.after) return;
  const View claim = event.before->body;
  const auto name = kube::name_of(claim);
  const auto stem = name.substr(0, std::min(name.rfind('-'), name.size()));
  for (auto at = stem.find('-'); at != std::string_view::npos; at = stem.find('-', at + 1)) {
    const auto set =
        reader.find(kStatefulSetPrefix, kube::namespace_of(claim), stem.substr(at + 1));
    if (!set) continue;
    for (const View claim_template : set->body.get("spec", "volumeClaimTemplates").elements()) {
      const auto whole =
          fmt::format("{}-{}", kube::name_of(claim_template), kube::name_of(set->body));
      if (ordinal_in(whole, name)) keys.add(set->key);
    }
  }
}

Decision StatefulSetController::pass(const Reader& reader, const Subject& subject,
                                     Instant now) const {
  if (!subject.record) return {};
  const View set = subject.record->body;
  const auto ns = subject.parts.ns;
  StatefulSetFacts facts{.set = subject.record,
                         .pods = reader.controlled(kube::uid_of(set), kPodPrefix),
                         .revisions = reader.controlled(kube::uid_of(set), kRevisionPrefix),
                         .refused = subject.refused};
  std::ranges::copy(reader.orphans(kPodPrefix, ns), std::back_inserter(facts.pods));
  std::ranges::copy(reader.orphans(kRevisionPrefix, ns), std::back_inserter(facts.revisions));
  std::set<std::int64_t> ordinals;
  for (std::int64_t i = 0; i < replicas_of(set); ++i) ordinals.insert(first_ordinal(set) + i);
  for (const auto& pod : facts.pods) {
    if (const auto at = ordinal_in(kube::name_of(set), kube::name_of(pod->body))) {
      ordinals.insert(*at);
    }
  }
  for (const View claim : set.get("spec", "volumeClaimTemplates").elements()) {
    for (const auto ordinal : ordinals) {
      auto name = claim_name(set, claim, ordinal);
      if (auto record = reader.find(kClaimPrefix, ns, name)) {
        facts.claims.emplace(std::move(name), std::move(record));
      }
    }
  }
  return decide(facts, now);
}

}  // namespace fixpoint::cluster
