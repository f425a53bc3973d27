// SPDX-License-Identifier: Apache-2.0
//
// What still carries the primary's uid when its cleanup is through: listed live, removed by uid,
// and waited for (rule 1). A script (pass_state.h).
#include "json/shape/shape.h"
#include "kube/meta/metadata.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/executor.h"
#include "runtime/controller/pass_finish.h"
#include "runtime/ownership.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

// Kinds this operator may have made objects of: what it owns, and what it may delete.
std::vector<client::Collection> owned_collections(const PassState& state) {
  std::vector<client::Collection> collections;
  const auto add = [&](const client::Resource& resource, const std::string& ns) {
    const bool namespaced = resource.scope == client::Scope::Namespaced;
    const std::string by_label = std::string{kOwnerLabel} + "=" + state.owner.uid;
    const bool by_reference = state.owner.key.ns.empty() || namespaced;
    if (by_reference) {
      collections.push_back(
          {.resource = resource, .ns = state.owner.key.ns, .metadata_only = true});
    }
    // Beyond the owner's namespace a reference is impossible and the label marks its objects.
    if (!state.owner.key.ns.empty() && ns.empty()) {
      collections.push_back({
          .resource = resource,
          .selector = {.labels = by_label, .fields = {}},
          .metadata_only = true
      });
    }
  };
  for (const Watch& watch : state.declaration().watches) {
    if (watch.role == WatchRole::Owned) add(watch.collection.resource, watch.collection.ns);
  }
  for (const Permission& permission : state.declaration().permissions) {
    const bool deletes = std::ranges::find(permission.verbs, "delete") != permission.verbs.end();
    const auto& kind = permission.resource.kind;
    if (!deletes || !permission.subresource.empty() || permission.resource.plural.empty()) continue;
    const Watch* watch = state.declaration().find(kind);
    if (watch != nullptr && watch->role != WatchRole::Cached) continue;
    add(permission.resource, watch == nullptr ? state.owner.key.ns : watch->collection.ns);
  }
  return collections;
}

struct Leftover {
  client::Resource resource;
  json::Value object;
};

StepFailure from_the_past(std::string_view kind) {
  return {.error_class = ErrorClass::Transient,
          .reason = "AnsweredFromThePast",
          .message = fmt::format("the server listed {} as of before what was seen already", kind)};
}

// Every object of the collection that is the primary's, page by page. Nothing: wait.
std::optional<std::expected<void, StepFailure>> list_leftovers(PassState& state,
                                                               const client::Collection& collection,
                                                               std::vector<Leftover>& leftovers) {
  static const auto shape = std::make_shared<const json::Shape>(json::Shape::only({
      {"metadata", "labels"}
  }));
  client::ListCall call{.collection = collection, .shape = shape};
  do {
    const EffectReply* reply = state.ask(ListEffect{call});
    if (reply == nullptr) return std::nullopt;
    const auto& page = std::get<client::PageReply>(*reply);
    if (!page) {
      // A kind that is not served has no objects, and where we may not look we have made none.
      const bool beyond = collection.resource.scope == client::Scope::Namespaced &&
                          !collection.selector.labels.empty() && page.error().status.code == 403;
      if (page.error().not_found() || beyond) return std::expected<void, StepFailure>{};
      return std::unexpected(classify(page.error()));
    }
    // Asked of an answer once, when it comes in: the cache goes on while the others are waited for.
    const bool just_in = state.script.next == state.script.replies.size();
    const Contents* contents = state.cache->find(collection.resource.kind);
    if (just_in && state.on(Rule::NeverBackInTime) && contents != nullptr &&
        older(page->resource_version, contents->resource_version())) {
      return std::unexpected(from_the_past(collection.resource.kind.kind));
    }
    for (const json::Value& item : page->items) {
      if (owner_uid_of(item) != state.owner.uid) continue;
      const ObjectRef found{collection.resource.kind, kube::key_of(item)};
      const auto& left = state.result.plan.left_behind;
      if (std::ranges::find(left, found) != left.end()) continue;
      leftovers.push_back({collection.resource, item});
    }
    call.continue_token = page->continue_token;
  } while (!call.continue_token.empty());
  return std::expected<void, StepFailure>{};
}

// Nothing: wait.
std::optional<Outcome> remove_leftover(PassState& state, const Leftover& leftover) {
  const json::View metadata = leftover.object.get("metadata");
  const kube::Key key{std::string{metadata.get("namespace").as_string()},
                      std::string{metadata.get("name").as_string()}};
  Outcome outcome = waiting("Terminating", "still there; waiting until it is gone");
  if (metadata.get("deletionTimestamp").is_null()) {
    client::Call call;
    call.verb = client::Verb::Delete;
    call.resource = leftover.resource;
    call.key = key;
    call.propagation = client::Propagation::Background;
    if (state.on(Rule::DeleteByUid)) call.preconditions.uid = metadata.get("uid").as_string();
    const client::Reply* reply = state.call(std::move(call));
    if (reply == nullptr) return std::nullopt;
    if (!*reply && !reply->error().not_found() && !reply->error().conflict()) {
      outcome = failed(classify(reply->error()));
    } else {
      state.result.changed = true;
    }
  }
  outcome.branch = "owned objects";
  outcome.what = fmt::format("delete {} {}{}{}", leftover.resource.kind.kind, key.ns,
                             key.ns.empty() ? "" : "/", key.name);
  return outcome;
}

void stop_with(PassState& state, StepFailure failure) {
  state.note(std::move(failure));
  state.next_phase(Phase::Status);
}

}  // namespace

void run_leftovers(PassState& state) {
  std::vector<Leftover> leftovers;
  for (const client::Collection& collection : owned_collections(state)) {
    auto listed = list_leftovers(state, collection, leftovers);
    if (!listed) return;
    if (!*listed) return stop_with(state, listed->error());
  }
  if (leftovers.empty()) return state.next_phase(Phase::Release);
  if (leftovers.size() > kPlanStepsMax) leftovers.resize(kPlanStepsMax);
  std::vector<Outcome> outcomes;
  for (const Leftover& leftover : leftovers) {
    auto outcome = remove_leftover(state, leftover);
    if (!outcome) return;
    outcome->step = outcomes.size();
    outcomes.push_back(*std::move(outcome));
  }
  auto& all = state.result.outcomes.steps;
  std::ranges::move(outcomes, std::back_inserter(all));
  state.look_again(kTerminatingAgain);
  state.next_phase(Phase::Status);
}

}  // namespace fixpoint::runtime
