// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/validate_conversion.h"

#include "kube/go/text.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"
#include "kube/scalars/base64.h"
#include "kube/scalars/webhook_url.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

bool recognized(std::string_view version) {
  return version == "v1" || version == "v1beta1";
}

void check_url_path(std::string_view path, const FieldPath& at, FieldErrors& errors) {
  if (path.empty() || path == "/") return;
  const auto wrong = [&](std::string why) {
    errors.push_back(invalid(at, shown(path), std::move(why)));
  };
  if (path == "//") return wrong("segment[0] may not be empty");
  if (!path.starts_with('/')) wrong("must start with a '/'");
  auto rest = path.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (std::size_t index = 0;; ++index) {
    const auto slash = rest.find('/');
    const auto segment = rest.substr(0, slash);
    if (segment.empty()) {
      wrong(fmt::format("segment[{}] may not be empty", index));
    } else {
      for (const auto& problem : dns1123_subdomain_problems(segment)) {
        wrong(fmt::format("segment[{}]: {}", index, problem));
      }
    }
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void check_service(json::View service, const FieldPath& at, FieldErrors& errors) {
  // Kubernetes takes the one for the other.
  if (service.get("namespace").as_string().empty()) {
    errors.push_back(required(at.child("name"), ""));
  }
  if (service.get("name").as_string().empty()) {
    errors.push_back(required(at.child("namespace"), ""));
  }
  const auto port = service.get("port").as_int(443);
  if (const auto problems = port_number_problems(port); !problems.empty()) {
    errors.push_back(invalid(at.child("port"), std::to_string(port),
                             "port is not valid: " + joined(problems, ", ")));
  }
  check_url_path(service.get("path").as_string(), at.child("path"), errors);
}

void check_review_versions(json::View versions, bool must_recognize, const FieldPath& at,
                           FieldErrors& errors) {
  if (versions.empty()) {
    errors.push_back(required(at, ""));
    return;
  }
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const auto version : versions.elements()) {
    const auto name = version.as_string();
    const auto here = at.index(index++);
    if (!seen.insert(name).second) {
      errors.push_back(invalid(here, version, "duplicate version"));
      continue;
    }
    for (auto& problem : dns1035_label_problems(name)) {
      errors.push_back(invalid(here, version, std::move(problem)));
    }
  }
  if (must_recognize && std::ranges::none_of(seen, recognized)) {
    errors.push_back(invalid(at, versions, "must include at least one of v1, v1beta1"));
  }
}

}  // namespace

bool has_recognized_review_version(json::View versions) {
  return versions.empty() || std::ranges::any_of(versions.elements(), [](json::View version) {
           return recognized(version.as_string());
         });
}

std::string ca_bundle_problem(json::View bundle) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  constexpr std::string_view kWhat = "unable to load root certificates: ";
  constexpr char kSequence = 0x30;  // what every certificate begins with; the rest is TLS's affair
  const auto bytes = from_base64(bundle.as_string()).value_or("");
  std::string_view text = bytes;
  if (text.empty()) return {};
  std::string problem;
  while (!text.empty()) {
    const auto begin = text.find(kBegin);
    const auto head = begin == text.npos ? std::string_view{} : text.substr(begin + kBegin.size());
    const auto type = head.substr(0, head.find(kDashes));
    const auto end = head.find(fmt::format("-----END {}-----", type));
    if (begin == text.npos || end == head.npos) {
      if (problem.empty()) problem = "unable to parse bytes as PEM block";
      break;
    }
    text = head.substr(end + type.size() + std::string_view{"-----END -----"}.size());
    const auto line_end = text.find('\n');
    text = line_end == text.npos ? std::string_view{} : text.substr(line_end + 1);
    const auto content =
        head.substr(type.size() + kDashes.size(), end - type.size() - kDashes.size());
    if (type != "CERTIFICATE" || content.contains(':')) continue;
    const auto certificate = from_base64(content).value_or("");
    if (!certificate.empty() && certificate.front() == kSequence) return {};
    if (problem.empty()) problem = "failed to parse certificate: x509: malformed certificate";
  }
  if (problem.empty()) problem = "no valid certificate authority data seen";
  return fmt::format("{}{}", kWhat, problem);
}

FieldErrors validate_conversion(json::View conversion, ConversionRules rules,
                                const FieldPath& path) {
  FieldErrors errors;
  if (!conversion.is_object()) return errors;
  const auto strategy = conversion.get("strategy");
  if (strategy.as_string().empty()) {
    errors.push_back(required(path.child("strategy"), ""));
  } else if (strategy.as_string() != "None" && strategy.as_string() != "Webhook") {
    errors.push_back(not_supported(path.child("strategy"), strategy, {"None", "Webhook"}));
  }
  const auto client = conversion.get("webhook", "clientConfig");
  const auto versions = conversion.get("webhook", "conversionReviewVersions");
  const auto client_at = path.child("webhookClientConfig");
  const auto versions_at = path.child("conversionReviewVersions");
  if (strategy.as_string() != "Webhook") {
    constexpr std::string_view kWhy = "should not be set when strategy is not set to Webhook";
    if (client.is_object()) errors.push_back(forbidden(client_at, std::string{kWhy}));
    if (!versions.empty()) errors.push_back(forbidden(versions_at, std::string{kWhy}));
    return errors;
  }
  if (!client.is_object()) {
    errors.push_back(required(client_at, "required when strategy is set to Webhook"));
  } else if (client.get("url").is_string() == client.get("service").is_object()) {
    errors.push_back(required(client_at, "exactly one of url or service is required"));
  } else if (client.get("url").is_string()) {
    validate_webhook_url(client.get("url").as_string(), client_at.child("url"), errors);
  } else {
    check_service(client.get("service"), client_at.child("service"), errors);
  }
  const auto bundle = client.get("caBundle");
  if (auto problem = ca_bundle_problem(bundle); rules.valid_ca_bundle && !problem.empty()) {
    errors.push_back(invalid(client_at.child("caBundle"), bundle, std::move(problem)));
  }
  check_review_versions(versions, rules.recognized_review_version, versions_at, errors);
  return errors;
}

}  // namespace fixpoint::kube
