// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/remove.h"

#include "apiserver/admission/admission.h"
#include "apiserver/definition.h"
#include "apiserver/read/list.h"
#include "apiserver/write/write.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

bool hand_over_to_controller(const Resource& resource) {
  return resource.prefix == "namespaces/" || resource.prefix == kDefinitionPrefix;
}

// The two kinds that a controller ends look for themselves, and have their own words.
Answer<void> check_handed_over(const DeleteCall& call, json::View object) {
  const auto weakness = call.environment.weakness;
  const auto refuse = [&](const std::string& what, const std::string& wanted,
                          std::string_view found) {
    return std::unexpected(kube::conflict(call.resource.group_resource(), kube::name_of(object),
                                          "Precondition failed: " + what +
                                              " in precondition: " + wanted + ", " + what +
                                              " in object meta: " + std::string{found}));
  };
  const auto& uid = call.options.uid;
  if (uid && *uid != kube::uid_of(object) && weakness != Weakness::IgnoresDeletePreconditionUid) {
    return refuse("UID", *uid, kube::uid_of(object));
  }
  const auto& version = call.options.resource_version;
  if (version && *version != kube::resource_version_of(object) &&
      weakness != Weakness::IgnoresDeletePreconditionVersion) {
    return refuse("ResourceVersion", *version, kube::resource_version_of(object));
  }
  return {};
}

bool is_pod(const Resource& resource) {
  return resource.prefix == "pods/";
}

// Namespaces are never gone at once, but their storage too answers with what it deleted.
bool returns_deleted(const Resource& resource) {
  return resource.prefix == "namespaces/" ||
         (resource.builtin != nullptr && resource.builtin->shows_deleted);
}

// Seconds a pod is given to end: what was asked, else its own, nothing if it never ran or is done.
std::int64_t pod_grace(const DeleteCall& call, json::View pod) {
  const auto phase = pod.get("status", "phase").as_string();
  const auto weakness = call.environment.weakness;
  const bool scheduled = !pod.get("spec", "nodeName").as_string().empty();
  if (!scheduled && weakness != Weakness::GivesGraceToUnscheduled) return 0;
  const bool finished = phase == "Failed" || phase == "Succeeded";
  if (finished && weakness != Weakness::GivesGraceToFinished) return 0;
  const bool zero = call.options.grace_seconds == 0 && weakness == Weakness::IgnoresGraceZero;
  if (call.options.grace_seconds && !zero) {
    // Negative means "as soon as possible"; anything beyond a century would overflow the clock.
    constexpr std::int64_t kGraceSecondsMax = std::int64_t{100} * 365 * 24 * 3600;
    const auto asked = *call.options.grace_seconds;
    return asked < 0 ? 1 : std::min(asked, kGraceSecondsMax);
  }
  if (weakness == Weakness::IgnoresGraceOfSpec) return 30;
  return pod.get("spec", "terminationGracePeriodSeconds").as_int(30);
}

// The finalizers after deletion was asked for, as the propagation policy wants them.
std::vector<std::string> wanted_finalizers(const DeleteCall& call, json::View object) {
  const auto weakness = call.environment.weakness;
  std::vector<std::string> finalizers;
  const auto given = kube::finalizers_of(object);
  bool orphan = false;
  bool foreground = false;
  for (const auto finalizer : given) {
    if (finalizer == kOrphanFinalizer) {
      orphan = true;
    } else if (finalizer == kForegroundFinalizer) {
      foreground = true;
    } else {
      finalizers.emplace_back(finalizer);
    }
  }
  const bool fixed = weakness == Weakness::KeepsFirstPropagation && kube::being_deleted(object);
  switch (fixed ? Propagation::Default : call.options.propagation) {
    case Propagation::Orphan:
      orphan = true;
      foreground = false;
      break;
    case Propagation::Foreground:
      orphan = false;
      foreground = true;
      break;
    case Propagation::Background: orphan = foreground = false; break;
    case Propagation::Default:
      if (!orphan && !foreground && call.resource.builtin != nullptr) {
        orphan = call.resource.builtin->propagation == kinds::DefaultPropagation::Orphan &&
                 weakness != Weakness::JobsDoNotOrphan;
      }
      break;
  }
  // Nothing is ever owned by an event.
  if (call.resource.prefix == "events/") orphan = foreground = false;
  if (orphan && weakness != Weakness::OrphanAddsNoFinalizer) {
    finalizers.emplace_back(kOrphanFinalizer);
  }
  if (foreground && weakness != Weakness::ForegroundAddsNoFinalizer) {
    finalizers.emplace_back(kForegroundFinalizer);
  }
  // The same ones stay in their order.
  // Compared as sets: one given twice does not count.
  const std::set<std::string_view> wanted{finalizers.begin(), finalizers.end()};
  if (wanted == std::set<std::string_view>{given.begin(), given.end()}) {
    return {given.begin(), given.end()};
  }
  return finalizers;
}

void set_finalizers(json::Draft& object, const std::vector<std::string>& finalizers) {
  auto& metadata = object.object_at("metadata");
  if (finalizers.empty()) {
    metadata.erase("finalizers");
    return;
  }
  json::Draft list = json::Draft::array();
  for (const auto& finalizer : finalizers) list.push_back(finalizer);
  metadata["finalizers"] = std::move(list);
}

// The stamp: when the object will be gone at the earliest. Set once; a later DELETE of a pod may
// only bring it forward.
void stamp(const DeleteCall& call, json::Draft& object, json::View old_object, std::int64_t grace) {
  auto& metadata = object.object_at("metadata");
  const auto weakness = call.environment.weakness;
  const auto move_generation = [&] {
    const auto generation = kube::generation_of(old_object);
    if (generation == 0 || weakness == Weakness::DeletionKeepsGeneration) return;
    metadata["generation"] = generation + 1;
  };
  if (kube::being_deleted(old_object) && weakness != Weakness::StampsAgain) {
    // Whoever ends what a controller was handed sets the rest of the stamp.
    if (!is_pod(call.resource) && !kube::deletion_grace_seconds_of(old_object)) {
      metadata["deletionGracePeriodSeconds"] = 0;
      return move_generation();
    }
    const auto given = kube::deletion_grace_seconds_of(old_object).value_or(0);
    if (!is_pod(call.resource) || grace == given) return;
    if (grace > given && weakness != Weakness::LengthensGrace) return;
    auto at = parse_rfc3339(kube::deletion_timestamp_of(old_object));
    const auto stamped = at ? *at : call.environment.now;
    const auto wanted = stamped - std::chrono::seconds{given} + std::chrono::seconds{grace};
    // Not in the past; and what is asked to go gracefully waits for whoever ends it.
    const bool over = wanted < call.environment.now;
    metadata["deletionTimestamp"] = format_seconds(over ? call.environment.now : wanted);
    metadata["deletionGracePeriodSeconds"] = over && grace != 0 ? 1 : grace;
    return;
  }
  metadata["deletionTimestamp"] =
      format_seconds(call.environment.now + std::chrono::seconds{grace});
  metadata["deletionGracePeriodSeconds"] = grace;
  move_generation();
}

// Whether an earlier DELETE's grace still runs and this one does not shorten it: then it changes
// nothing at all.
bool still_waits(const DeleteCall& call, json::View pod) {
  const auto given = kube::deletion_grace_seconds_of(pod).value_or(0);
  if (!kube::being_deleted(pod) || given <= 0) return false;
  if (call.environment.weakness == Weakness::LengthensGrace) return false;
  const auto asked = call.options.grace_seconds;
  return !asked || (*asked < 0 ? 1 : *asked) >= given;
}

// A namespace is never removed by DELETE itself: its content goes first.
void stamp_namespace(const DeleteCall& call, json::Draft& object) {
  auto& metadata = object.object_at("metadata");
  if (!metadata.contains("deletionTimestamp")) {
    metadata["deletionTimestamp"] = format_seconds(call.environment.now);
  }
  object.object_at("status")["phase"] = "Terminating";
}

Removed keep(DeleteCall& call, const store::RecordRef& current, json::Draft object) {
  const json::Value stamped = object.freeze();
  if (call.options.dry_run || stamped == current->body) {
    return {in_version(call.resource, stamped), false};
  }
  return {in_version(call.resource, put_object(call.store, current->key, std::move(object))),
          false};
}

// A pod is stamped even when it goes at once: watchers see both changes. Finalizers that this
// request takes back from something else are never seen to go.
Removed let_go(const DeleteCall& call, const store::Record& current, json::Draft object) {
  if (!is_pod(call.resource) || object == json::Draft{current.body}) {
    return {in_version(call.resource, erase_object(call.store, current)), true};
  }
  put_object(call.store, current.key, std::move(object));
  const auto freed = call.store.latest().find(current.key);
  return {in_version(call.resource, erase_object(call.store, *freed)), true};
}

// A Job's pods stay unless something is said, which surprises.
void note_default_propagation(const DeleteCall& call, std::vector<std::string>& warnings) {
  if (call.resource.prefix != "jobs.batch/" || call.options.propagation != Propagation::Default) {
    return;
  }
  warnings.emplace_back(
      "child pods are preserved by default when jobs are deleted; set "
      "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress "
      "this warning");
}

}  // namespace

Answer<void> check_delete_preconditions(const DeleteCall& call, json::View object) {
  // Kubernetes puts the kind where the resource belongs here.
  const auto& stored = call.resource.prefix;
  const auto dot = stored.find('.');
  const kube::GroupResource named{
      dot == std::string::npos ? "" : stored.substr(dot + 1, stored.size() - dot - 2),
      call.resource.kind.kind};
  const auto weakness = call.environment.weakness;
  if (hand_over_to_controller(call.resource)) return check_handed_over(call, object);
  if (call.options.uid && *call.options.uid != kube::uid_of(object) &&
      weakness != Weakness::IgnoresDeletePreconditionUid) {
    return std::unexpected(kube::conflict(
        named, kube::name_of(object),
        "the UID in the precondition (" + *call.options.uid +
            ") does not match the UID in record (" + std::string{kube::uid_of(object)} +
            "). The object might have been deleted and then recreated"));
  }
  if (call.options.resource_version &&
      *call.options.resource_version != kube::resource_version_of(object) &&
      weakness != Weakness::IgnoresDeletePreconditionVersion) {
    return std::unexpected(kube::conflict(named, kube::name_of(object),
                                          "the ResourceVersion in the precondition (" +
                                              *call.options.resource_version +
                                              ") does not match the ResourceVersion in record (" +
                                              std::string{kube::resource_version_of(object)} +
                                              "). The object might have been modified"));
  }
  return {};
}

Answer<Removed> remove_object(DeleteCall& call, const store::RecordRef& current) {
  const json::Value& body = current->body;
  if (auto ok = check_delete_preconditions(call, body); !ok) return std::unexpected(ok.error());
  if (call.environment.weakness == Weakness::RefusesSecondDelete && kube::being_deleted(body)) {
    return std::unexpected(
        kube::conflict(call.resource.group_resource(), kube::name_of(body), "is being deleted"));
  }
  const AdmissionCall admission{.resource = call.resource,
                                .verb = "delete",
                                .ns = kube::namespace_of(body),
                                .name = kube::name_of(body),
                                .subresource = {},
                                .user = call.request.user,
                                .environment = call.environment,
                                .dry_run = call.options.dry_run};
  if (auto ok = admit_namespace(admission, call.store.latest()); !ok) {
    return std::unexpected(ok.error());
  }

  json::Draft object{body};
  const bool is_namespace = call.resource.prefix == "namespaces/";
  if (is_namespace && call.environment.weakness == Weakness::RemovesNamespaceAtOnce) {
    return Removed{in_version(call.resource, erase_object(call.store, *current)), true};
  }
  if (hand_over_to_controller(call.resource) && !kube::being_deleted(body)) {
    if (is_namespace) {
      stamp_namespace(call, object);
      set_finalizers(object, wanted_finalizers(call, body));
    } else {
      stamp_definition(object, body, call.environment.now);
    }
    return keep(call, current, std::move(object));
  }
  if (is_namespace && !body.get("spec", "finalizers").empty()) {
    return Removed{in_version(call.resource, body), false};
  }

  if (is_pod(call.resource) && still_waits(call, body)) {
    return Removed{in_version(call.resource, body), false};
  }
  const std::int64_t grace = is_pod(call.resource) ? pod_grace(call, body) : 0;
  const auto finalizers = wanted_finalizers(call, body);
  set_finalizers(object, finalizers);
  const bool held =
      !finalizers.empty() && call.environment.weakness != Weakness::IgnoresFinalizersOnDelete;
  bool graceful = false;
  if (is_pod(call.resource)) {
    stamp(call, object, body, grace);
    graceful = object.find("metadata", "deletionGracePeriodSeconds")->as_int() > 0;
  }
  if (!held && !graceful && call.environment.weakness != Weakness::StampsInsteadOfRemoving) {
    // Only what a pod's grace changes is written before the end; the rest goes as it was.
    const bool waited =
        kube::being_deleted(body) && kube::deletion_grace_seconds_of(body).value_or(0) == 0;
    if (!is_pod(call.resource) || waited) object = json::Draft{body};
    if (call.options.dry_run) return Removed{in_version(call.resource, object.freeze()), true};
    return let_go(call, *current, std::move(object));
  }
  if (!is_pod(call.resource)) stamp(call, object, body, grace);
  return keep(call, current, std::move(object));
}

Response remove(DeleteCall call) {
  auto options = parse_delete_options(call.request);
  if (!options) return failure(options.error());
  call.options = *std::move(options);
  const auto current =
      call.store.latest().find(call.resource.key(call.request.ns, call.request.name));
  if (!current && call.environment.weakness == Weakness::DeleteOfAbsentSucceeds) return {};
  Response response;
  note_default_propagation(call, response.warnings);
  if (!current) {
    return failure(kube::not_found(call.resource.group_resource(), call.request.name),
                   std::move(response.warnings));
  }
  auto removed = remove_object(call, current);
  if (!removed) return failure(removed.error(), std::move(response.warnings));

  response.visible = call.store.revision();
  if (!removed->gone && call.options.cascade_asked) response.code = 202;
  const bool show_object = !removed->gone || returns_deleted(call.resource);
  if (show_object) {
    // What is only stamped is answered as it is stored.
    response.body = removed->gone ? shown(call.resource, std::move(removed->object))
                                  : std::move(removed->object);
    return response;
  }
  json::Draft details = json::Draft::object();
  details["name"] = call.request.name;
  if (!call.resource.path.group.empty()) details["group"] = call.resource.path.group;
  details["kind"] = call.resource.path.resource;
  details["uid"] = kube::uid_of(removed->object);
  response.body = json::Draft::object({
                                          {"kind",       "Status"             },
                                          {"apiVersion", "v1"                 },
                                          {"metadata",   json::Draft::object()},
                                          {"status",     "Success"            },
                                          {"details",    std::move(details)   }
  })
                      .freeze();
  return response;
}

Response remove_collection(DeleteCall call) {
  auto options = parse_delete_options(call.request);
  if (!options) return failure(options.error());
  call.options = *std::move(options);
  Response listed = list(call.request, call.resource, call.store, call.environment);
  if (!listed.ok()) return listed;

  auto& page = *listed.list;
  std::vector<store::RecordRef> removed_items;
  note_default_propagation(call, listed.warnings);
  for (const auto& record : page.items) {
    const auto current = call.store.latest().find(record->key);
    if (!current) continue;
    auto removed = remove_object(call, current);
    if (!removed && removed.error().code != 404) {
      return failure(removed.error(), std::move(listed.warnings));
    }
    removed_items.push_back(current);
  }
  page.items = std::move(removed_items);
  listed.visible = call.store.revision();
  return listed;
}

}  // namespace fixpoint::apiserver
