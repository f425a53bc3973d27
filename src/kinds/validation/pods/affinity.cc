// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/pods/affinity.h"

#include "kinds/conversion/internal_form.h"
#include "kinds/validation/pods/volumes.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

void check_weight(View term, const FieldPath& path, FieldErrors& errors) {
  const auto weight = term.get("weight").as_int();
  if (weight >= 1 && weight <= 100) return;
  errors.push_back(
      kube::invalid(path.child("weight"), std::to_string(weight), "must be in the range 1-100"));
}

void check_node_expression(View expression, const FieldPath& path, FieldErrors& errors) {
  const auto op = expression.get("operator").as_string();
  const View values = expression.get("values");
  const FieldPath values_path = path.child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      note_required(values_path, errors, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      note_forbidden(values_path,
                     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'", errors);
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      note_required(values_path, errors,
                    "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    note_invalid(path.child("operator"), op, "not a valid selector operator", errors);
  }
  kube::note_problems(path.child("key"), expression.get("key").as_string(),
                      kube::qualified_name_problems, errors);
}

void check_node_term(View term, const FieldPath& path, FieldErrors& errors) {
  const FieldPath expressions_path = path.child("matchExpressions");
  const View expressions = term.get("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    check_node_expression(expressions[i], expressions_path.index(i), errors);
  }
}

void check_node_affinity(View affinity, const FieldPath& path, FieldErrors& errors) {
  if (const View required = affinity.get(kRequiredAffinity); !required.is_null()) {
    validate_node_selector(required, path.child(kRequiredAffinity), errors);
  }
  const FieldPath preferred_path = path.child(kPreferredAffinity);
  const View preferred = affinity.get(kPreferredAffinity);
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath here = preferred_path.index(i);
    check_weight(preferred[i], here, errors);
    check_node_term(preferred[i].get("preference"), here.child("preference"), errors);
  }
}

void check_pod_term(View term, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view selector : {"labelSelector", "namespaceSelector"}) {
    kube::append(errors, kube::validate_label_selector(term.get(selector), path.child(selector)));
  }
  const FieldPath namespaces_path = path.child("namespaces");
  for (const View ns : term.get("namespaces").elements()) {
    kube::note_problems(namespaces_path, ns.as_string(), kube::dns1123_label_problems, errors);
  }
  const auto key = term.get("topologyKey").as_string();
  const FieldPath key_path = path.child("topologyKey");
  if (key.empty()) note_required(key_path, errors, "can not be empty");
  kube::note_problems(key_path, key, kube::qualified_name_problems, errors);
}

void check_pod_affinity(View affinity, const FieldPath& path, FieldErrors& errors) {
  const FieldPath required_path = path.child(kRequiredAffinity);
  const View required = affinity.get(kRequiredAffinity);
  for (std::size_t i = 0; i < required.size(); ++i) {
    check_pod_term(required[i], required_path.index(i), errors);
  }
  const FieldPath preferred_path = path.child(kPreferredAffinity);
  const View preferred = affinity.get(kPreferredAffinity);
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath here = preferred_path.index(i);
    check_weight(preferred[i], here, errors);
    check_pod_term(preferred[i].get("podAffinityTerm"), here.child("podAffinityTerm"), errors);
  }
}

void check_id(View context, std::string_view field, const FieldPath& path, FieldErrors& errors) {
  const View id = context.get(field);
  if (id.is_null()) return;
  check_messages(kube::user_id_problems(id.as_int()), id, path.child(field), errors);
}

// Parts between dots or slashes: lower case, digits, dashes and underscores inside.
bool sysctl_name(std::string_view name) {
  constexpr std::size_t kBytesMax = 253;
  const auto edge = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto inner = [edge](char c) { return edge(c) || c == '-' || c == '_'; };
  if (name.size() > kBytesMax) return false;
  while (true) {
    const auto end = name.find_first_of("./");
    const auto part = name.substr(0, end);
    if (part.empty() || !edge(part.front()) || !edge(part.back()) ||
        !std::ranges::all_of(part, inner)) {
      return false;
    }
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

void check_seccomp(View profile, const FieldPath& path, FieldErrors& errors) {
  if (profile.is_null()) return;
  const View type = profile.get("type");
  const View local = profile.get("localhostProfile");
  if (type.as_string().empty()) {
    note_required(path.child("type"), errors, "type is required when seccompProfile is set");
  } else {
    check_one_of(type, path.child("type"), {"Localhost", "RuntimeDefault", "Unconfined"}, errors);
  }
  const FieldPath local_path = path.child("localhostProfile");
  if (type.as_string() != "Localhost") {
    if (local.is_null()) return;
    errors.push_back(kube::invalid(local_path, internal_text("SeccompProfile", profile),
                                   "can only be set when seccomp type is Localhost"));
  } else if (local.is_null()) {
    note_required(local_path, errors, "must be set when seccomp type is Localhost");
  } else {
    check_descending_path(local, local_path, errors);
  }
}

}  // namespace

void validate_node_selector(View selector, const FieldPath& path, FieldErrors& errors) {
  const FieldPath terms_path = path.child("nodeSelectorTerms");
  const View terms = selector.get("nodeSelectorTerms");
  if (terms.empty()) {
    note_required(terms_path, errors, "must have at least one node selector term");
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    check_node_term(terms[i], terms_path.index(i), errors);
  }
}

void validate_affinity(View affinity, const FieldPath& path, FieldErrors& errors) {
  if (affinity.is_null()) return;
  check_node_affinity(affinity.get("nodeAffinity"), path.child("nodeAffinity"), errors);
  check_pod_affinity(affinity.get("podAffinity"), path.child("podAffinity"), errors);
  check_pod_affinity(affinity.get("podAntiAffinity"), path.child("podAntiAffinity"), errors);
}

void validate_pod_security_context(View spec, const FieldPath& path, FieldErrors& errors) {
  const View context = spec.get("securityContext");
  for (const std::string_view field : {"fsGroup", "runAsUser", "runAsGroup"}) {
    check_id(context, field, path, errors);
  }
  const FieldPath groups_path = path.child("supplementalGroups");
  const View groups = context.get("supplementalGroups");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    check_messages(kube::user_id_problems(groups[i].as_int()), groups[i], groups_path.index(i),
                   errors);
  }
  if (spec.get("shareProcessNamespace").as_bool() && spec.get("hostPID").as_bool()) {
    note_invalid(path.child("shareProcessNamespace"), spec.get("shareProcessNamespace"),
                 "ShareProcessNamespace and HostPID cannot both be enabled", errors);
  }
  const FieldPath sysctls_path = path.child("sysctls");
  const View sysctls = context.get("sysctls");
  for (std::size_t i = 0; i < sysctls.size(); ++i) {
    const FieldPath here = sysctls_path.index(i);
    const View name = sysctls[i].get("name");
    if (name.as_string().empty()) {
      note_required(here.child("name"), errors);
    } else if (!sysctl_name(name.as_string())) {
      note_invalid(here.child("name"), name,
                   "must have at most 253 characters and match regex "
                   "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
                   errors);
    }
    if (spec.get("hostNetwork").as_bool() && name.as_string().starts_with("net.")) {
      note_invalid(here.child("name"), name, "may not be specified when 'hostNetwork' is true",
                   errors);
    }
  }
  check_optional_one_of(context.get("fsGroupChangePolicy"), path.child("fsGroupChangePolicy"),
                        {"Always", "OnRootMismatch"}, errors);
  check_seccomp(context.get("seccompProfile"), path.child("seccompProfile"), errors);
}

void validate_security_context(View context, const FieldPath& path, FieldErrors& errors) {
  if (context.is_null()) return;
  for (const std::string_view field : {"runAsUser", "runAsGroup"}) {
    check_id(context, field, path, errors);
  }
  check_optional_one_of(context.get("procMount"), path.child("procMount"), {"Default", "Unmasked"},
                        errors);
  check_seccomp(context.get("seccompProfile"), path.child("seccompProfile"), errors);
  const View escalation = context.get("allowPrivilegeEscalation");
  if (!escalation.is_bool() || escalation.as_bool()) return;
  const auto refuse = [&](std::string_view why) {
    errors.push_back(
        kube::invalid(path, internal_text("SecurityContext", context),
                      fmt::format("cannot set `allowPrivilegeEscalation` to false and {}", why)));
  };
  if (context.get("privileged").as_bool()) refuse("`privileged` to true");
  for (const View capability : context.get("capabilities", "add").elements()) {
    if (capability.as_string() == "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN");
  }
}

}  // namespace fixpoint::kinds
