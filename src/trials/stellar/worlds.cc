// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/worlds.h"

#include "kube/meta/metadata.h"
#include "trials/stellar/deeds.h"
#include "trials/stellar/health_model.h"
#include "trials/stellar/properties.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::trials::stellar {

using verify::world::Budget;
using verify::world::Scenario;

namespace {

const std::vector<std::string> kLinkerd{"servers.policy.linkerd.io",
                                        "serverauthorizations.policy.linkerd.io"};
const std::vector<std::string> kIstio{"peerauthentications.security.istio.io",
                                      "destinationrules.networking.istio.io",
                                      "virtualservices.networking.istio.io"};

// Nobody here has the Prometheus operator.
std::vector<std::string> absent_with(Mesh mesh) {
  std::vector<std::string> absent{"servicemonitors.monitoring.coreos.com"};
  absent.insert(absent.end(), kLinkerd.begin(), kLinkerd.end());
  if (mesh == Mesh::None) absent.insert(absent.end(), kIstio.begin(), kIstio.end());
  return absent;
}

bool runs_version(json::View workload, json::View node) {
  const auto version = node.get("spec", "version").as_string();
  const auto containers = workload.get("spec", "template", "spec", "containers");
  return std::ranges::any_of(containers.elements(), [&](json::View container) {
    return container.get("image").as_string().ends_with(version);
  });
}

constexpr std::string_view kPolicies =
    R"("serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":5}}})";

}  // namespace

std::string node(std::string_view name, std::string_view spec) {
  return fmt::format(R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",)"
                     R"("metadata":{{"name":"{}"}},"spec":{}}})",
                     name, spec);
}

std::string in_mesh() {
  std::string spec{kHorizon};
  spec.insert(spec.size() - 1, fmt::format(",{}", kPolicies));
  return spec;
}

json::View alice(const Glance& now) {
  return node_of(now.look, kAlice);
}

bool has_workload(const Glance& now, std::string_view name) {
  const auto node = node_of(now.look, name);
  return is_alive(node) && !workload_of(now.look, node).is_null();
}

bool is_rolled_out(json::View workload) {
  const auto status = workload.get("status");
  return status.get("observedGeneration").as_int() == kube::generation_of(workload) &&
         status.get("readyReplicas").as_int() == workload.get("spec", "replicas").as_int(1);
}

bool everything_is_current(const Look& look, json::View node,
                           const std::vector<std::string>& absent) {
  return std::ranges::all_of(wanted_by(node, absent),
                             [&](const Wanted& child) { return is_current(look, node, child); });
}

bool converged(const Look& look, json::View node, const std::vector<std::string>& absent) {
  const auto wanted = wanted_by(node, absent);
  const std::size_t kept = keeps_claim(node) ? 1 : 0;
  return everything_is_current(look, node, absent) &&
         owned_by(look, kube::uid_of(node)).size() + kept == wanted.size() &&
         runs_version(workload_of(look, node), node) && says_running(node) && is_observed(node) &&
         condition(node, "Ready") == "True" && condition(node, "ResourcesReady") == "True";
}

bool is_suspended(const Look& look, json::View node) {
  const bool maintained = node.get("spec", "maintenanceMode").as_bool();
  return phase_of(node) == "Suspended" && is_observed(node) &&
         (maintained || workload_of(look, node).get("spec", "replicas").as_int(1) == 0);
}

Scenario world(std::string name, std::string summary, std::string_view budget,
               std::string_view spec, Mesh mesh) {
  const auto absent = absent_with(mesh);
  Scenario made{
      .name = std::move(name),
      .summary = std::move(summary),
      .budget = Budget{}
        .with(budget).value(),
      .objects = {"{apiVersion: v1, kind: Secret, metadata: {name: seed}}", node(kAlice, spec)},
      .absent = absent,
      .deeds = {runs_pods(kAlice)},
      .match = [absent](const Look& look, json::View it) { return converged(look, it, absent); },
      .outside = programs(),
      .promises = {fresh_running(kAlice), finalizer_last(kAlice), no_create_in_delete(),
                       one_voice(kAlice)},
      .claims = {no_leak(), running_complete(kAlice, absent), observed_generation(kAlice)}
  };
  if (spec.find("Validator") != std::string_view::npos) {
    made.deeds.push_back(releases_claim(kAlice));
  }
  return made;
}

}  // namespace fixpoint::trials::stellar
