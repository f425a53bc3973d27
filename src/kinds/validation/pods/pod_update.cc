// SPDX-License-Identifier: Apache-2.0
//
// What may change in a pod: images, the deadline, more tolerations, fewer scheduling gates, and
// while a gate holds it back also where it may run.
#include "json/draft.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/defaults/draft_fields.h"
#include "kinds/defaults/prepare_pod.h"
#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/pods/annotations.h"
#include "kinds/validation/pods/pod.h"
#include "kube/go/text.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

constexpr std::string_view kOnlyTheseChange =
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
    "negative)\n";

void put_images_back(Draft& spec, View old_spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    Draft* containers = spec.find(list);
    if (containers == nullptr) continue;
    std::size_t i = 0;
    for (Draft& container : containers->elements()) {
      const View image = old_spec.get(list)[i++].get("image");
      if (!image.is_null()) container["image"] = Draft{image};
    }
  }
}

// True when nothing more is to be said about the pod.
bool check_containers(View spec, View old_spec, FieldErrors& errors) {
  const FieldPath path{"spec"};
  for (const std::string_view list : {"containers", "initContainers"}) {
    const FieldPath list_path = path.child(list);
    const View containers = spec.get(list);
    if (containers.size() != old_spec.get(list).size()) {
      note_forbidden(list_path, "pod updates may not add or remove containers", errors);
      return true;
    }
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const FieldPath here = list_path.index(i);
      require_text(containers[i].get("image"), here.child("image"), errors);
    }
  }
  return false;
}

// The same.
bool check_deadline_change(View spec, View old_spec, FieldErrors& errors) {
  const FieldPath root{"spec"};
  const FieldPath path = root.child("activeDeadlineSeconds");
  const View now = spec.get("activeDeadlineSeconds");
  const View before = old_spec.get("activeDeadlineSeconds");
  if (now.is_null()) {
    if (!before.is_null()) {
      note_invalid(path, now, "must not update from a positive integer to nil value", errors);
    }
    return false;
  }
  constexpr auto kMax = std::numeric_limits<std::int32_t>::max();
  if (now.as_int() < 0 || now.as_int() > kMax) {
    note_invalid(path, now, fmt::format("must be between 0 and {}, inclusive", kMax), errors);
    return true;
  }
  if (!before.is_null() && now.as_int() > before.as_int()) {
    note_invalid(path, now, "must be less than or equal to previous value", errors);
    return true;
  }
  return false;
}

bool contains_toleration(View list, View wanted) {
  const auto range = list.elements();
  return std::any_of(range.begin(), range.end(), [&](View each) {
    return each.get("key") == wanted.get("key") && each.get("effect") == wanted.get("effect") &&
           each.get("operator") == wanted.get("operator") &&
           each.get("value") == wanted.get("value");
  });
}

void check_tolerations(View now, View before, FieldErrors& errors) {
  const FieldPath root{"spec"};
  const FieldPath path = root.child("tolerations");
  for (const View old_toleration : before.elements()) {
    if (contains_toleration(now, old_toleration)) continue;
    note_forbidden(path, "existing toleration can not be modified except its tolerationSeconds",
                   errors);
    return;
  }
  validate_tolerations(now, path, errors);
}

void check_gates(View now, View before, FieldErrors& errors) {
  const FieldPath root{"spec"};
  const FieldPath path = root.child("schedulingGates");
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto name = now[i].get("name");
    const auto range = before.elements();
    if (std::any_of(range.begin(), range.end(),
                    [&](View gate) { return gate.get("name") == name; })) {
      continue;
    }
    const FieldPath here = path.index(i);
    note_forbidden(here.child("name"),
                   fmt::format("only deletion is allowed, but found new scheduling gate '{}'",
                               name.as_string()),
                   errors);
  }
}

void check_selector_growth(View now, View before, FieldErrors& errors) {
  const FieldPath root{"spec"};
  for (const auto [key, value] : before.members()) {
    if (now.get(key) == value) continue;
    note_invalid(root.child("nodeSelector"), now,
                 "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
                 errors);
    return;
  }
}

bool begins_with(View now, View before) {
  if (now.size() < before.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!(now[i] == before[i])) return false;
  }
  return true;
}

bool term_only_grew(View now, View before) {
  const bool was_empty =
      before.get("matchExpressions").empty() && before.get("matchFields").empty();
  if (was_empty && !(now.get("matchExpressions").empty() && now.get("matchFields").empty())) {
    return false;
  }
  return begins_with(now.get("matchExpressions"), before.get("matchExpressions")) &&
         begins_with(now.get("matchFields"), before.get("matchFields"));
}

std::string shown_terms(View terms) {
  if (terms.is_null()) return "null";
  std::string text;
  for (const View term : terms.elements()) {
    text += (text.empty() ? "" : ",") + internal_text("NodeSelectorTerm", term);
  }
  return "[" + text + "]";
}

void check_affinity_growth(View now, View before, FieldErrors& errors) {
  if (before.get(kRequiredAffinity).is_null()) return;
  const FieldPath root{"spec"};
  const FieldPath affinity = root.child("affinity");
  const FieldPath node = affinity.child("nodeAffinity");
  const FieldPath required = node.child(kRequiredAffinity);
  const FieldPath path = required.child("nodeSelectorTerms");
  const View old_terms = before.get(kRequiredAffinity, "nodeSelectorTerms");
  const View terms = now.get(kRequiredAffinity, "nodeSelectorTerms");
  if (!old_terms.empty() && old_terms.size() != terms.size()) {
    errors.push_back(
        kube::invalid(path, shown_terms(terms),
                      "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (std::size_t i = 0; i < old_terms.size(); ++i) {
    if (term_only_grew(terms[i], old_terms[i])) continue;
    errors.push_back(kube::invalid(path.index(i), internal_text("NodeSelectorTerm", terms[i]),
                                   "only additions are allowed (no mutations or deletions)"));
  }
}

// A pod that no scheduler may take yet can still be told where to go.
void allow_gated(Draft& rest, View spec, View old_spec, FieldErrors& errors) {
  if (!(spec.get("nodeSelector") == old_spec.get("nodeSelector"))) {
    check_selector_growth(spec.get("nodeSelector"), old_spec.get("nodeSelector"), errors);
    put_back(rest, old_spec, "nodeSelector");
  }
  const View now = spec.get("affinity", "nodeAffinity");
  const View before = old_spec.get("affinity", "nodeAffinity");
  if (now == before) return;
  check_affinity_growth(now, before, errors);
  const bool nothing_else = spec.get("affinity", "podAffinity").is_null() &&
                            spec.get("affinity", "podAntiAffinity").is_null();
  if (old_spec.get("affinity").is_null() && nothing_else) {
    rest.erase("affinity");
  } else if (before.is_null()) {
    rest.object_at("affinity").erase("nodeAffinity");
  } else {
    rest.object_at("affinity")["nodeAffinity"] = Draft{before};
  }
}

// The new spec with everything put back that may change: what still differs may not.
json::Value fixed_part(View spec, View old_spec, FieldErrors& errors) {
  Draft rest{spec};
  put_images_back(rest, old_spec);
  for (const std::string_view field : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    put_back(rest, old_spec, field);
  }
  if (old_spec.get("terminationGracePeriodSeconds").as_int() < 0 &&
      spec.get("terminationGracePeriodSeconds").as_int() == 1) {
    put_back(rest, old_spec, "terminationGracePeriodSeconds");
  }
  if (!old_spec.get("schedulingGates").empty()) allow_gated(rest, spec, old_spec, errors);
  return rest.freeze();
}

// Containers keep their names and places when a pod is resized.
bool check_same_containers(View spec, View old_spec, FieldErrors& errors) {
  const auto before = errors.size();
  const FieldPath path{"spec"};
  for (const std::string_view list : {"containers", "initContainers"}) {
    const FieldPath list_path = path.child(list);
    const View now = spec.get(list);
    const View then = old_spec.get(list);
    if (now.size() != then.size()) {
      note_forbidden(list_path, fmt::format("{} may not be added or removed on resize", list),
                     errors);
      continue;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].get("name") == then[i].get("name")) continue;
      const FieldPath here = list_path.index(i);
      note_forbidden(here.child("name"),
                     fmt::format("{} may not be renamed or reordered on resize", list), errors);
    }
  }
  return errors.size() == before;
}

// Amounts may change but not go, and only those of cpu and memory.
void check_container_resize(View now, View before, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view list : {"requests", "limits"}) {
    const auto members = before.get(list).members();
    const bool removed = std::any_of(members.begin(), members.end(), [&](const auto& member) {
      return now.get(list, member.key).is_null();
    });
    if (removed) {
      note_forbidden(path.child(list), fmt::format("resource {} cannot be removed", list), errors);
    }
  }
}

bool same_but_cpu_and_memory(View now, View before) {
  for (const std::string_view list : {"limits", "requests"}) {
    // Where there was none, a real server leaves the whole list aside, whatever is in it.
    if (!before.get(list).is_object()) continue;
    const auto others_equal = [&](View one, View other) {
      const auto members = one.get(list).members();
      return std::all_of(members.begin(), members.end(), [&](const auto& member) {
        return member.key == "cpu" || member.key == "memory" ||
               other.get(list, member.key) == member.value;
      });
    };
    if (!others_equal(now, before) || !others_equal(before, now)) return false;
  }
  return true;
}

bool is_sidecar(View container) {
  return container.get("restartPolicy").as_string() == "Always";
}

bool only_sizes_change(View now, View before) {
  // A real server forgets claims when it leaves the sizes aside, so they never match.
  return before.get("resources", "claims").empty() &&
         now.get("resizePolicy") == before.get("resizePolicy") &&
         same_but_cpu_and_memory(now.get("resources"), before.get("resources"));
}

void check_removed_sizes(View spec, View old_spec, FieldErrors& errors) {
  const FieldPath path{"spec"};
  for (const std::string_view name : {"initContainers", "containers"}) {
    const FieldPath list = path.child(name);
    const View now = spec.get(name);
    const View before = old_spec.get(name);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (name == "initContainers" && !is_sidecar(before[i])) continue;
      const FieldPath here = list.index(i);
      check_container_resize(now[i].get("resources"), before[i].get("resources"),
                             here.child("resources"), errors);
    }
  }
}

void check_resize(View spec, View old_spec, FieldErrors& errors) {
  const FieldPath path{"spec"};
  check_removed_sizes(spec, old_spec, errors);
  const View now = spec.get("containers");
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (only_sizes_change(now[i], old_spec.get("containers")[i])) continue;
    note_forbidden(path, "only cpu and memory resources are mutable", errors);
  }
  const View init = spec.get("initContainers");
  for (std::size_t i = 0; i < init.size(); ++i) {
    const View before = old_spec.get("initContainers")[i];
    if (!is_sidecar(init[i])) {
      if (init[i] == before) continue;
      note_forbidden(path, "resources for non-sidecar init containers are immutable", errors);
    } else if (!only_sizes_change(init[i], before)) {
      note_forbidden(path, "only cpu and memory resources for sidecar containers are mutable",
                     errors);
    }
  }
}

// About the pod as a whole, whose emptiness of a path a real server prints so.
void note_whole(std::string_view why, FieldErrors& errors) {
  note_forbidden(FieldPath{}, why, errors);
  errors.back().field = "[]";
}

// What may not change in them, and once more what they may say.
void check_annotations(View pod, View old_pod, FieldErrors& errors) {
  const FieldPath metadata{"metadata"};
  const FieldPath path = metadata.child("annotations");
  const View now = pod.get("metadata", "annotations");
  const View before = old_pod.get("metadata", "annotations");
  validate_pod_annotations_update(now, before, path, errors);
  validate_pod_annotations(now, before, pod.get("spec"), path, errors);
}

bool is_mirror(View pod) {
  return pod.get("metadata", "annotations").contains("kubernetes.io/config.mirror");
}

// Why no pod of this sort is resized.
std::string_view never_resized(View pod, View old_pod) {
  const auto has_own = [](View one) {
    const View resources = one.get("spec", "resources");
    return !resources.get("requests").empty() || !resources.get("limits").empty();
  };
  if (has_own(old_pod) || has_own(pod)) return "pods with pod-level resources cannot be resized";
  if (is_mirror(old_pod)) return "static pods cannot be resized";
  if (old_pod.get("spec", "os", "name").as_string() == "windows") {
    return "windows pods cannot be resized";
  }
  return {};
}

// A kubelet that can resize says what a running container has.
bool node_resizes(View pod) {
  for (const View status : pod.get("status", "containerStatuses").elements()) {
    if (!status.get("state", "running").is_null()) return !status.get("resources").is_null();
  }
  return true;
}

}  // namespace

FieldErrors validate_pod_update(View pod, View old_pod) {
  FieldErrors errors;
  const View spec = pod.get("spec");
  const View old_spec = old_pod.get("spec");
  const FieldPath path{"spec"};
  validate_whole_pod(pod, old_pod, errors);
  check_annotations(pod, old_pod, errors);
  if (check_containers(spec, old_spec, errors)) return errors;
  if (check_deadline_change(spec, old_spec, errors)) return errors;
  check_tolerations(spec.get("tolerations"), old_spec.get("tolerations"), errors);
  check_gates(spec.get("schedulingGates"), old_spec.get("schedulingGates"), errors);
  if (spec == old_spec) return errors;
  const auto rest = fixed_part(spec, old_spec, errors);
  if (!(rest.view() == old_spec)) {
    note_forbidden(path, std::string{kOnlyTheseChange} + internal_diff("PodSpec", old_spec, rest),
                   errors);
  }
  return errors;
}

FieldErrors validate_pod_ephemeral_update(View pod, View old_pod) {
  FieldErrors errors;
  if (is_mirror(old_pod)) {
    note_whole("static pods do not support ephemeral containers", errors);
    return errors;
  }
  const FieldPath spec{"spec"};
  validate_whole_pod(pod, old_pod, errors);
  const FieldPath path = spec.child("ephemeralContainers");
  const View now = pod.get("spec", "ephemeralContainers");
  for (const View before : old_pod.get("spec", "ephemeralContainers").elements()) {
    const auto name = kube::go_quoted(before.get("name").as_string());
    const auto range = now.elements();
    const auto same = std::find_if(range.begin(), range.end(), [&](View each) {
      return each.get("name") == before.get("name");
    });
    if (same == range.end()) {
      note_forbidden(
          path, fmt::format("existing ephemeral containers {} may not be removed\n", name), errors);
    } else if (!(*same == before)) {
      note_forbidden(path,
                     fmt::format("existing ephemeral containers {} may not be changed\n{}", name,
                                 internal_diff("EphemeralContainer", before, *same)),
                     errors);
    }
  }
  return errors;
}

FieldErrors validate_pod_resize(View pod, View old_pod) {
  FieldErrors errors;
  if (const auto why = never_resized(pod, old_pod); !why.empty()) {
    note_whole(why, errors);
    return errors;
  }
  const FieldPath path{"spec"};
  const View spec = pod.get("spec");
  const View old_spec = old_pod.get("spec");
  validate_whole_pod(pod, old_pod, errors);
  const auto stated = old_pod.get("status", "qosClass").as_string();
  if (qos_class(spec) != (stated.empty() ? qos_class(old_spec) : stated)) {
    note_invalid(path, pod.get("status", "qosClass").as_string(),
                 "Pod QOS Class may not change as a result of resizing", errors);
  }
  if (!node_resizes(old_pod)) {
    note_forbidden(path, "Pod running on node without support for resize", errors);
  }
  if (!check_same_containers(spec, old_spec, errors)) return errors;
  check_resize(spec, old_spec, errors);
  return errors;
}

}  // namespace fixpoint::kinds
