// SPDX-License-Identifier: Apache-2.0
//
// The children of a StellarNode, each a pure function of the node and of what was seen around it.
// decide.cc says when each is wanted and in which order; nothing here knows.
#pragma once

#include "json/value.h"
#include "kube/scalars/quantity.h"
#include "operators/stellar/children/names.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::operators::stellar {

// What a child depends on beyond the spec.
struct Surroundings {
  std::string passphrase;     // of the network
  std::string secrets_stamp;  // another one whenever a Secret that pods read is another
  std::string restarted_at;   // the last time that pods were restarted because of a stall
  // What the claim there is asks for: a claim can grow and nothing else.
  std::optional<kube::Quantity> claimed{};
  std::string claimed_class{};
};

// configuration.cc: what the program reads, by file or variable name.
std::map<std::string, std::string> configuration(const Node& node, const Surroundings& around);
json::Value config_map(const Node& node, const Surroundings& around);
std::string passphrase_of(const Spec& spec, std::string_view from_secret);

// services.cc
json::Value headless_service(const Node& node);
json::Value client_service(const Node& node);
// "alice.default.svc:8000"
std::string endpoint_of(const Node& node);

// storage.cc
// Whether the data is on a claim of the node's; else each pod has a volume that goes with it.
bool has_claim(const Spec& spec);
kube::Quantity storage_size(const Spec& spec);
json::Value claim(const Node& node, const Surroundings& around);
// For whom a claim is kept: a node of another network does not find it to be its own.
std::string claim_stamp(const Node& node, std::string_view passphrase);

// network_policy.cc
bool wants_network_policy(const Spec& spec);
// Whether stellar-core's HTTP port may be opened beyond the pod: only behind a policy.
bool opens_http_port(const Spec& spec);
json::Value network_policy(const Node& node);

// pod.cc, workload.cc
json::Draft pod_template(const Node& node, const Surroundings& around);
json::Value workload(const Node& node, const Surroundings& around);
// A version on trial: pods beside those of the workload, found by the same Services.
struct CanaryState {
  std::int32_t pods = 1;
  std::int32_t weight = 0;
  std::int32_t passed = 0;
  std::string since;
};
json::Value canary_workload(const Node& node, const Surroundings& around, const CanaryState& state);

// scaling.cc
bool wants_disruption_budget(const Spec& spec);
json::Value disruption_budget(const Node& node);
json::Value autoscaler(const Node& node);

// ingress.cc
json::Value ingress(const Node& node);

// monitoring.cc
json::Value service_monitor(const Node& node);
json::Value alert_rules(const Node& node);

// mesh.cc
struct MeshObject {
  const ChildKind* kind;
  json::Value object;
};
// In the order in which they are made; none when no mesh is asked for or needs none.
std::vector<MeshObject> mesh_objects(const Node& node);
// Labels and annotations of the pods, decided before there are any.
void add_mesh_marks(json::Draft& pod_metadata, const Spec& spec);

}  // namespace fixpoint::operators::stellar
