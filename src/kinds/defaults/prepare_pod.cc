// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/prepare_pod.h"

#include "base/rfc3339.h"
#include "kinds/defaults/draft_fields.h"
#include "kinds/defaults/fields.h"
#include "kinds/validation/pods/annotations.h"
#include "kube/scalars/quantity.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::Value;
using json::View;
using kube::Quantity;

constexpr int kEvictionSeconds = 300;

bool tolerated(const Draft& tolerations, std::string_view taint) {
  for (const Draft& each : tolerations.elements()) {
    const auto text = [&](std::string_view key) {
      const Draft* value = each.find(key);
      return value == nullptr ? std::string_view{} : value->as_string();
    };
    const bool key = text("key") == taint || text("key").empty();
    const bool effect = text("effect") == "NoExecute" || text("effect").empty();
    if (key && effect) return true;
  }
  return false;
}

// A pod stays five minutes on a node that went away, unless it says otherwise.
void add_tolerations(Draft& spec) {
  for (const std::string_view taint :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    Draft& tolerations = spec.array_at("tolerations");
    if (tolerated(tolerations, taint)) continue;
    tolerations.push_back(Draft::object({
        {"key",               taint           },
        {"operator",          "Exists"        },
        {"effect",            "NoExecute"     },
        {"tolerationSeconds", kEvictionSeconds}
    }));
  }
}

struct Totals {
  std::map<std::string, Quantity> requests;
  std::map<std::string, Quantity> limits;
  bool fully_limited = true;
};

// Adds the non-zero cpu and memory of one list; how many of the two there were.
int add_amounts(View list, std::map<std::string, Quantity>& totals) {
  int counted = 0;
  for (const auto* name : {"cpu", "memory"}) {
    const auto amount = Quantity::parse(list.get(name).as_string());
    if (!amount || amount->sign() <= 0) continue;
    totals[name] += *amount;
    ++counted;
  }
  return counted;
}

void add_resources(View resources, Totals& totals) {
  add_amounts(resources.get("requests"), totals.requests);
  if (add_amounts(resources.get("limits"), totals.limits) < 2) totals.fully_limited = false;
}

void note_gated(Draft& status, Instant now) {
  status.array_at("conditions")
      .push_back(Draft::object({
          {"type",               "PodScheduled"                                           },
          {"status",             "False"                                                  },
          {"reason",             "SchedulingGated"                                        },
          {"message",            "Scheduling is blocked due to non-empty scheduling gates"},
          {"lastProbeTime",      Draft{}                                                  },
          {"lastTransitionTime", format_seconds(now)                                      }
  }));
}

bool take_sizes_of(const Draft* given, Draft* containers) {
  const std::size_t count = containers == nullptr ? 0 : containers->elements().size();
  if ((given == nullptr ? 0 : given->elements().size()) != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Draft& from = given->elements()[i];
    Draft& to = containers->elements()[i];
    const Draft* name = from.find("name");
    const Draft* old_name = to.find("name");
    if (name == nullptr || old_name == nullptr || !(*name == *old_name)) return false;
    for (const auto* field : {"resources", "resizePolicy"}) {
      if (const Draft* value = from.find(field); value != nullptr) {
        to[field] = *value;
      } else {
        to.erase(field);
      }
    }
  }
  return true;
}

// False when the containers are not the same.
bool take_sizes(const Draft* given, Draft& spec) {
  if (given == nullptr) return false;
  return take_sizes_of(given->find("containers"), spec.find("containers")) &&
         take_sizes_of(given->find("initContainers"), spec.find("initContainers"));
}

}  // namespace

std::string_view qos_class(View pod_spec) {
  Totals totals;
  if (const View whole = pod_spec.get("resources"); !whole.is_null()) {
    add_resources(whole, totals);
  } else {
    for (const auto* list : {"containers", "initContainers"}) {
      for (const View container : pod_spec.get(list).elements()) {
        add_resources(container.get("resources"), totals);
      }
    }
  }
  if (totals.requests.empty() && totals.limits.empty()) return "BestEffort";
  if (totals.fully_limited && totals.requests == totals.limits) return "Guaranteed";
  return "Burstable";
}

namespace {

// Volumes from images are behind a shut gate, and so are their mounts.
void drop_image_volumes(Draft& pod_spec) {
  Draft* volumes = pod_spec.find("volumes");
  if (volumes == nullptr || !volumes->is_array()) return;
  std::set<std::string, std::less<>> dropped;
  std::erase_if(volumes->elements(), [&](const Draft& volume) {
    if (!volume.contains("image")) return false;
    if (const Draft* name = volume.find("name")) dropped.emplace(name->as_string());
    return true;
  });
  if (dropped.empty()) return;
  if (volumes->empty()) pod_spec.erase("volumes");
  for (const auto* list : {"containers", "initContainers", "ephemeralContainers"}) {
    Draft* containers = pod_spec.find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Draft& container : containers->elements()) {
      Draft* mounts = container.find("volumeMounts");
      if (mounts == nullptr || !mounts->is_array()) continue;
      std::erase_if(mounts->elements(), [&](const Draft& mount) {
        const Draft* name = mount.find("name");
        return name != nullptr && dropped.contains(name->as_string());
      });
      if (mounts->empty()) container.erase("volumeMounts");
    }
  }
}

}  // namespace

// Restart rules of single containers are behind a shut gate; only sidecars have a policy.
void drop_gated_fields(Draft& pod_spec) {
  drop_image_volumes(pod_spec);
  pod_spec.erase("hostnameOverride");
  for (const auto* list : {"containers", "initContainers", "ephemeralContainers"}) {
    Draft* containers = pod_spec.find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Draft& container : containers->elements()) {
      container.erase("restartPolicyRules");
      const Draft* policy = container.find("restartPolicy");
      const bool sidecar = std::string_view{list} == "initContainers" && policy != nullptr &&
                           policy->as_string() == "Always";
      if (!sidecar) container.erase("restartPolicy");
    }
  }
}

void prepare_pod_part(Draft& pod, View old_pod, std::string_view subresource) {
  Draft spec{old_pod.get("spec")};
  const Draft* given = pod.find("spec");
  if (subresource == "ephemeralcontainers") {
    const Draft* containers = given == nullptr ? nullptr : given->find("ephemeralContainers");
    if (containers == nullptr || containers->is_null()) {
      spec.erase("ephemeralContainers");
    } else {
      spec["ephemeralContainers"] = *containers;
    }
  } else if (!take_sizes(given, spec)) {
    // Other containers than before: validation says so.
    return;
  }
  pod["spec"] = std::move(spec);
  put_back(pod, old_pod, "status");
  Draft& metadata = pod.object_at("metadata");
  for (const auto* field : {"deletionTimestamp", "generation", "labels", "annotations",
                            "finalizers", "ownerReferences"}) {
    put_back(metadata, old_pod.get("metadata"), field);
  }
  drop_gated_fields(pod["spec"]);
}

void prepare_template(Draft& object, View, const HookContext&) {
  if (Draft* spec = object.find("spec", "template", "spec"); spec != nullptr) {
    drop_gated_fields(*spec);
  } else if (Draft* bare = object.find("template", "spec"); bare != nullptr) {
    drop_gated_fields(*bare);
  }
}

void prepare_job_template(Draft& object, View, const HookContext&) {
  Draft* spec = object.find("spec", "jobTemplate", "spec", "template", "spec");
  if (spec != nullptr) drop_gated_fields(*spec);
}

namespace {

// The field that an old annotation stands for is set beside it.
void take_app_armor(const Draft* annotations, const Value& pod_profile, Draft& container,
                    const HookContext& context) {
  const Draft* name = container.find("name");
  if (annotations == nullptr || name == nullptr) return;
  const auto key = app_armor_annotation(name->as_string());
  const Draft* said = annotations->find(key);
  if (said == nullptr || container.find("securityContext", "appArmorProfile") != nullptr) return;
  const auto profile = app_armor_field(said->as_string());
  const bool pods_own = profile && profile->freeze() == pod_profile;
  if (pods_own) return;
  if (profile) container.object_at("securityContext")["appArmorProfile"] = *profile;
  if (context.warnings == nullptr) return;
  context.warnings->push_back("metadata.annotations[" + key +
                              "]: deprecated since v1.30; use the \"appArmorProfile\" field "
                              "instead");
}

void take_app_armor(Draft& pod, const HookContext& context) {
  const Draft* annotations = pod.find("metadata", "annotations");
  Draft& spec = pod.object_at("spec");
  const Draft* os = spec.find("os", "name");
  if (os != nullptr && os->as_string() == "windows") return;
  const Draft* own = spec.find("securityContext", "appArmorProfile");
  const Value pod_profile = own == nullptr ? Value{} : own->freeze();
  for (const auto* list : {"initContainers", "containers"}) {
    Draft* containers = spec.find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Draft& container : containers->elements()) {
      take_app_armor(annotations, pod_profile, container, context);
    }
  }
}

}  // namespace

void prepare_pod(Draft& pod, View old_pod, const HookContext& context) {
  Draft& spec = pod.object_at("spec");
  drop_gated_fields(spec);
  add_tolerations(spec);
  const auto keep = [&](std::string_view field, Draft fallback) {
    const View before = old_pod.get("spec", field);
    default_to(spec, field, before.is_null() ? std::move(fallback) : Draft{before});
  };
  keep("priority", 0);
  keep("preemptionPolicy", "PreemptLowerPriority");
  if (!old_pod.is_null()) return;
  take_app_armor(pod, context);
  const json::Value frozen = spec.freeze();
  pod["status"] = Draft::object({
      {"phase",    "Pending"        },
      {"qosClass", qos_class(frozen)}
  });
  if (!frozen.get("schedulingGates").empty()) note_gated(pod["status"], context.now);
}

}  // namespace fixpoint::kinds
