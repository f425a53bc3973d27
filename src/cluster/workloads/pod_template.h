// SPDX-License-Identifier: Apache-2.0
//
// Pods made from a template, and what is said of their making.
#pragma once

#include "cluster/decision.h"
#include "json/draft.h"

#include <string>
#include <string_view>

namespace fixpoint::cluster {

inline const kube::GroupVersionResource kPodResource{"", "v1", "pods"};
inline constexpr std::string_view kPodPrefix = "pods/";

// A pod of the template that `owner` controls, its name left to the server ("owner-…").
json::Draft pod_from_template(json::View owner, json::View pod_template);

// The two deeds of a controller of interchangeable pods, with the Events it tells them by.
Effect create_pod(json::View owner, std::string body);
Effect delete_pod(json::View owner, json::View pod);

}  // namespace fixpoint::cluster
