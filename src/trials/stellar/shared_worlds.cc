// SPDX-License-Identifier: Apache-2.0
//
// Two nodes in one namespace, and two processes of one operator.
#include "kube/meta/metadata.h"
#include "trials/stellar/deeds.h"
#include "trials/stellar/health_model.h"
#include "trials/stellar/properties.h"
#include "trials/stellar/worlds.h"

#include <string>
#include <utility>

namespace fixpoint::trials::stellar {
namespace {

using verify::world::Scenario;

constexpr std::string_view kBob = "bob";

Scenario with_bob(Scenario made, std::string_view spec) {
  made.objects.push_back(node(kBob, spec));
  made.deeds.push_back(runs_pods(kBob));
  made.promises.push_back(keeps_to_its_own());
  return made;
}

Scenario ec7_networks() {
  std::string other{kHorizon};
  other.replace(other.find("testnet"), 7, "futurenet");
  auto made =
      with_bob(world("ec7-networks", "foreign objects: a node of another network is there already",
                     "", kHorizon),
               other);
  made.match = [absent = made.absent](const Look& look, json::View it) {
    return kube::name_of(it) == kAlice ? converged(look, it, absent)
                                       : phase_of(it) == "Failed" && is_observed(it) &&
                                             owned_by(look, kube::uid_of(it)).empty();
  };
  made.claims.push_back(always("who came second gets no pods", {},
                               [](const Glance& now) { return !has_workload(now, kBob); }));
  return made;
}

Scenario neighbours() {
  auto made = with_bob(
      world("neighbours", "two nodes are made in one namespace, a pass at a time", "", kHorizon),
      kHorizon);
  made.deeds.push_back(edits(kAlice, "wants another version", R"({"version":"22.2.0"})"));
  made.deeds.push_back(deletes(kBob));
  for (const auto& promise : {fresh_running(kBob), finalizer_last(kBob), one_voice(kBob)}) {
    made.promises.push_back(promise);
  }
  made.claims.push_back(running_complete(kBob, made.absent));
  made.passes = 1;
  return made;
}

Scenario neighbours_at_once() {
  auto made = neighbours();
  made.name = "neighbours-at-once";
  made.summary = "two nodes are made in one namespace, by passes side by side";
  made.passes = 0;
  made.by_name_only = true;
  return made;
}

Scenario leaders() {
  auto made = world("leaders", "two processes, and the lease changes hands", "lease=1", kHorizon);
  made.deeds.push_back(edits(kAlice, "wants another version", R"({"version":"22.2.0"})"));
  made.processes = 2;
  return made;
}

// What one asked for while it led may come when the other has cleaned up: for a while something is
// left of what is gone, and the garbage collector takes it.
Scenario leaders_delete() {
  auto made = world("leaders-delete", "two processes, and the node is deleted meanwhile",
                    "lease=1,edit=1", kHorizon);
  made.deeds.push_back(deletes(kAlice));
  made.promises = {fresh_running(kAlice), one_voice(kAlice)};
  made.claims = {running_complete(kAlice, made.absent), observed_generation(kAlice),
                 delete_completes(kAlice)};
  made.processes = 2;
  made.by_name_only = true;
  return made;
}

// Everything at once, as the seed's model has it and more: too much to visit, for walks.
Scenario storm() {
  auto made = world("storm", "all troubles at once: to be walked through at random",
                    "edit=3,crash=2,error=3,lease=2,stale=2,flap=2", kHorizon);
  for (const auto mode : {kDie, kLag, kHang, kSync}) {
    made.deeds.push_back(gets_into(kAlice, mode));
  }
  made.deeds.push_back(gets_well(kAlice));
  made.deeds.push_back(edits(kAlice, "wants another version", R"({"version":"22.2.0"})"));
  made.deeds.push_back(edits(kAlice, "wants the first version", R"({"version":"22.1.0"})"));
  made.deeds.push_back(edits(kAlice, "suspends it", R"({"suspended":true})"));
  made.deeds.push_back(edits(kAlice, "lets it run", R"({"suspended":false})"));
  made.deeds.push_back(deletes(kAlice));
  // As in leaders-delete: what was asked for while leading may come late.
  made.promises = {fresh_running(kAlice), one_voice(kAlice)};
  made.claims = {running_complete(kAlice, made.absent), observed_generation(kAlice),
                 delete_completes(kAlice)};
  made.match = [absent = made.absent](const Look& look, json::View node) {
    return node.get("spec", "suspended").as_bool() ? is_suspended(look, node)
                                                   : converged(look, node, absent);
  };
  made.processes = 2;
  made.by_name_only = true;
  return made;
}

}  // namespace

std::vector<Scenario> shared_worlds() {
  return {ec7_networks(), neighbours(), neighbours_at_once(), leaders(), leaders_delete(), storm()};
}

}  // namespace fixpoint::trials::stellar
