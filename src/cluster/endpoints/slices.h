// SPDX-License-Identifier: Apache-2.0
//
// EndpointSlices of a service: a pure plan that changes as few slices as possible.
//
// Endpoints with the same ports and the same kind of address share slices of at most a hundred. An
// endpoint stays in the slice it is in; new ones go where a slice changes anyway, then where there
// is room, then into new slices. A service without endpoints keeps one empty slice per family.
#pragma once

#include "cluster/decision.h"
#include "cluster/endpoints/backends.h"
#include "store/store.h"

#include <map>
#include <string>
#include <vector>

namespace fixpoint::cluster::endpoints {

inline constexpr std::string_view kSlices = "endpointslices.discovery.k8s.io/";
inline constexpr std::string_view kServiceLabel = "kubernetes.io/service-name";
inline constexpr std::string_view kManagedByLabel = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kSliceController = "endpointslice-controller.k8s.io";
inline constexpr std::string_view kMirrorController = "endpointslicemirroring-controller.k8s.io";
inline constexpr std::size_t kEndpointsPerSlice = 100;
// Of Endpoints that a person wrote, no more addresses of a subset are mirrored.
inline constexpr std::size_t kMirroredMax = 1000;

// What the slices of one owner should hold.
struct SliceGroup {
  std::string family;
  json::Value ports;
  std::map<std::string, json::Value> endpoints;  // by what identifies them: a pod's uid, an address
};
struct SliceGoal {
  json::Value owner;  // Service or Endpoints
  std::string_view controller;
  json::Value labels;
  json::Value annotations;  // null for none
  std::vector<SliceGroup> groups;
  bool keeps_empty = false;  // one slice per family even without endpoints
};

SliceGoal goal_of_service(json::View service, const std::vector<Backend>& backends);
SliceGoal goal_of_mirror(json::View endpoints);

// The requests that lead from the slices there are to the goal.
std::vector<apiserver::Request> plan(const SliceGoal& goal,
                                     const std::vector<store::RecordRef>& slices);

}  // namespace fixpoint::cluster::endpoints
