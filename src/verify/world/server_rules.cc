// SPDX-License-Identifier: Apache-2.0
#include "verify/world/server_rules.h"

#include "apiserver/write/remove.h"
#include "kube/meta/metadata.h"
#include "verify/world/turn.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {
namespace {

using client::Call;
using client::Verb;

using Events = std::vector<store::Event>;

// True when `holds` of every change.
template <class Holds>
bool all_changes(const Events& events, Holds holds) {
  return std::ranges::all_of(events, [&](const store::Event& event) {
    return holds(event.before ? event.before->body.view() : json::View{},
                 event.after ? event.after->body.view() : json::View{});
  });
}

template <class Holds>
bool all_edits(const Events& events, Holds holds) {
  return all_changes(events, [&](json::View was, json::View is) {
    return was.is_null() || is.is_null() || holds(was, is);
  });
}

bool same(json::View a, json::View b, std::string_view field) {
  return a.get("metadata", field) == b.get("metadata", field);
}

bool identity_stays(const Events& events) {
  return all_edits(events, [](json::View was, json::View is) {
    return same(was, is, "uid") && same(was, is, "creationTimestamp") &&
           (!kube::being_deleted(was) || same(was, is, "deletionTimestamp"));
  });
}

bool versions_move(const Events& events) {
  return all_edits(events, [](json::View was, json::View is) {
    return kube::resource_version_of(was) != kube::resource_version_of(is);
  });
}

// Whatever is stored is another object: apart from the version, and who wrote it when.
bool no_empty_changes(const Events& events) {
  return all_edits(events, [](json::View was, json::View is) {
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

bool removed_as_finalizers_say(const Events& events) {
  return all_changes(events, [](json::View was, json::View is) {
    return !is.is_null() || kube::being_deleted(was) || kube::finalizers_of(was).empty();
  });
}

bool no_new_finalizers(const Events& events) {
  return all_edits(events, [](json::View was, json::View is) {
    if (!kube::being_deleted(was)) return true;
    return std::ranges::all_of(kube::finalizers_of(is), [&](std::string_view finalizer) {
      return kube::has_finalizer(was, finalizer) || finalizer == apiserver::kForegroundFinalizer ||
             finalizer == apiserver::kOrphanFinalizer;
    });
  });
}

// Of everything that ever was: the store's history goes back to the beginning of the world.
bool made_again_is_another(const State& before, const Action&, const State& after) {
  if (before.store.revision() == after.store.revision()) return true;
  const auto events = after.store.events_after(before.store.revision());
  FP_CHECK(events.has_value());
  return all_changes(*events, [&](json::View was, json::View is) {
    if (!was.is_null() || is.is_null()) return true;
    const auto past = before.store.events_after(before.store.oldest());
    FP_CHECK(past.has_value());
    return std::ranges::none_of(*past, [&](const store::Event& event) {
      return event.before && kube::uid_of(event.before->body) == kube::uid_of(is);
    });
  });
}

bool one_controller(const Events& events) {
  return all_changes(events, [](json::View, json::View is) {
    int controllers = 0;
    for (const json::View owner : is.get("metadata", "ownerReferences").elements()) {
      if (owner.get("controller").as_bool()) ++controllers;
    }
    return controllers <= 1;
  });
}

// Or a field that one manager gives up would stay for the sake of one who never set it.
bool ownership_is_apart(const Events& events) {
  return all_changes(events, [](json::View, json::View is) {
    return std::ranges::none_of(
        is.get("metadata", "managedFields").elements(), [](json::View entry) {
          const bool of_status = entry.get("subresource").as_string() == "status";
          return entry.get("fieldsV1").contains(of_status ? "f:spec" : "f:status");
        });
  });
}

json::View target_of(const State& state, const Call& call) {
  const auto name = call.verb == Verb::Create ? call.body.get("metadata", "name").as_string()
                                              : std::string_view{call.key.name};
  return Look{state.store.latest()}.get(call.resource, {call.key.ns, std::string{name}});
}

// What a write says about what it expects, and what it may not touch.
bool writes_are_checked(const State& before, const Action& action, const State& after) {
  const Call* call = World::arrived(before, action);
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
  const Call* call = World::arrived(before, action);
  if (call == nullptr || action.step != Step::Effect || call->verb != Verb::Delete) return true;
  return !after.witness->answered || !target_of(before, *call).is_null();
}

struct OfPrimaries {
  client::Resource primaries;

  bool concerns(json::View object) const {
    return object.get("kind").as_string() == primaries.kind.kind;
  }
  // It counts the specs, and the deletion.
  bool generation_counts(const Events& events) const {
    return all_changes(events, [&](json::View was, json::View is) {
      if (is.is_null() || !concerns(is)) return true;
      if (was.is_null()) return kube::generation_of(is) == 1;
      const bool moves =
          was.get("spec") != is.get("spec") || kube::being_deleted(was) != kube::being_deleted(is);
      return kube::generation_of(is) == kube::generation_of(was) + (moves ? 1 : 0);
    });
  }
  bool status_is_apart(const State& before, const Action& action, const State& after) const {
    const Call* call = World::arrived(before, action);
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

// Rules that ask for nothing but the changes of a step: their places in Witness::server.
enum OfChanges : std::uint8_t {
  kIdentity,
  kVersions,
  kNoEmptyChanges,
  kRemoval,
  kFinalizers,
  kOneController,
  kOwnership,
  kGeneration,
};

bool has_bit(const State& state, OfChanges bit) {
  return (state.witness->server >> bit & 1U) != 0;
}

// What is left when the step is over: of a pod the end of its grace is written before it goes.
bool removal_is_as_finalizers_say(const State& before, const Action&, const State& after) {
  if (before.store.revision() == after.store.revision()) return true;
  return !after.live->lingers && has_bit(after, kRemoval);
}

}  // namespace

std::uint32_t server_rules_kept(const Events& events, const client::Resource& primaries) {
  std::uint32_t kept = ~std::uint32_t{0};
  const auto note = [&](OfChanges bit, bool holds) {
    if (!holds) kept &= ~(std::uint32_t{1} << bit);
  };
  note(kIdentity, identity_stays(events));
  note(kVersions, versions_move(events));
  note(kNoEmptyChanges, no_empty_changes(events));
  note(kRemoval, removed_as_finalizers_say(events));
  note(kFinalizers, no_new_finalizers(events));
  note(kOneController, one_controller(events));
  note(kOwnership, ownership_is_apart(events));
  note(kGeneration, OfPrimaries{primaries}.generation_counts(events));
  return kept;
}

void add_server_rules(const World& world, Properties<World>& all) {
  const auto changes = [&](const char* name, OfChanges bit) {
    all.on_transition(name, [bit](const State&, const Action&, const State& after) {
      return has_bit(after, bit);
    });
  };
  changes("server: an object stays itself", kIdentity);
  changes("server: every change is a new version", kVersions);
  changes("server: what changes nothing is not stored", kNoEmptyChanges);
  all.on_transition("server: finalizers decide when an object goes", removal_is_as_finalizers_say);
  changes("server: the dying get no new finalizers", kFinalizers);
  all.on_transition("server: an object made again is another one", made_again_is_another);
  changes("server: an object has one controller", kOneController);
  changes("server: spec and status are owned apart", kOwnership);
  all.on_transition("server: what a write expects is checked", writes_are_checked);
  all.on_transition("server: only what is there can be deleted", nothing_is_not_deleted);
  all.on_transition("server: a watch tells everything", watches_tell_everything);
  changes("server: the generation counts specs", kGeneration);
  const OfPrimaries own{world.blueprint().declaration().primary().collection.resource};
  all.on_transition("server: spec and status are written apart",
                    [own](const State& b, const Action& by, const State& a) {
                      return own.status_is_apart(b, by, a);
                    });
}

}  // namespace fixpoint::verify::world
