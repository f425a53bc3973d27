// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/namespace_controller.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <map>

namespace fixpoint::cluster {
namespace {

using apiserver::Verb;

constexpr std::string_view kNamespaceFinalizer = "kubernetes";

bool terminating(json::View ns) {
  return kube::being_deleted(ns) && ns.get("status", "phase").as_string() == "Terminating";
}

constexpr std::string_view kPodsKey = "pods/";

struct Remaining {
  std::map<std::string, std::size_t> resources;   // "pods." -> how many
  std::map<std::string, std::size_t> finalizers;  // finalizer -> on how many objects
  std::size_t asked = 0;                          // deletions of this step
  bool pods = false;                              // some are left: nothing else was looked at
};

// Asks for every object of this kind in the namespace to go, and counts what is left afterwards.
void delete_kind(Api& api, const apiserver::Resource& resource, std::string_view ns,
                 Remaining& remaining) {
  const std::string prefix = resource.prefix + std::string{ns} + "/";
  std::vector<store::RecordRef> content;
  api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
    content.push_back(record);
    return true;
  });
  for (const auto& record : content) {
    if (kube::being_deleted(record->body)) continue;
    auto request = request_for(resource, Verb::Delete, ns, kube::name_of(record->body));
    request.body = R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})";
    // Refused or already gone: what remains is counted below either way.
    if (api.call(request).ok() && ++remaining.asked == kDeletesPerStep) return;
  }
  api.latest().scan(prefix, {}, [&](const store::RecordRef& record) {
    ++remaining.resources[resource.path.resource + "." + resource.path.group];
    for (const auto finalizer : kube::finalizers_of(record->body)) {
      ++remaining.finalizers[std::string{finalizer}];
    }
    return true;
  });
}

// Pods go first: what else is there, policies and secrets among it, stays while one of them runs.
Remaining delete_content(Api& api, std::string_view ns) {
  Remaining remaining;
  const auto kinds = api.kinds().all(api.latest());
  const auto delete_those = [&](auto belongs) {
    for (const auto& resource : kinds) {
      const bool own_storage =
          resource.builtin == nullptr || resource.builtin->stored_as.resource.empty();
      if (!resource.namespaced || !own_storage || !resource.supports("delete")) continue;
      if (!belongs(resource)) continue;
      delete_kind(api, resource, ns, remaining);
      if (remaining.asked == kDeletesPerStep) return;
    }
  };
  delete_those([](const auto& resource) { return resource.prefix == kPodsKey; });
  remaining.pods = !remaining.resources.empty();
  if (remaining.pods || remaining.asked == kDeletesPerStep) return remaining;
  delete_those([](const auto& resource) { return resource.prefix != kPodsKey; });
  return remaining;
}

struct DeletionCondition {
  std::string_view type;
  bool holds;
  std::string_view reason;
  std::string message;
};

std::vector<DeletionCondition> deletion_conditions(const Remaining& remaining) {
  const auto listed = [](const std::map<std::string, std::size_t>& counts, std::string_view what,
                         std::string_view has) {
    std::string text{what};
    bool first = true;
    for (const auto& [name, count] : counts) {
      text += (first ? "" : ", ") + name + std::string{has} + std::to_string(count) +
              " resource instances";
      first = false;
    }
    return text;
  };
  const bool some = !remaining.resources.empty();
  const bool held = !remaining.finalizers.empty();
  return {
      {"NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
       "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure", false, "ContentDeleted",
       "All content successfully deleted, may be waiting on finalization"},
      {"NamespaceContentRemaining", some, some ? "SomeResourcesRemain" : "ContentRemoved",
       some ? listed(remaining.resources, "Some resources are remaining: ", " has ")
            : "All content successfully removed"},
      {"NamespaceFinalizersRemaining", held,
       held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
       held ? listed(remaining.finalizers,
       "Some content in the namespace has finalizers remaining: ", " in ")
            : "All content-preserving finalizers finished"},
  };
}

void set_deletion_condition(json::Draft& status, const DeletionCondition& condition, Instant now) {
  auto& conditions = status.array_at("conditions");
  const std::string_view value = condition.holds ? "True" : "False";
  for (auto& known : conditions.elements()) {
    if (known.find("type")->as_string() != condition.type) continue;
    if (known.find("status")->as_string() != value) {
      known["lastTransitionTime"] = format_seconds(now);
      known["status"] = value;
    }
    known["reason"] = condition.reason;
    known["message"] = condition.message;
    return;
  }
  conditions.push_back(json::Draft::object({
      {"type",               condition.type     },
      {"status",             value              },
      {"lastTransitionTime", format_seconds(now)},
      {"reason",             condition.reason   },
      {"message",            condition.message  }
  }));
}

void report(Api& api, const apiserver::Resource& namespaces, const std::string& key,
            const Remaining& remaining) {
  const auto record = api.latest().find(key);
  if (!record) return;
  json::Draft object{record->body};
  for (const auto& condition : deletion_conditions(remaining)) {
    set_deletion_condition(object.object_at("status"), condition, api.now());
  }
  auto request = request_for(namespaces, Verb::Update, "", kube::name_of(record->body));
  request.subresource = "status";
  const json::Value body = object.freeze();
  request.body = json::to_text(body);
  (void)api.call(request);  // a conflict comes back as an event
}

void finalize(Api& api, const apiserver::Resource& namespaces, const std::string& key) {
  const auto record = api.latest().find(key);
  if (!record) return;
  json::Draft object{record->body};
  auto& spec = object.object_at("spec");
  if (!record->body.get("spec", "finalizers").is_array()) spec["finalizers"] = json::Draft::array();
  auto& finalizers = spec.array_at("finalizers");
  std::erase_if(finalizers.elements(),
                [](const json::Draft& one) { return one.as_string() == kNamespaceFinalizer; });
  auto request = request_for(namespaces, Verb::Update, "", kube::name_of(record->body));
  request.subresource = "finalize";
  const json::Value body = object.freeze();
  request.body = json::to_text(body);
  (void)api.call(request);  // a conflict comes back as an event
}

}  // namespace

void NamespaceController::begin(Api& api) {
  api.latest().scan(kNamespaces, {}, [&](const store::RecordRef& record) {
    if (terminating(record->body)) terminating_.add(record->key);
    return true;
  });
}

void NamespaceController::observe(const store::Event& event) {
  const auto parts = split_key(event.key());
  if (parts.prefix == kNamespaces) {
    if (event.after && terminating(event.after->body)) terminating_.add(event.after->key);
    return;
  }
  // Content that goes, or slips in while the namespace was not yet stamped.
  if (!parts.ns.empty()) {
    terminating_.add(std::string{kNamespaces} + "/" + std::string{parts.ns});
  }
}

bool NamespaceController::step(Api& api) {
  const auto key = terminating_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (!record || !terminating(record->body)) return true;
  const auto namespaces = resource_of(api, record->body);
  FP_CHECK(namespaces.has_value());
  const auto remaining = delete_content(api, kube::name_of(record->body));
  // There is more; the events of what was deleted bring the namespace back here.
  if (remaining.asked == kDeletesPerStep) return true;
  // While there are pods, a real server has counted nothing and says that all is well.
  report(api, *namespaces, *key, remaining.pods ? Remaining{} : remaining);
  if (remaining.resources.empty()) finalize(api, *namespaces, *key);
  return true;
}

}  // namespace fixpoint::cluster
