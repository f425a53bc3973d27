// SPDX-License-Identifier: Apache-2.0
#include "verify/world/server_rules.h"

#include "apiserver/remove.h"
#include "kube/metadata.h"
#include "verify/world/turn.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::verify::world {
namespace {

using client::Call;
using client::Verb;

// True when `holds` of every change of this step.
template <class Holds>
bool all_changes(const State& before, const State& after, Holds holds) {
  if (before.store.revision() == after.store.revision()) return true;
  const auto events = after.store.events_after(before.store.revision());
  FP_CHECK(events.has_value());
  return std::ranges::all_of(*events, [&](const store::Event& event) {
    return holds(event.before ? event.before->body.view() : json::View{},
                 event.after ? event.after->body.view() : json::View{});
  });
}

template <class Holds>
bool all_edits(const State& before, const State& after, Holds holds) {
  return all_changes(before, after, [&](json::View was, json::View is) {
    return was.is_null() || is.is_null() || holds(was, is);
  });
}

bool same(json::View a, json::View b, std::string_view field) {
  return a.get("metadata", field) == b.get("metadata", field);
}

bool identity_stays(const State& before, const Action&, const State& after) {
  return all_edits(before, after, [](json::View was, json::View is) {
    return same(was, is, "uid") && same(was, is, "creationTimestamp") &&
           (!kube::being_deleted(was) || same(was, is, "deletionTimestamp"));
  });
}

bool versions_move(const State& before, const Action&, const State& after) {
  return all_edits(before, after, [](json::View was, json::View is) {
    return kube::resource_version_of(was) != kube::resource_version_of(is);
  });
}

// Whatever is stored is another object: apart from the version, and who wrote it when.
bool no_empty_changes(const State& before, const Action&, const State& after) {
  return all_edits(before, after, [](json::View was, json::View is) {
    const auto differs = [&](json::View a, json::View b) {
      for (const auto [key, value] : a.members()) {
        if (key != "metadata" && b.get(key) != value) return true;
      }
      for (const auto [key, value] : a.get("metadata").members()) {
        if (key != "resourceVersion" && key != "managedFields" && b.get("metadata", key) != value) {
          return true;
        }
      }
      return false;
    };
    return differs(was, is) || differs(is, was) || !same(was, is, "managedFields");
  });
}

// What is left when the step is over: of a pod the end of its grace is written before it goes.
bool removal_is_as_finalizers_say(const State& before, const Action&, const State& after) {
  if (before.store.revision() == after.store.revision()) return true;
  const bool lingers = std::ranges::any_of(after.live->records, [](const store::RecordRef& record) {
    return kube::being_deleted(record->body) && kube::finalizers_of(record->body).empty() &&
           kube::deletion_grace_seconds_of(record->body).value_or(0) == 0;
  });
  return !lingers && all_changes(before, after, [](json::View was, json::View is) {
    return !is.is_null() || kube::being_deleted(was) || kube::finalizers_of(was).empty();
  });
}

bool no_new_finalizers(const State& before, const Action&, const State& after) {
  return all_edits(before, after, [](json::View was, json::View is) {
    if (!kube::being_deleted(was)) return true;
    return std::ranges::all_of(kube::finalizers_of(is), [&](std::string_view finalizer) {
      return kube::has_finalizer(was, finalizer) || finalizer == apiserver::kForegroundFinalizer ||
             finalizer == apiserver::kOrphanFinalizer;
    });
  });
}

// Of everything that ever was: the store's history goes back to the beginning of the world.
bool made_again_is_another(const State& before, const Action&, const State& after) {
  return all_changes(before, after, [&](json::View was, json::View is) {
    if (!was.is_null() || is.is_null()) return true;
    const auto past = before.store.events_after(before.store.oldest());
    FP_CHECK(past.has_value());
    return std::ranges::none_of(*past, [&](const store::Event& event) {
      return event.before && kube::uid_of(event.before->body) == kube::uid_of(is);
    });
  });
}

bool one_controller(const State& before, const Action&, const State& after) {
  return all_changes(before, after, [](json::View, json::View is) {
    int controllers = 0;
    for (const json::View owner : is.get("metadata", "ownerReferences").elements()) {
      if (owner.get("controller").as_bool()) ++controllers;
    }
    return controllers <= 1;
  });
}

// Or a field that one manager gives up would stay for the sake of one who never set it.
bool ownership_is_apart(const State& before, const Action&, const State& after) {
  return all_changes(before, after, [](json::View, json::View is) {
    return std::ranges::none_of(
        is.get("metadata", "managedFields").elements(), [](json::View entry) {
          const bool of_status = entry.get("subresource").as_string() == "status";
          return entry.get("fieldsV1").contains(of_status ? "f:spec" : "f:status");
        });
  });
}

// The write of the operator that the server acted upon in this step, if there was one.
const Call* arrived(const State& before, const Action& action) {
  if (action.step == Step::Land) return before.in_flight[action.item].sent->call();
  if (action.step != Step::Effect || !acted_upon(action.fault)) return nullptr;
  const auto* api = std::get_if<runtime::ApiEffect>(&World::effect_of(before, action).what);
  return api == nullptr || api->call.verb == Verb::Get ? nullptr : &api->call;
}

json::View target_of(const State& state, const Call& call) {
  const auto name = call.verb == Verb::Create ? call.body.get("metadata", "name").as_string()
                                              : std::string_view{call.key.name};
  return Look{state.store.latest()}.get(call.resource, {call.key.ns, std::string{name}});
}

// What a write says about what it expects, and what it may not touch.
bool writes_are_checked(const State& before, const Action& action, const State& after) {
  const Call* call = arrived(before, action);
  if (call == nullptr) return true;
  const json::View was = target_of(before, *call);
  const json::View is = target_of(after, *call);
  if (was.is_null() || is.is_null() || is.same_as(was)) return true;
  if (call->verb == Verb::Create) return false;
  const auto version = call->body.get("metadata", "resourceVersion").as_string();
  const auto uid = call->body.get("metadata", "uid").as_string();
  return (version.empty() || version == kube::resource_version_of(was)) &&
         (uid.empty() || uid == kube::uid_of(was));
}

// Who deletes what is not there is told so.
bool nothing_is_not_deleted(const State& before, const Action& action, const State& after) {
  const Call* call = arrived(before, action);
  if (call == nullptr || action.step != Step::Effect || call->verb != Verb::Delete) return true;
  return !after.witness->answered || !target_of(before, *call).is_null();
}

struct OfPrimaries {
  client::Resource primaries;

  bool concerns(json::View object) const {
    return object.get("kind").as_string() == primaries.kind.kind;
  }
  // It counts the specs, and the deletion.
  bool generation_counts(const State& before, const Action&, const State& after) const {
    return all_changes(before, after, [&](json::View was, json::View is) {
      if (is.is_null() || !concerns(is)) return true;
      if (was.is_null()) return kube::generation_of(is) == 1;
      const bool moves =
          was.get("spec") != is.get("spec") || kube::being_deleted(was) != kube::being_deleted(is);
      return kube::generation_of(is) == kube::generation_of(was) + (moves ? 1 : 0);
    });
  }
  bool status_is_apart(const State& before, const Action& action, const State& after) const {
    const Call* call = arrived(before, action);
    if (call == nullptr || call->resource != primaries) return true;
    const json::View was = target_of(before, *call);
    const json::View is = target_of(after, *call);
    if (was.is_null() || is.is_null() || is.same_as(was)) return true;
    if (call->subresource.empty()) return was.get("status") == is.get("status");
    return was.get("spec") == is.get("spec") && same(was, is, "finalizers") &&
           same(was, is, "labels");
  }
};

// A cache that has heard everything knows what is so.
bool watches_tell_everything(const State&, const Action& action, const State& after) {
  if (action.step != Step::Deliver && action.step != Step::Relist && action.step != Step::Notice) {
    return true;
  }
  const auto& followed = after.processes[action.process]->follows[action.item];
  if (!followed.pending.empty()) return true;
  const auto known = followed.contents.list("");
  const auto there = Look{after.store.latest()}.list(followed.contents.collection().resource);
  return std::ranges::equal(known, there, [](json::View a, json::View b) {
    return kube::uid_of(a) == kube::uid_of(b) &&
           kube::resource_version_of(a) == kube::resource_version_of(b);
  });
}

}  // namespace

void add_server_rules(const World& world, Properties<World>& all) {
  all.on_transition("server: an object stays itself", identity_stays);
  all.on_transition("server: every change is a new version", versions_move);
  all.on_transition("server: what changes nothing is not stored", no_empty_changes);
  all.on_transition("server: finalizers decide when an object goes", removal_is_as_finalizers_say);
  all.on_transition("server: the dying get no new finalizers", no_new_finalizers);
  all.on_transition("server: an object made again is another one", made_again_is_another);
  all.on_transition("server: an object has one controller", one_controller);
  all.on_transition("server: spec and status are owned apart", ownership_is_apart);
  all.on_transition("server: what a write expects is checked", writes_are_checked);
  all.on_transition("server: only what is there can be deleted", nothing_is_not_deleted);
  all.on_transition("server: a watch tells everything", watches_tell_everything);
  const OfPrimaries own{world.blueprint().declaration().primary().collection.resource};
  all.on_transition("server: the generation counts specs",
                    [own](const State& b, const Action& by, const State& a) {
                      return own.generation_counts(b, by, a);
                    });
  all.on_transition("server: spec and status are written apart",
                    [own](const State& b, const Action& by, const State& a) {
                      return own.status_is_apart(b, by, a);
                    });
}

}  // namespace fixpoint::verify::world
