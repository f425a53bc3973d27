// SPDX-License-Identifier: Apache-2.0
//
// What an author adds to have the example verified: what may happen to a Greeting, and how one sees
// that it is served. docs/VERIFICATION.md has what is made of it.
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "runtime/typed.h"
#include "types/kind.h"
#include "verify/world/scenario.h"

#include <map>
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
const client::Resource kQuotas = runtime::builtin("v1", "ResourceQuota");
const kube::Key kHello{"default", "hello"};

const json::Value kArguments = runtime::list({"httpd", "-f", "-p", "8080", "-h", "/page"}).freeze();

// It runs the image, and what it serves is the page.
bool serves(json::View deployment, json::View primary) {
  const json::View pod = deployment.get("spec", "template");
  const json::View server = pod.get("spec", "containers")[0];
  const json::View volume = pod.get("spec", "volumes")[0];
  const json::View mount = server.get("volumeMounts")[0];
  return server.get("image") == primary.get("spec", "image") &&
         server.get("args") == kArguments.view() && server.get("name").as_string() == "server" &&
         volume.get("configMap", "name") == primary.get("metadata", "name") &&
         volume.get("name") == mount.get("name") && mount.get("mountPath").as_string() == "/page" &&
         pod.get("metadata", "labels", "greeting") == primary.get("metadata", "name") &&
         deployment.get("spec", "selector", "matchLabels") == pod.get("metadata", "labels");
}

bool says_so(json::View primary) {
  const json::View status = primary.get("status");
  return status.get("observedGeneration") == primary.get("metadata", "generation") &&
         status.get("phase").as_string() == "Ready" &&
         status.get("readyReplicas") == primary.get("spec", "replicas") &&
         kube::condition_is_true(primary, "Ready");
}

bool matches(const Look& look, json::View primary) {
  const json::View map = look.get(kMaps, kHello);
  const json::View deployment = look.get(kDeployments, kHello);
  return map.get("data", "index.html") == primary.get("spec", "message") &&
         deployment.get("spec", "replicas") == primary.get("spec", "replicas") &&
         serves(deployment, primary) && says_so(primary) && look.list(kMaps).size() == 1 &&
         look.list(kDeployments).size() == 1;
}

// By a pass: what arrives late is not in the order in which it was decided. And while the greeting
// is there: the page of one that is gone is garbage, which is collected at any time.
Promise page_first() {
  return {"a Deployment is made only after its page", [](const Glance& was, const Glance& is) {
            const bool made = was.look.get(kDeployments, kHello).is_null() &&
                              !is.look.get(kDeployments, kHello).is_null();
            return !made || is.by == nullptr || is.look.get(kGreetings, kHello).is_null() ||
                   !is.look.get(kMaps, kHello).is_null();
          }};
}

Promise one_voice() {
  return {"the condition says what the phase says", [](const Glance&, const Glance& is) {
            const json::View hello = is.look.get(kGreetings, kHello);
            return kube::condition_is_true(hello, "Ready") ==
                   (hello.get("status", "phase").as_string() == "Ready");
          }};
}

// Where nobody else changes it.
Promise ready_is_served() {
  return {"Ready means that the page is there", [](const Glance&, const Glance& is) {
            const json::View hello = is.look.get(kGreetings, kHello);
            return hello.get("status", "phase").as_string() != "Ready" ||
                   is.look.get(kMaps, kHello).get("data", "index.html") ==
                       hello.get("spec", "message");
          }};
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
          .match = matches,
          .promises = {page_first(), one_voice()}};
}

Deed fills_quota() {
  return {.who = "person",
          .what = "fills the quota",
          .price = Trouble::Foreign,
          .fair = false,
          .act =
              [](Stage& stage) {
                stage.create(kQuotas,
                             R"({"metadata":{"name":"full"},)"
                             R"("spec":{"hard":{"count/configmaps":"0"}}})",
                             "default");
                stage.patch(kQuotas, {"default", "full"},
                            R"({"status":{"hard":{"count/configmaps":"0"},)"
                            R"("used":{"count/configmaps":"0"}}})",
                            "status");
              },
          .possible =
              [](const Look& look) { return look.get(kQuotas, {"default", "full"}).is_null(); }};
}

Promise quota_is_kept() {
  return {"a full quota lets no page in", [](const Glance& was, const Glance& is) {
            return was.look.get(kQuotas, {"default", "full"}).is_null() ||
                   !was.look.get(kMaps, kHello).is_null() || is.look.get(kMaps, kHello).is_null();
          }};
}

// A quota is lifted some day, and a namesake goes.
Deed goes_some_day(std::string what, const client::Resource& resource, const kube::Key& key) {
  return {.who = "person",
          .what = std::move(what),
          .price = std::nullopt,
          .fair = true,
          .act = [=](Stage& stage) { stage.remove(resource, key); },
          .possible =
              [=](const Look& look) {
                const json::View object = look.get(resource, key);
                return !object.is_null() && object.get("metadata", "ownerReferences").empty();
              }};
}

const client::Resource kDefinitions =
    runtime::builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition");
const kube::Key kDefinition{"", greeting::entry().kinds().front()->crd_name()};

bool is_served(const Look& look) {
  return kube::condition_is_true(look.get(kDefinitions, kDefinition), "Established");
}

// The kind goes with all its objects, and comes back.
std::vector<Deed> definition_goes_and_comes() {
  const auto definition = types::crd(*greeting::entry().kinds().front());
  return {does(
              "deletes the definition of greetings",
              [](Stage& stage) { stage.remove(kDefinitions, kDefinition); },
              [](const Look& look) {
                const json::View it = look.get(kDefinitions, kDefinition);
                return !it.is_null() && !kube::being_deleted(it);
              }),
          does(
              "defines greetings again",
              [=](Stage& stage) { stage.create(kDefinitions, json::to_text(definition), ""); },
              [](const Look& look) { return look.get(kDefinitions, kDefinition).is_null(); }),
          does(
              "creates a greeting again",
              [](Stage& stage) { stage.create(kGreetings, kObject, "default"); },
              [](const Look& look) {
                return is_served(look) && look.get(kGreetings, kHello).is_null();
              })};
}

// Mutants that need not be noticed.
std::map<std::string, std::string> explained() {
  const std::string again = "the second finds what the first made, and writes nothing";
  return {
      {"plan: duplicate \"apply ConfigMap default/hello\"", again},
      {"plan: duplicate \"apply Deployment default/hello\"", again},
      {"plan: an event on every pass", "Events are for people and not part of the world"},
      {"operator: another finalizer", "any name of its own is as good"},
      {"operator: no finalizer",
       "there is nothing outside the API, and the garbage collector removes both children"},
      {"rules of the runtime: without LiveBeforeDelete",
       "the cleanup of a greeting names everything by uid; boats_for_tests.h has who needs it"},
      {"rules of the API: apply replaces lists that have keys",
       "nobody else applies to the lists of its Deployment"},
  };
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
  all.back().bound = {.passes = 10, .writes = 9};
  all.push_back(scenario("again", "it is deleted and another of its name made", "edit=2,crash=1"));
  all.back().deeds.insert(all.back().deeds.end(), {deletes(), creates()});
  all.push_back(scenario(
      "leaders", "the lease changes hands, and changes of one process meet the other", "lease=1"));
  all.back().deeds.push_back(deletes());
  all.back().processes = 2;
  // What one asked for in time may come when the other has cleaned up.
  all.back().promises = {one_voice()};
  all.push_back(scenario("past", "a watch breaks and misses events, or tells one twice",
                         "edit=1,stale=1,watch=1"));
  all.back().deeds.push_back(deletes());
  all.push_back(scenario("travels", "after a restart the caches begin in the past",
                         "edit=1,crash=1,travel=1"));
  all.back().deeds.push_back(deletes());
  all.back().by_name_only = true;  // of the night: the mutants are not hunted in it
  all.push_back(
      scenario("others", "others change its objects, and pods fail", "foreign=1,flap=1,stale=1"));
  all.back().deeds.insert(all.back().deeds.end(), {spoils(), removes(), fails()});
  all.push_back(
      scenario("errors", "any one call fails, in any way, while it is deleted", "edit=1,error=1"));
  all.back().deeds.push_back(deletes());
  all.push_back(
      scenario("late", "any one request arrives after its sender gave it up", "edit=1,late=1"));
  all.back().deeds.push_back(deletes());
  all.push_back(scenario("quota", "a quota is filled, and lifted some day", "foreign=1,stale=1"));
  all.back().deeds.insert(
      all.back().deeds.end(),
      {fills_quota(), goes_some_day("lifts the quota", kQuotas, {"default", "full"})});
  all.back().promises.push_back(quota_is_kept());
  all.push_back(scenario("definition", "its kind is deleted, and defined again", "edit=3"));
  all.back().loops = {built_in::definitions()};
  for (auto& deed : definition_goes_and_comes()) all.back().deeds.push_back(std::move(deed));
  all.push_back(scenario("namesake", "a ConfigMap of its name is somebody's, until it goes", ""));
  all.back().objects = {
      R"({"apiVersion":"example.fixpoint.dev/v1","kind":"Greeting","metadata":{"name":"hello"},)"
      R"("spec":{"message":"hi","replicas":0}})",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: hello}}"};
  all.back().deeds.push_back(goes_some_day("removes the namesake", kMaps, kHello));
  all.back().promises.push_back(ready_is_served());
  made.explained = explained();
  return made;
}

}  // namespace greeting
