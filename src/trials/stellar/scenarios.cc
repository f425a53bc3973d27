// SPDX-License-Identifier: Apache-2.0
//
// A world for each case. Each asks for no more children than its case is about: a call more is a
// place more for every fault.
#include "kube/meta/metadata.h"
#include "runtime/typed.h"
#include "trials/stellar/deeds.h"
#include "trials/stellar/health_model.h"
#include "trials/stellar/properties.h"
#include "trials/stellar/trial.h"
#include "trials/stellar/worlds.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::trials::stellar {
namespace {

using verify::world::Scenario;

Scenario ec1() {
  auto made =
      world("ec1", "partial creation: any call of the first passes fails or loses its answer",
            "error=1", kValidator);
  made.promises.push_back(policy_before_workload(kAlice));
  return made;
}

Scenario ec2() {
  auto made = world("ec2",
                    "mesh before resources: a call fails, the node is not well, the mesh is "
                    "asked for no more",
                    "flap=1", in_mesh(), Mesh::Istio);
  made.deeds.push_back(gets_into(kAlice, kLag));
  made.deeds.push_back(edits(kAlice, "wants no mesh any more", R"({"serviceMesh":null})"));
  made.deeds.push_back(gets_well(kAlice));
  made.promises.push_back(mesh_after_workload(kAlice));
  return made;
}

// The node stays unwell: its policies do not wait for that to end.
Scenario ec2_unwell() {
  auto made = world("ec2-unwell", "mesh before resources: the node never gets well", "flap=1",
                    in_mesh(), Mesh::Istio);
  made.deeds.push_back(gets_into(kAlice, kLag));
  made.promises.push_back(mesh_after_workload(kAlice));
  made.match = [absent = made.absent](const Look& look, json::View node) {
    return everything_is_current(look, node, absent);
  };
  return made;
}

Scenario ec2_no_mesh() {
  auto made =
      world("ec2-no-mesh", "mesh before resources: the cluster has no mesh", "error=1", in_mesh());
  made.claims[1] = running_complete(kAlice);  // also what this cluster cannot have
  made.match = [absent = made.absent](const Look& look, json::View node) {
    return everything_is_current(look, node, absent) && condition(node, "MeshReady") == "False" &&
           condition(node, "FeatureUnavailable") == "True" && is_observed(node);
  };
  // It never runs here, and what never happens proves nothing.
  made.claims.erase(made.claims.begin() + 1);
  made.claims.push_back(always("a mesh that is asked for and missing is not called Running", {},
                               [](const Glance& now) { return !says_running(alice(now)); }));
  return made;
}

// The mesh is uninstalled while the node runs, is made or goes.
Scenario ec2_mesh_goes() {
  auto made = world("ec2-mesh-goes", "mesh before resources: a kind of the mesh goes away",
                    "edit=1", in_mesh(), Mesh::Istio);
  const auto& gone = operators::stellar::kinds::kDestinationRule;
  made.loops = {verify::world::built_in::definitions()};
  made.deeds.push_back(undefines(gone));
  made.deeds.push_back(deletes(kAlice));
  made.promises.push_back(mesh_after_workload(kAlice));
  auto without = made.absent;
  without.push_back("destinationrules.networking.istio.io");
  made.claims[1] = running_complete(kAlice, without);
  made.claims.push_back(delete_completes(kAlice));
  made.match = [absent = made.absent, without](const Look& look, json::View node) {
    if (is_defined(look, gone)) return converged(look, node, absent);
    return everything_is_current(look, node, without) && is_observed(node) && !says_running(node) &&
           condition(node, "MeshReady") == "False" &&
           condition(node, "FeatureUnavailable") == "True";
  };
  made.by_name_only = true;
  return made;
}

Scenario ec3() {
  auto made = world("ec3", "finalizer removed early: a call fails while the node is deleted",
                    "edit=1", in_mesh(), Mesh::Istio);
  made.deeds.push_back(deletes(kAlice));
  made.promises.push_back(announced(kAlice));
  made.promises.push_back(policies_go_first(kAlice));
  made.claims.push_back(delete_completes(kAlice));
  made.claims.push_back(always("no pod outlives its node", {}, [](const Glance& now) {
    return !alice(now).is_null() || now.look.list(runtime::builtin("v1", "Pod")).empty();
  }));
  return made;
}

Scenario ec3_retain() {
  std::string spec{kValidator};
  spec.replace(spec.find(R"("size":"10Gi")"), 13, R"("size":"10Gi","retentionPolicy":"Retain")");
  auto made =
      world("ec3-retain", "finalizer removed early: the claim is to be kept", "edit=1", spec);
  made.deeds.push_back(deletes(kAlice));
  made.promises.push_back(retained(kAlice));
  made.claims.push_back(delete_completes(kAlice));
  return made;
}

Scenario ec4() {
  std::string spec{kHorizon};
  spec.insert(spec.size() - 1, R"(,"alerting":true)");
  auto made =
      world("ec4", "edit while deleting: before, after and during the deletion", "edit=1", spec);
  made.deeds.push_back(deletes(kAlice));
  made.deeds.push_back(edits(kAlice, "wants no alerts any more", R"({"alerting":false})"));
  made.claims.push_back(delete_completes(kAlice));
  return made;
}

Scenario ec5() {
  auto made = world("ec5", "slow health check: the node answers nobody, and is deleted meanwhile",
                    "flap=1,edit=1", kHorizon);
  made.deeds.push_back(gets_into(kAlice, kHang));
  made.deeds.push_back(deletes(kAlice));
  made.promises.push_back(silence_says_nothing(kAlice));
  made.claims.push_back(health_check_ends(kAlice));
  made.claims.push_back(delete_completes(kAlice));
  made.match = [absent = made.absent](const Look& look, json::View node) {
    return mode_of(look.outside(), address_of(kAlice)) == kSync
               ? converged(look, node, absent)
               : everything_is_current(look, node, absent);
  };
  return made;
}

Scenario ec6() {
  auto made = world("ec6", "invalid mesh numbers: the spec is broken and mended", "edit=1",
                    in_mesh(), Mesh::Istio);
  const auto errors = [](int number) {
    return fmt::format(
        R"({{"serviceMesh":{{"istio":{{"circuitBreaker":{{"consecutiveErrors":{}}}}}}}}})", number);
  };
  made.deeds.push_back(edits(kAlice, "allows no errors at all", errors(0)));
  made.deeds.push_back(edits(kAlice, "allows ten errors", errors(10)));
  made.promises.push_back(refused_untouched(kAlice));
  made.claims.push_back(only_valid_applied(kAlice));
  made.claims.push_back(invalid_reported(kAlice));
  return made;
}

// It was never valid, until it is mended.
Scenario ec6_mended() {
  auto spec = in_mesh();
  spec.replace(spec.find(R"("consecutiveErrors":5)"), 21, R"("consecutiveErrors":0)");
  auto made = world("ec6-mended", "invalid mesh numbers: the first spec is mended", "edit=1", spec,
                    Mesh::Istio);
  made.deeds.push_back(
      edits(kAlice, "allows ten errors",
            R"({"serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":10}}}})"));
  made.promises.push_back(refused_untouched(kAlice));
  made.claims.push_back(only_valid_applied(kAlice));
  made.claims.push_back(invalid_reported(kAlice));
  return made;
}

constexpr std::string_view kForeignClaim =
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: alice-data}, spec: "
    "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}";

bool claim_is_foreign(const Glance& now) {
  const auto claim =
      now.look.get(resource_of(operators::stellar::kinds::kClaim), key("alice-data"));
  return !claim.is_null() && claim.get("metadata", "ownerReferences").empty();
}

Scenario with_namesake(std::string name, std::string summary, std::string_view budget) {
  auto made = world(std::move(name), std::move(summary), budget, kValidator);
  made.objects.insert(made.objects.begin(), std::string{kForeignClaim});
  made.promises.push_back(
      foreign_safe(resource_of(operators::stellar::kinds::kClaim), "alice-data"));
  made.claims.push_back(always("no pods on somebody else's data", claim_is_foreign,
                               [](const Glance& now) { return !has_workload(now, kAlice); }));
  return made;
}

Scenario ec7() {
  auto made =
      with_namesake("ec7", "foreign objects: a claim of that name is somebody else's", "edit=1");
  made.deeds.push_back(deletes(kAlice));
  made.claims[1] = always("it is not called Running", {},
                          [](const Glance& now) { return !says_running(alice(now)); });
  made.claims.push_back(delete_completes(kAlice));
  made.match = [](const Look&, json::View node) {
    return phase_of(node) == "Failed" && condition(node, "OwnershipConflict") == "True" &&
           is_observed(node);
  };
  return made;
}

Scenario ec7_moves() {
  auto made = with_namesake("ec7-moves", "foreign objects: whose claim it is takes it away", "");
  made.deeds.push_back(namesake_goes(operators::stellar::kinds::kClaim, "alice-data"));
  return made;
}

Scenario ec8() {
  auto made = world("ec8", "partition during cleanup: calls fail while the node is deleted",
                    "edit=1", kValidator);
  made.deeds.push_back(deletes(kAlice));
  made.claims.push_back(delete_completes(kAlice));
  return made;
}

Scenario ec9() {
  auto made =
      world("ec9", "bounded work: a node is made, edited and left alone", "edit=1", kHorizon);
  made.deeds.push_back(edits(kAlice, "wants another version", R"({"version":"22.2.0"})"));
  // A mistake may make a world without end, of which nobody can count the writes.
  made.promises.push_back(made_once());
  made.bound = {.passes = 0, .writes = 19};
  return made;
}

Scenario ec10() {
  auto made = world("ec10", "edit during a pass: between any two calls", "edit=1", kHorizon);
  made.deeds.push_back(edits(kAlice, "wants another version", R"({"version":"22.2.0"})"));
  made.deeds.push_back(edits(kAlice, "wants the first version", R"({"version":"22.1.0"})"));
  made.claims.push_back(always(
      "Running means that the pods are of this spec",
      [](const Glance& now) {
        return is_alive(alice(now)) && says_running(alice(now)) && is_observed(alice(now));
      },
      [](const Glance& now) { return is_rolled_out(workload_of(now.look, alice(now))); }));
  return made;
}

bool quota_is_full(const Glance& now) {
  return !now.look.list(runtime::builtin("v1", "ResourceQuota")).empty();
}

Scenario ec11() {
  auto made =
      world("ec11", "quota: no claim is allowed, until it is", "foreign=1,crash=1", kValidator);
  made.deeds.push_back(fills_quota_of("persistentvolumeclaims"));
  made.deeds.push_back(lifts_quota());
  made.promises.push_back(quota_is_named(kAlice));
  made.claims.push_back(always("a quota is never a failure", quota_is_full,
                               [](const Glance& now) { return phase_of(alice(now)) != "Failed"; }));
  return made;
}

Scenario ec11_pods() {
  auto made = world("ec11-pods", "quota: no pod is allowed, for ever", "foreign=1", kHorizon);
  made.deeds.push_back(fills_quota_of("pods"));
  const auto refused = [](const Glance& now) {
    return quota_is_full(now) && now.look.list(runtime::builtin("v1", "Pod")).empty();
  };
  made.claims.push_back(reported("a quota is named", kAlice, "QuotaExceeded", refused));
  made.claims.push_back(always("a quota is never a failure", quota_is_full,
                               [](const Glance& now) { return phase_of(alice(now)) != "Failed"; }));
  made.match = [absent = made.absent, refused](const Look& look, json::View it) {
    return (refused({.look = look, .outside = look.outside()}) &&
            everything_is_current(look, it, absent)) ||
           converged(look, it, absent);
  };
  return made;
}

Scenario ec12() {
  auto made = world("ec12", "stale status: the operator dies, and the node too, in any order",
                    "crash=1,flap=1", kHorizon);
  for (const auto mode : {kDie, kLag, kSync}) made.deeds.push_back(gets_into(kAlice, mode));
  made.deeds.push_back(loses_pod(kAlice));
  made.promises.push_back(unwell_is_degraded(kAlice));
  made.claims.push_back(unhealthy_reported(kAlice));
  made.life = life_of(kAlice);
  made.match = [absent = made.absent](const Look& look, json::View node) {
    return mode_of(look.outside(), address_of(kAlice)) == kSync
               ? converged(look, node, absent)
               : everything_is_current(look, node, absent) && !says_running(node);
  };
  return made;
}

Scenario modes() {
  auto made = world("modes", "suspended, under maintenance, and back", "edit=1", kHorizon);
  made.deeds.push_back(edits(kAlice, "suspends it", R"({"suspended":true})"));
  made.deeds.push_back(edits(kAlice, "maintains it", R"({"maintenanceMode":true})"));
  made.deeds.push_back(
      edits(kAlice, "lets it run", R"({"suspended":false,"maintenanceMode":false})"));
  made.promises.push_back(maintenance_keeps_off(kAlice));
  made.match = [absent = made.absent](const Look& look, json::View node) {
    const auto spec = node.get("spec");
    if (spec.get("suspended").as_bool()) return is_suspended(look, node);
    if (spec.get("maintenanceMode").as_bool()) {
      return phase_of(node) == "Maintenance" && is_observed(node);
    }
    return converged(look, node, absent);
  };
  return made;
}

}  // namespace

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all{
      ec1(), ec2(),  ec2_unwell(), ec2_no_mesh(), ec2_mesh_goes(), ec3(),       ec3_retain(),
      ec4(), ec5(),  ec6(),        ec6_mended(),  ec7(),           ec7_moves(), ec8(),
      ec9(), ec10(), ec11(),       ec11_pods(),   ec12(),          modes()};
  for (auto& shared : shared_worlds()) all.push_back(std::move(shared));
  return all;
}

}  // namespace fixpoint::trials::stellar
