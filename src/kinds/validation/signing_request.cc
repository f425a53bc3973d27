// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/signing_request.h"

#include "base/pem.h"
#include "base/rfc3339.h"
#include "kube/scalars/base64.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

constexpr std::string_view kLegacySigner = "kubernetes.io/legacy-unknown";
constexpr std::array<std::string_view, 3> kFinal{"Approved", "Denied", "Failed"};
constexpr std::array<std::string_view, 2> kVerdicts{"Approved", "Denied"};

// What is in the block, and whether its key signed it, is for those to say who have cryptography:
// apiserver/access/certificate_checks.h.
void check_pem_request(View request, const FieldPath& path, FieldErrors& errors) {
  const auto bytes = kube::from_base64(request.as_string()).value_or("");
  std::string_view text = bytes;
  const auto block = next_pem_block(text);
  if (block && block->type == "CERTIFICATE REQUEST") return;
  note_invalid(path, request, "PEM block type must be CERTIFICATE REQUEST", errors);
}

void check_usages(View usages, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kUsages{"any",
                                                "cert sign",
                                                "client auth",
                                                "code signing",
                                                "content commitment",
                                                "crl sign",
                                                "data encipherment",
                                                "decipher only",
                                                "digital signature",
                                                "email protection",
                                                "encipher only",
                                                "ipsec end system",
                                                "ipsec tunnel",
                                                "ipsec user",
                                                "key agreement",
                                                "key encipherment",
                                                "microsoft sgc",
                                                "netscape sgc",
                                                "ocsp signing",
                                                "s/mime",
                                                "server auth",
                                                "signing",
                                                "timestamping"};
  if (usages.empty()) note_required(path, errors);
  for (std::size_t i = 0; i < usages.size(); ++i) {
    check_one_of(usages[i], path.index(i), kUsages, errors);
    for (std::size_t j = 0; j < i; ++j) {
      if (!(usages[i] == usages[j])) continue;
      errors.push_back(kube::duplicate(path.index(i), usages[i]));
      break;
    }
  }
}

// Notes what is wrong with the first bad one of the parts between dots.
void check_labels(std::string_view name, const FieldPath& path,
                  kube::Messages (*problems)(std::string_view), FieldErrors& errors) {
  for (const auto part : std::views::split(name, '.')) {
    const std::string_view label{part.begin(), part.end()};
    const auto found = problems(label);
    for (const auto& problem : found) {
      note_invalid(path, name, fmt::format("validating label {}: {}", kube::shown(label), problem),
                   errors);
    }
    if (!found.empty()) return;
  }
}

void check_signer(View signer, View old_signer, const FieldPath& path, FieldErrors& errors) {
  constexpr std::size_t kDomainMax = 253;
  constexpr std::size_t kNameMax = kDomainMax + (253 + 63 + 1) + 1;
  const auto name = signer.as_string();
  if (name.empty()) {
    note_required(path, errors);
    return;
  }
  if (name == kLegacySigner && old_signer.as_string() != kLegacySigner) {
    note_invalid(path, name, "the legacy signerName is not allowed via this API version", errors);
    return;
  }
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || name.find('/', slash + 1) != std::string_view::npos) {
    note_invalid(path, name,
                 "must be a fully qualified domain and path of the form 'example.com/signer-name'",
                 errors);
    return;
  }
  const auto domain = name.substr(0, slash);
  const auto rest = name.substr(slash + 1);
  if (domain.size() > kDomainMax) errors.push_back(kube::too_long(path, kDomainMax));
  check_labels(domain, path, kube::dns1123_label_problems, errors);
  if (domain.find('.') == std::string_view::npos) {
    note_invalid(path, domain, "should be a domain with at least two segments separated by dots",
                 errors);
  }
  check_labels(rest, path, kube::dns1123_subdomain_problems, errors);
  if (name.size() > kNameMax) errors.push_back(kube::too_long(path, kNameMax));
}

std::vector<View> conditions_of(View object, std::string_view type) {
  std::vector<View> found;
  for (const View one : object.get("status", "conditions").elements()) {
    if (one.get("type").as_string() == type) found.push_back(one);
  }
  return found;
}

bool has_both_verdicts(View object) {
  return std::ranges::all_of(
      kVerdicts, [&](std::string_view type) { return !conditions_of(object, type).empty(); });
}

bool repeats_a_type(View object) {
  const View conditions = object.get("status", "conditions");
  return std::ranges::any_of(conditions.elements(), [&](View one) {
    return conditions_of(object, one.get("type").as_string()).size() > 1;
  });
}

// Mistakes that are there already may stay.
void check_request_conditions(View object, View old_object, FieldErrors& errors) {
  const FieldPath status{"status"};
  const FieldPath path = status.child("conditions");
  const bool both = has_both_verdicts(old_object);
  const bool repeats = repeats_a_type(old_object);
  const bool nameless = !conditions_of(old_object, "").empty();
  const View conditions = object.get("status", "conditions");
  std::string_view verdict;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath here = path.index(i);
    const View type = conditions[i].get("type");
    const auto name = type.as_string();
    if (name.empty() && !nameless) note_required(here.child("type"), errors);
    const bool only_true = std::ranges::find(kFinal, name) != kFinal.end();
    const View value = conditions[i].get("status");
    if (value.as_string().empty()) {
      note_required(here.child("status"), errors);
    } else {
      check_one_of(value, here.child("status"),
                   only_true ? std::vector<std::string>{"True"}
                             : std::vector<std::string>{"False", "True", "Unknown"},
                   errors);
    }
    if (!both && std::ranges::find(kVerdicts, name) != kVerdicts.end()) {
      if (!verdict.empty() && verdict != name) {
        note_invalid(path, name, "Approved and Denied conditions are mutually exclusive", errors);
      }
      verdict = name;
    }
    if (repeats) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (!(conditions[j].get("type") == type)) continue;
      errors.push_back(kube::duplicate(here.child("type"), type));
      break;
    }
  }
}

// What is wrong with a chain of PEM certificates; empty if nothing is.
std::string certificate_problem(std::string_view text) {
  bool any = false;
  while (const auto block = next_pem_block(text)) {
    constexpr char kSequence = 0x30;
    if (block->type != "CERTIFICATE") {
      return "only CERTIFICATE PEM blocks are allowed, found " + kube::shown(block->type);
    }
    if (block->has_headers) return "no PEM block headers are permitted";
    if (block->bytes.empty()) return "found CERTIFICATE PEM block containing 0 certificates";
    if (block->bytes.front() != kSequence) return "x509: malformed certificate";
    any = true;
  }
  return any ? "" : "must contain at least one CERTIFICATE PEM block";
}

void check_certificate(View object, View old_object, FieldErrors& errors) {
  const FieldPath status{"status"};
  const View certificate = object.get("status", "certificate");
  if (certificate.as_string().empty()) return;
  const auto problem = [](View one) {
    return certificate_problem(kube::from_base64(one.as_string()).value_or(""));
  };
  const auto why = problem(certificate);
  if (why.empty()) return;
  // An old one that nobody touches, or that was no better, is let be.
  const View before = old_object.get("status", "certificate");
  if (before == certificate) return;
  note_invalid(status.child("certificate"), "<certificate data>", why, errors);
}

FieldErrors check(View object, View old_object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_pem_request(spec.get("request"), path.child("request"), errors);
  check_usages(spec.get("usages"), path.child("usages"), errors);
  check_signer(spec.get("signerName"), old_object.get("spec", "signerName"),
               path.child("signerName"), errors);
  constexpr std::int64_t kTenMinutes = 600;
  if (const View seconds = spec.get("expirationSeconds");
      !seconds.is_null() && seconds.as_int() < kTenMinutes) {
    note_invalid(path.child("expirationSeconds"), seconds,
                 "may not specify a duration less than 600 seconds (10 minutes)", errors);
  }
  check_request_conditions(object, old_object, errors);
  check_certificate(object, old_object, errors);
  return errors;
}

void check_removed_conditions(View object, View old_object, FieldErrors& errors) {
  const FieldPath status{"status"};
  for (const auto type : kFinal) {
    if (conditions_of(object, type).size() >= conditions_of(old_object, type).size()) continue;
    note_forbidden(status.child("conditions"),
                   "updates may not remove a condition of type " + kube::shown(type), errors);
  }
}

// Old verdicts were put back before, so only their number can differ.
void check_verdicts(View object, View old_object, FieldErrors& errors) {
  const FieldPath status{"status"};
  for (const auto type : kVerdicts) {
    if (conditions_of(object, type).size() <= conditions_of(old_object, type).size()) continue;
    note_forbidden(status.child("conditions"),
                   "updates may not add a condition of type " + kube::shown(type), errors);
  }
}

bool same_certificate(View object, View old_object) {
  return object.get("status", "certificate") == old_object.get("status", "certificate");
}

// A condition that does not say when it came, came now, or when it last changed.
void set_times(Draft& object, View old_object, const HookContext& context) {
  Draft* conditions = object.find("status", "conditions");
  if (conditions == nullptr || !conditions->is_array()) return;
  const auto missing = [](const Draft& condition, std::string_view key) {
    const Draft* time = condition.find(key);
    return time == nullptr || time->is_null();
  };
  const auto text = [](const Draft& condition, std::string_view key) {
    const Draft* value = condition.find(key);
    return value == nullptr ? std::string_view{} : value->as_string();
  };
  for (Draft& condition : conditions->elements()) {
    if (missing(condition, "lastUpdateTime")) {
      condition["lastUpdateTime"] = format_seconds(context.now);
    }
    if (!missing(condition, "lastTransitionTime")) continue;
    condition["lastTransitionTime"] = format_seconds(context.now);
    for (const View old : conditions_of(old_object, text(condition, "type"))) {
      const View time = old.get("lastTransitionTime");
      if (old.get("status").as_string() != text(condition, "status") || time.is_null()) continue;
      condition["lastTransitionTime"] = Draft{time};
      break;
    }
  }
}

// Verdicts are not changed through /status: as many as there were are put back as they were.
void keep_verdicts(Draft& object, View old_object) {
  Draft* conditions = object.find("status", "conditions");
  if (conditions == nullptr || !conditions->is_array()) return;
  for (const auto type : kVerdicts) {
    std::vector<Draft*> now;
    for (Draft& one : conditions->elements()) {
      const Draft* given = one.find("type");
      if (given != nullptr && given->as_string() == type) now.push_back(&one);
    }
    const auto before = conditions_of(old_object, type);
    if (now.size() != before.size()) continue;
    for (std::size_t i = 0; i < now.size(); ++i) *now[i] = Draft{before[i]};
  }
}

}  // namespace

void prepare_signing_request(Draft& object, View old_object, const HookContext&) {
  if (old_object.is_null()) return;
  object["spec"] = Draft{old_object.get("spec")};
}

void prepare_signing_request_status(Draft& object, View old_object, const HookContext& context) {
  keep_verdicts(object, old_object);
  set_times(object, old_object, context);
}

void prepare_signing_request_approval(Draft& object, View old_object, const HookContext& context) {
  set_times(object, old_object, context);
  Draft status{old_object.get("status")};
  if (!status.is_object()) status = Draft::object();
  if (const Draft* conditions = object.find("status", "conditions")) {
    status["conditions"] = *conditions;
  } else {
    status.erase("conditions");
  }
  object["status"] = std::move(status);
  object["spec"] = Draft{old_object.get("spec")};
}

FieldErrors validate_signing_request(View object) {
  return check(object, {});
}

FieldErrors validate_signing_request_update(View object, View old_object) {
  auto errors = check(object, old_object);
  check_removed_conditions(object, old_object, errors);
  check_verdicts(object, old_object, errors);
  return errors;
}

FieldErrors validate_signing_request_status_update(View object, View old_object) {
  auto errors = validate_signing_request_update(object, old_object);
  if (!same_certificate(object, old_object) &&
      !old_object.get("status", "certificate").as_string().empty()) {
    const FieldPath status{"status"};
    note_forbidden(status.child("certificate"),
                   "updates may not modify existing certificate content", errors);
  }
  return errors;
}

FieldErrors validate_signing_request_approval_update(View object, View old_object) {
  auto errors = check(object, old_object);
  check_removed_conditions(object, old_object, errors);
  return errors;
}

bool asks_for_masters(View signing_request) {
  // An organization (2.5.4.10) of that name, in whichever of DER's forms of text.
  constexpr std::string_view kOrganization{"\x06\x03\x55\x04\x0a", 5};
  constexpr std::string_view kMasters = "\x0esystem:masters";
  const auto text =
      kube::from_base64(signing_request.get("spec", "request").as_string()).value_or("");
  std::string_view rest = text;
  const auto block = next_pem_block(rest);
  if (!block) return false;
  const auto& der = block->bytes;
  for (auto at = der.find(kOrganization); at != std::string::npos;
       at = der.find(kOrganization, at + 1)) {
    if (std::string_view{der}.substr(at + kOrganization.size() + 1).starts_with(kMasters)) {
      return true;
    }
  }
  return false;
}

}  // namespace fixpoint::kinds
