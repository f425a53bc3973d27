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

Deed edits(std::string message) {
  const auto wanted = message;
  return does(
      "edits the message to " + message,
      [message](Stage& stage) {
        stage.patch(kGreetings, kHello, R"({"spec":{"message":")" + message + R"("}})");
      },
      [wanted](const Look& look) {
        return is_there(look) &&
               look.get(kGreetings, kHello).get("spec", "message").as_string() != wanted;
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

Subject subject() {
  auto parts = entry().make();
  Subject made{
      .name = "greeting",
      .reconciler = std::shared_ptr<const runtime::Operator>(std::move(parts.front().reconciler)),
      .definitions = {types::crd(*entry().kinds().front())}};
  auto& life = made.scenarios.emplace_back(
      scenario("life", "a greeting is edited and deleted", "edit=1,stale=1,error=1"));
  life.deeds.push_back(edits("bye"));
  life.deeds.push_back(deletes());
  auto& again = made.scenarios.emplace_back(
      scenario("again", "a greeting is deleted and made again", "edit=2,stale=1,crash=1"));
  again.deeds.push_back(deletes());
  again.deeds.push_back(creates());
  return made;
}

}  // namespace greeting
