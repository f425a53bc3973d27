// SPDX-License-Identifier: Apache-2.0
//
// What an author adds to have the example verified: what may happen to a Greeting, and how one sees
// that it is served. docs/VERIFICATION.md has what is made of it.
#include "runtime/typed.h"
#include "types/kind.h"
#include "verify/world/scenario.h"

#include <memory>
#include <string>
#include <utility>

namespace greeting {

using namespace fixpoint;
using namespace fixpoint::verify::world;

runtime::OperatorEntry entry();

namespace {

const client::Resource kGreetings = runtime::resource_of(*greeting::entry().kinds().front());
const client::Resource kMaps = runtime::builtin("v1", "ConfigMap");
const client::Resource kDeployments = runtime::builtin("apps/v1", "Deployment");
const kube::Key kHello{"default", "hello"};

bool matches(const Look& look, json::View primary) {
  const json::View map = look.get(kMaps, kHello);
  const json::View deployment = look.get(kDeployments, kHello);
  return map.get("data", "index.html") == primary.get("spec", "message") &&
         deployment.get("spec", "replicas") == primary.get("spec", "replicas") &&
         primary.get("status", "observedGeneration") == primary.get("metadata", "generation") &&
         primary.get("status", "phase").as_string() == "Ready";
}

Deed becomes_ready() {
  return {
      .who = "kubelet",
      .what = "makes the pods ready",
      .price = std::nullopt,
      .fair = true,
      .act =
          [](Stage& stage) {
            const auto wanted =
                stage.look().get(kDeployments, kHello).get("spec", "replicas").as_int();
            const auto count = std::to_string(wanted);
            stage.patch(kDeployments, kHello,
                        R"({"status":{"replicas":)" + count + R"(,"readyReplicas":)" + count + "}}",
                        "status");
          },
      .possible =
          [](const Look& look) {
            const json::View deployment = look.get(kDeployments, kHello);
            return !deployment.is_null() && deployment.get("spec", "replicas").as_int() !=
                                                deployment.get("status", "readyReplicas").as_int();
          }};
}

Deed does(std::string what, std::function<void(Stage&)> act,
          std::function<bool(const Look&)> possible) {
  return {.who = "person",
          .what = std::move(what),
          .price = Trouble::Edit,
          .fair = false,
          .act = std::move(act),
          .possible = std::move(possible)};
}

bool is_there(const Look& look) {
  const json::View hello = look.get(kGreetings, kHello);
  return !hello.is_null() && hello.get("metadata", "deletionTimestamp").is_null();
}

constexpr std::string_view kObject =
    R"({"apiVersion":"example.fixpoint.dev/v1","kind":"Greeting","metadata":{"name":"hello"},)"
    R"("spec":{"message":"hi"}})";

Deed deletes() {
  return does(
      "deletes the greeting", [](Stage& stage) { stage.remove(kGreetings, kHello); }, is_there);
}

Deed creates() {
  return does(
      "creates a greeting of the same name",
      [](Stage& stage) { stage.create(kGreetings, kObject, "default"); },
      [](const Look& look) { return look.get(kGreetings, kHello).is_null(); });
}

Deed edits(const std::string& field, const std::string& value) {
  return does(
      "sets " + field + " to " + value,
      [=](Stage& stage) {
        stage.patch(kGreetings, kHello, R"({"spec":{")" + field + R"(":)" + value + "}}");
      },
      is_there);
}

Deed somebody(std::string what, Trouble price, std::function<void(Stage&)> act) {
  return {.who = "somebody",
          .what = std::move(what),
          .price = price,
          .fair = false,
          .act = std::move(act),
          .possible = [](const Look& look) { return !look.get(kDeployments, kHello).is_null(); }};
}

Deed spoils() {
  return somebody("changes the page", Trouble::Foreign, [](Stage& stage) {
    stage.patch(kMaps, kHello, R"({"data":{"index.html":"spam"}})");
  });
}

Deed removes() {
  return somebody("deletes the Deployment", Trouble::Foreign,
                  [](Stage& stage) { stage.remove(kDeployments, kHello); });
}

Deed fails() {
  return somebody("kills the pods", Trouble::Flap, [](Stage& stage) {
    stage.patch(kDeployments, kHello, R"({"status":{"readyReplicas":0}})", "status");
  });
}

Scenario scenario(std::string name, std::string summary, std::string_view budget) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .budget = Budget{}.with(budget).value(),
          .objects = {std::string{kObject}},
          .deeds = {becomes_ready()},
          .match = matches};
}

}  // namespace

Trial trial() {
  auto parts = entry().make();
  Trial made{
      .name = "greeting",
      .summary = "a page that says something (an example)",
      .reconciler = std::shared_ptr<const runtime::Operator>(std::move(parts.front().reconciler)),
      .definitions = {types::crd(*entry().kinds().front())}};
  auto& all = made.scenarios;
  all.push_back(
      scenario("life", "a person edits the message or the size, or deletes it", "edit=1,stale=1"));
  all.back().deeds.insert(all.back().deeds.end(),
                          {edits("message", R"("bye")"), edits("replicas", "2"), deletes()});
  all.push_back(scenario("again", "it is deleted and another of its name made", "edit=2,crash=1"));
  all.back().deeds.insert(all.back().deeds.end(), {deletes(), creates()});
  all.push_back(scenario(
      "leaders", "the lease changes hands, and changes of one process meet the other", "lease=1"));
  all.back().deeds.push_back(deletes());
  all.back().processes = 2;
  all.push_back(scenario("past", "after a restart the caches begin in the past, a watch breaks",
                         "edit=1,stale=1,watch=1"));
  all.back().deeds.push_back(deletes());
  all.push_back(
      scenario("others", "others change its objects, and pods fail", "foreign=1,flap=1,stale=1"));
  all.back().deeds.insert(all.back().deeds.end(), {spoils(), removes(), fails()});
  all.push_back(
      scenario("errors", "any one call fails, in any way, while it is deleted", "edit=1,error=1"));
  all.back().deeds.push_back(deletes());
  all.push_back(
      scenario("late", "any one request arrives after its sender gave it up", "edit=1,late=1"));
  all.back().deeds.push_back(deletes());
  return made;
}

}  // namespace greeting
