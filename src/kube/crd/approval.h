// SPDX-License-Identifier: Apache-2.0
//
// API groups of Kubernetes' own community need an annotation that says who approved them.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::kube {

inline constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";

// k8s.io, kubernetes.io and everything below.
bool protected_group(std::string_view group);

enum class Approval : std::uint8_t { Missing, Invalid, Bypassed, Approved };

struct ApprovalState {
  Approval state;
  std::string reason;
};
ApprovalState approval_of(json::View crd);

}  // namespace fixpoint::kube
