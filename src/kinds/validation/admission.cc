// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/admission.h"

#include "kube/go/text.h"
#include "kube/scalars/webhook_url.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

bool contains(View list, std::string_view text) {
  for (const View each : list.elements()) {
    if (each.as_string() == text) return true;
  }
  return false;
}

void check_star_alone(View list, const FieldPath& path, std::string_view what,
                      FieldErrors& errors) {
  if (list.empty()) {
    note_required(path, errors);
  } else if (list.size() > 1 && contains(list, "*")) {
    note_invalid(path, list, fmt::format("if '*' is present, must not specify other {}", what),
                 errors);
  }
}

// "pods/*" includes "pods/log", and "*/scale" includes "pods/scale", if it stands before it.
void check_included(std::span<const std::string_view> before, std::string_view text,
                    const FieldPath& path, FieldErrors& errors) {
  const auto slash = text.find('/');
  const std::string whole = fmt::format("{}/*", text.substr(0, slash));
  const std::string every = fmt::format("*{}", text.substr(slash));
  for (const auto& wider : {whole, every}) {
    if (std::ranges::find(before, wider) == before.end()) continue;
    note_invalid(path, text, fmt::format("if '{}' is present, must not specify {}", wider, text),
                 errors);
  }
}

void check_resources(View resources, const FieldPath& path, FieldErrors& errors) {
  if (resources.empty()) {
    note_required(path, errors);
    return;
  }
  bool plain = false;  // of the last one without a slash, as a real server has it
  std::vector<std::string_view> before;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto text = resources[i].as_string();
    if (text.empty()) {
      note_required(path.index(i), errors);
    } else if (text.find('/') == std::string_view::npos) {
      plain = text != "*";
    } else {
      check_included(before, text, path.index(i), errors);
    }
    before.push_back(text);
  }
  if (contains(resources, "*/*") && resources.size() > 1) {
    note_invalid(path, resources, "if '*/*' is present, must not specify other resources", errors);
  }
  if (contains(resources, "*") && plain) {
    note_invalid(path, resources,
                 "if '*' is present, must not specify other resources without subresources",
                 errors);
  }
}

void check_operation_rule(View rule, const FieldPath& path, FieldErrors& errors) {
  const View operations = rule.get("operations");
  const FieldPath operations_path = path.child("operations");
  if (operations.empty()) note_required(operations_path, errors);
  if (operations.size() > 1 && contains(operations, "*")) {
    note_invalid(operations_path, operations,
                 "if '*' is present, must not specify other operations", errors);
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    check_one_of(operations[i], operations_path.index(i),
                 {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}, errors);
  }
  check_star_alone(rule.get("apiGroups"), path.child("apiGroups"), "API groups", errors);
  check_star_alone(rule.get("apiVersions"), path.child("apiVersions"), "API versions", errors);
  check_resources(rule.get("resources"), path.child("resources"), errors);
  check_optional_one_of(rule.get("scope"), path.child("scope"), {"*", "Cluster", "Namespaced"},
                        errors);
}

void check_webhook_service(View service, const FieldPath& path, FieldErrors& errors) {
  require_text(service.get("name"), path.child("name"), errors);
  require_text(service.get("namespace"), path.child("namespace"), errors);
  for (const auto& problem : kube::port_number_problems(service.get("port").as_int(443))) {
    note_invalid(path.child("port"), service.get("port"),
                 fmt::format("port is not valid: {}", problem), errors);
  }
  const View where = service.get("path");
  if (where.as_string().empty()) return;
  if (!where.as_string().starts_with('/')) {
    note_invalid(path.child("path"), where, "must start with a '/'", errors);
  }
  auto rest = where.as_string();
  if (rest == "/") return;
  if (!rest.empty()) rest.remove_prefix(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (std::size_t i = 0;; ++i) {
    const auto slash = rest.find('/');
    if (rest.substr(0, slash).empty()) {
      note_invalid(path.child("path"), where, fmt::format("segment[{}] may not be empty", i),
                   errors);
    }
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
}

void check_review_versions(View versions, const FieldPath& path, FieldErrors& errors) {
  if (versions.empty()) {
    note_required(path, errors, "must specify one of v1, v1beta1");
    return;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const auto version = versions[i].as_string();
    if (!seen.insert(version).second) {
      note_invalid(path.index(i), version, "duplicate version", errors);
      continue;
    }
    kube::note_problems(path.index(i), version, kube::dns1035_label_problems, errors);
  }
  if (!contains(versions, "v1") && !contains(versions, "v1beta1")) {
    note_invalid(path, versions, "must include at least one of v1, v1beta1", errors);
  }
}

// At least three labels: admission webhooks are named like hosts.
void check_webhook_name(View name, const FieldPath& path, FieldErrors& errors) {
  const auto text = name.as_string();
  if (text.empty()) {
    note_required(path, errors);
    return;
  }
  if (const auto problems = kube::dns1123_subdomain_problems(text); !problems.empty()) {
    note_invalid(path, text, kube::joined(problems, ","), errors);
  } else if (std::ranges::count(text, '.') < 2) {
    note_invalid(path, text, "should be a domain with at least three segments separated by dots",
                 errors);
  }
}

enum class Webhook : std::uint8_t { Validating, Mutating };

void check_webhook(View webhook, Webhook kind, const FieldPath& path, FieldErrors& errors) {
  check_webhook_name(webhook.get("name"), path.child("name"), errors);
  const FieldPath rules_path = path.child("rules");
  for (std::size_t i = 0; i < webhook.get("rules").size(); ++i) {
    check_operation_rule(webhook.get("rules")[i], rules_path.index(i), errors);
  }
  check_optional_one_of(webhook.get("failurePolicy"), path.child("failurePolicy"),
                        {"Fail", "Ignore"}, errors);
  check_optional_one_of(webhook.get("matchPolicy"), path.child("matchPolicy"),
                        {"Equivalent", "Exact"}, errors);
  if (webhook.get("sideEffects").is_null()) {
    note_required(path.child("sideEffects"), errors, "must specify one of None, NoneOnDryRun");
  } else {
    check_one_of(webhook.get("sideEffects"), path.child("sideEffects"), {"None", "NoneOnDryRun"},
                 errors);
  }
  if (const View seconds = webhook.get("timeoutSeconds");
      seconds.as_int(10) < 1 || seconds.as_int(10) > 30) {
    note_invalid(path.child("timeoutSeconds"), seconds,
                 "the timeout value must be between 1 and 30 seconds", errors);
  }
  for (const std::string_view selector : {"namespaceSelector", "objectSelector"}) {
    kube::append(errors,
                 kube::validate_label_selector(webhook.get(selector), path.child(selector)));
  }
  if (kind == Webhook::Mutating) {
    check_optional_one_of(webhook.get("reinvocationPolicy"), path.child("reinvocationPolicy"),
                          {"IfNeeded", "Never"}, errors);
  }
  const View client = webhook.get("clientConfig");
  const FieldPath client_path = path.child("clientConfig");
  const bool url = !client.get("url").is_null();
  const bool service = !client.get("service").is_null();
  if (url == service) {
    note_required(client_path, errors, "exactly one of url or service is required");
  } else if (url) {
    kube::validate_webhook_url(client.get("url").as_string(), client_path.child("url"), errors);
  } else {
    check_webhook_service(client.get("service"), client_path.child("service"), errors);
  }
}

FieldErrors check_webhooks(View object, Webhook kind) {
  FieldErrors errors;
  const FieldPath path{"webhooks"};
  const View webhooks = object.get("webhooks");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    const FieldPath here = path.index(i);
    check_webhook(webhooks[i], kind, here, errors);
    check_review_versions(webhooks[i].get("admissionReviewVersions"),
                          here.child("admissionReviewVersions"), errors);
    const View name = webhooks[i].get("name");
    if (!name.as_string().empty() && !names.insert(name.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("name"), name));
    }
  }
  return errors;
}

void check_match_resources(View match, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view selector : {"namespaceSelector", "objectSelector"}) {
    kube::append(errors, kube::validate_label_selector(match.get(selector), path.child(selector)));
  }
  for (const std::string_view list : {"resourceRules", "excludeResourceRules"}) {
    const FieldPath rules_path = path.child(list);
    for (std::size_t i = 0; i < match.get(list).size(); ++i) {
      check_operation_rule(match.get(list)[i], rules_path.index(i), errors);
    }
  }
  check_optional_one_of(match.get("matchPolicy"), path.child("matchPolicy"),
                        {"Equivalent", "Exact"}, errors);
}

bool is_blank(View text) {
  return text.as_string().find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

// The expressions themselves are CEL, which is not compiled here.
void check_validation(View validation, const FieldPath& path, FieldErrors& errors) {
  if (is_blank(validation.get("expression"))) {
    note_required(path.child("expression"), errors, "expression is not specified");
  }
  for (const std::string_view field : {"messageExpression", "message"}) {
    const View text = validation.get(field);
    if (!text.as_string().empty() && is_blank(text)) {
      note_invalid(path.child(field), text, "must be non-empty if specified", errors);
    }
  }
  const View message = validation.get("message");
  if (!is_blank(message)) {
    auto inner = message.as_string();
    inner.remove_prefix(inner.find_first_not_of(" \t\n\v\f\r"));
    inner = inner.substr(0, inner.find_last_not_of(" \t\n\v\f\r") + 1);
    if (inner.find_first_of("\n\r") != std::string_view::npos) {
      note_invalid(path.child("message"), message, "must not contain line breaks", errors);
    }
  }
  check_optional_one_of(validation.get("reason"), path.child("reason"),
                        {"Forbidden", "Invalid", "RequestEntityTooLarge"}, errors);
}

}  // namespace

FieldErrors validate_validating_webhooks(View object) {
  return check_webhooks(object, Webhook::Validating);
}

FieldErrors validate_validating_webhooks_update(View object, View) {
  return check_webhooks(object, Webhook::Validating);
}

FieldErrors validate_mutating_webhooks(View object) {
  return check_webhooks(object, Webhook::Mutating);
}

FieldErrors validate_mutating_webhooks_update(View object, View) {
  return check_webhooks(object, Webhook::Mutating);
}

FieldErrors validate_admission_policy(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_optional_one_of(spec.get("failurePolicy"), path.child("failurePolicy"), {"Fail", "Ignore"},
                        errors);
  const View constraints = spec.get("matchConstraints");
  const FieldPath constraints_path = path.child("matchConstraints");
  if (constraints.is_null()) {
    note_required(constraints_path, errors);
  } else {
    check_match_resources(constraints, constraints_path, errors);
    if (constraints.get("resourceRules").empty()) {
      note_required(constraints_path.child("resourceRules"), errors);
    }
  }
  if (spec.get("validations").empty() && spec.get("auditAnnotations").empty()) {
    for (const std::string_view field : {"validations", "auditAnnotations"}) {
      note_required(path.child(field), errors,
                    "validations or auditAnnotations must contain at least one item");
    }
  }
  const FieldPath validations_path = path.child("validations");
  const View validations = spec.get("validations");
  for (std::size_t i = 0; i < validations.size(); ++i) {
    check_validation(validations[i], validations_path.index(i), errors);
  }
  return errors;
}

FieldErrors validate_admission_policy_update(View object, View) {
  return validate_admission_policy(object);
}

FieldErrors validate_admission_policy_binding(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const auto name = spec.get("policyName").as_string();
  if (name.empty()) {
    note_required(path.child("policyName"), errors);
  } else {
    kube::note_problems(path.child("policyName"), name, kube::dns1123_subdomain_problems, errors);
  }
  check_match_resources(spec.get("matchResources"), path.child("matchResources"), errors);
  const View actions = spec.get("validationActions");
  const FieldPath actions_path = path.child("validationActions");
  if (actions.empty()) {
    note_required(actions_path, errors, "at least one validation action is required");
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    check_one_of(actions[i], actions_path.index(i), {"Audit", "Deny", "Warn"}, errors);
    if (!seen.insert(actions[i].as_string()).second) {
      errors.push_back(kube::duplicate(actions_path.index(i), actions[i]));
    }
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    note_invalid(actions_path, actions,
                 "must not contain both Deny and Warn (repeating the same validation failure "
                 "information in the API response and headers serves no purpose)",
                 errors);
  }
  return errors;
}

FieldErrors validate_admission_policy_binding_update(View object, View) {
  return validate_admission_policy_binding(object);
}

}  // namespace fixpoint::kinds
