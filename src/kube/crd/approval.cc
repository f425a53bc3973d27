// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/approval.h"

#include "kube/errors/field_error.h"
#include "kube/schema/validate_address.h"

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// An absolute URL with a host, as opposed to a path or mailto:.
bool is_url(std::string_view text) {
  const auto mark = text.find("://");
  return is_request_uri(text) && mark != text.npos && mark > 0 && mark + 3 < text.size() &&
         text[mark + 3] != '/';
}

}  // namespace

bool protected_group(std::string_view group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

ApprovalState approval_of(json::View crd) {
  const auto given = crd.get("metadata", "annotations").get(kApprovalAnnotation).as_string();
  const auto wanted =
      fmt::format("protected groups must have approval annotation {}", shown(kApprovalAnnotation));
  constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (given.empty()) return {Approval::Missing, fmt::format("{}, {}", wanted, kSee)};
  if (given.starts_with("unapproved")) {
    return {Approval::Bypassed, fmt::format("not approved: {}", shown(given))};
  }
  if (is_url(given)) return {Approval::Approved, fmt::format("approved in {}", given)};
  return {Approval::Invalid,
          fmt::format("{} with either a URL or a reason starting with \"unapproved\", {}", wanted,
                      kSee)};
}

}  // namespace fixpoint::kube
