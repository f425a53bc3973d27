// SPDX-License-Identifier: Apache-2.0
//
// The rules that need the built-in loops: 18 (propagation), 19 (garbage collection), 21 (storage in
// use), 22 (namespaces), and the end of a CustomResourceDefinition.
#include "cluster/loop_fixture.h"
#include "kube/meta/metadata.h"

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using apiserver::kConfigMaps;
using apiserver::kPods;
using apiserver::Response;

class LoopRules : public LoopFixture {
 protected:
  std::string owned(std::string_view name, const Response& owner, std::string_view extra = {}) {
    return R"({"metadata":{"name":")" + std::string{name} +
           R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":")" +
           meta(owner, "name") + R"(","uid":")" + meta(owner, "uid") + R"(")" + std::string{extra} +
           "}]}}";
  }
  int code(std::string_view name) {
    return get(std::string{kConfigMaps} + "/" + std::string{name}).code;
  }
};

TEST_F(LoopRules, Rule18BackgroundTakesTheOwnerFirstAndTheDependentsFollow) {
  const auto owner = create(kConfigMaps, R"({"metadata":{"name":"owner"}})");
  create(kConfigMaps, owned("child", owner));
  settle();

  remove(std::string{kConfigMaps} + "/owner");
  const int between = code("child");
  settle();

  EXPECT_EQ(between, 200);
  EXPECT_EQ(code("owner"), 404);
  EXPECT_EQ(code("child"), 404);
}

TEST_F(LoopRules, Rule18ForegroundWaitsForTheDependentsThatBlock) {
  const auto owner = create(kConfigMaps, R"({"metadata":{"name":"owner"}})");
  create(kConfigMaps, owned("child", owner, R"(,"blockOwnerDeletion":true)"));
  patch(std::string{kConfigMaps} + "/child", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  settle();

  const auto stamped =
      remove(std::string{kConfigMaps} + "/owner", R"({"propagationPolicy":"Foreground"})");
  settle();
  const int held = code("owner");
  const auto child = get(std::string{kConfigMaps} + "/child");
  patch(std::string{kConfigMaps} + "/child", R"({"metadata":{"finalizers":null}})");
  settle();

  EXPECT_EQ(meta(stamped, "finalizers"), R"(["foregroundDeletion"])");
  EXPECT_EQ(held, 200);
  EXPECT_TRUE(kube::being_deleted(child.body));
  EXPECT_EQ(code("child"), 404);
  EXPECT_EQ(code("owner"), 404);
}

TEST_F(LoopRules, Rule18ForegroundDoesNotWaitForWhatAnotherOwnerKeeps) {
  const auto leaving = create(kConfigMaps, R"({"metadata":{"name":"leaving"}})");
  const auto staying = create(kConfigMaps, R"({"metadata":{"name":"staying"}})");
  const auto reference = [](const apiserver::Response& owner, std::string_view more) {
    return fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","name":"{}","uid":"{}"{}}})",
                       meta(owner, "name"), meta(owner, "uid"), more);
  };
  create(kConfigMaps, R"({"metadata":{"name":"child","ownerReferences":[)" +
                          reference(leaving, R"(,"blockOwnerDeletion":true)") + "," +
                          reference(staying, "") + "]}}");
  settle();

  remove(std::string{kConfigMaps} + "/leaving", R"({"propagationPolicy":"Foreground"})");
  settle();

  EXPECT_EQ(code("leaving"), 404);
  EXPECT_EQ(code("child"), 200);
}

TEST_F(LoopRules, Rule18ForegroundGoesOnWhenADependentBlocksNoMore) {
  const auto owner = create(kConfigMaps, R"({"metadata":{"name":"owner"}})");
  create(kConfigMaps, owned("child", owner, R"(,"blockOwnerDeletion":true)"));
  const std::string child = std::string{kConfigMaps} + "/child";
  patch(child, R"({"metadata":{"finalizers":["example.com/hold"]}})");
  settle();
  remove(std::string{kConfigMaps} + "/owner", R"({"propagationPolicy":"Foreground"})");
  settle();
  ASSERT_EQ(code("owner"), 200);

  patch(child, R"([{"op":"remove","path":"/metadata/ownerReferences/0/blockOwnerDeletion"}])",
        "application/json-patch+json");
  settle();

  EXPECT_EQ(code("owner"), 404);
  EXPECT_EQ(code("child"), 200);
}

TEST_F(LoopRules, Rule18TwoThatOwnEachOtherGoTogether) {
  const auto a = create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  const auto b = create(kConfigMaps, owned("b", a, R"(,"blockOwnerDeletion":true)"));
  patch(std::string{kConfigMaps} + "/a", owned("a", b, R"(,"blockOwnerDeletion":true)"));
  settle();

  remove(std::string{kConfigMaps} + "/a", R"({"propagationPolicy":"Foreground"})");
  settle();

  EXPECT_EQ(code("a"), 404);
  EXPECT_EQ(code("b"), 404);
}

TEST_F(LoopRules, Rule18OrphanStripsTheReferencesFirst) {
  const auto owner = create(kConfigMaps, R"({"metadata":{"name":"owner"}})");
  create(kConfigMaps, owned("child", owner));
  settle();

  remove(std::string{kConfigMaps} + "/owner", R"({"propagationPolicy":"Orphan"})");
  settle();

  EXPECT_EQ(code("owner"), 404);
  const auto child = get(std::string{kConfigMaps} + "/child");
  EXPECT_EQ(child.code, 200);
  EXPECT_EQ(meta(child, "ownerReferences"), "null");
}

TEST_F(LoopRules, Rule19OnlyUidsCountAndOneLivingOwnerIsEnough) {
  const auto alive = create(kConfigMaps, R"({"metadata":{"name":"alive"}})");
  create(kConfigMaps,
         R"({"metadata":{"name":"both","ownerReferences":[
             {"apiVersion":"v1","kind":"ConfigMap","name":"alive","uid":")" +
             meta(alive, "uid") + R"("},
             {"apiVersion":"v1","kind":"ConfigMap","name":"alive","uid":"another"}]}})");
  create(kConfigMaps,
         R"({"metadata":{"name":"stray","ownerReferences":[
             {"apiVersion":"v1","kind":"ConfigMap","name":"alive","uid":"another"}]}})");
  create(kConfigMaps,
         R"({"metadata":{"name":"unknown","ownerReferences":[
             {"apiVersion":"none.example.com/v1","kind":"Nothing","name":"x","uid":"y"}]}})");

  settle();

  EXPECT_EQ(code("stray"), 404);
  EXPECT_EQ(code("unknown"), 200);
  const auto both = get(std::string{kConfigMaps} + "/both");
  ASSERT_EQ(both.code, 200);
  EXPECT_EQ(both.body.get("metadata", "ownerReferences").size(), 1U);
  EXPECT_EQ(both.body.get("metadata", "ownerReferences")[0].get("uid").as_string(),
            meta(alive, "uid"));
}

TEST_F(LoopRules, Rule19ANamespacedOwnerInAnotherNamespaceIsAbsent) {
  create("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  const auto owner =
      create("/api/v1/namespaces/other/configmaps", R"({"metadata":{"name":"owner"}})");

  create(kConfigMaps, owned("child", owner));
  settle();

  EXPECT_EQ(code("child"), 404);
}

TEST_F(LoopRules, Rule21AClaimInUseWaitsForItsPod) {
  constexpr auto kClaims = "/api/v1/namespaces/ns/persistentvolumeclaims";
  const auto made = create(kClaims, R"({"metadata":{"name":"data"},"spec":{
      "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  ASSERT_EQ(made.code, 201) << message(made);
  create(kPods, R"({"metadata":{"name":"user"},"spec":{"containers":[{"name":"c","image":"i"}],
      "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})");
  settle();

  const auto stamped = remove(std::string{kClaims} + "/data");
  settle();
  const int held = get(std::string{kClaims} + "/data").code;
  remove(std::string{kPods} + "/user");
  settle();

  EXPECT_EQ(meta(made, "finalizers"), R"(["kubernetes.io/pvc-protection"])");
  EXPECT_TRUE(kube::being_deleted(stamped.body));
  EXPECT_EQ(held, 200);
  EXPECT_EQ(get(std::string{kClaims} + "/data").code, 404);
}

TEST_F(LoopRules, AClassOfAttributesWaitsForTheClaimsThatNameIt) {
  constexpr auto kClasses = "/apis/storage.k8s.io/v1/volumeattributesclasses";
  constexpr auto kClass = "/apis/storage.k8s.io/v1/volumeattributesclasses/fast";
  constexpr auto kClaims = "/api/v1/namespaces/ns/persistentvolumeclaims";
  create(kClasses, R"({"metadata":{"name":"fast"},"driverName":"d","parameters":{"a":"b"}})");
  create(kClaims, R"({"metadata":{"name":"data"},"spec":{"volumeAttributesClassName":"fast",
      "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  settle();

  remove(kClass);
  settle();
  const int held = get(kClass).code;
  remove(std::string{kClaims} + "/data");
  settle();

  EXPECT_EQ(held, 200);
  EXPECT_EQ(get(kClass).code, 404);
}

TEST_F(LoopRules, Rule22ANamespaceGoesWhenItsContentIsGone) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  create(kConfigMaps, R"({"metadata":{"name":"held","finalizers":["example.com/hold"]}})");
  settle();

  remove("/api/v1/namespaces/ns");
  settle();
  const auto waiting = get("/api/v1/namespaces/ns");
  const int plain = code("a");
  patch(std::string{kConfigMaps} + "/held", R"({"metadata":{"finalizers":null}})");
  settle();

  EXPECT_EQ(plain, 404);
  ASSERT_EQ(waiting.code, 200);
  EXPECT_TRUE(kube::condition_is_true(waiting.body, "NamespaceFinalizersRemaining"));
  EXPECT_EQ(
      kube::condition_of(waiting.body, "NamespaceFinalizersRemaining").get("message").as_string(),
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource "
      "instances");
  EXPECT_EQ(get("/api/v1/namespaces/ns").code, 404);
}

TEST_F(LoopRules, ADefinitionGoesWhenItsInstancesAreGone) {
  constexpr auto kBoats = "/apis/sea.example.com/v1/namespaces/ns/boats";
  constexpr auto kDefinition =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.sea.example.com";
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", apiserver::kBoatDefinition);
  const std::string boat =
      R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one","finalizers":["example.com/hold"]},"spec":{"crew":1}})";
  ASSERT_EQ(create(kBoats, boat).code, 201);
  settle();

  remove(kDefinition);
  settle();
  const auto waiting = get(kDefinition);
  const auto refused = create(kBoats, boat);
  const auto read = get(std::string{kBoats} + "/one");
  patch(std::string{kBoats} + "/one", R"({"metadata":{"finalizers":null}})");
  settle();

  ASSERT_EQ(waiting.code, 200);
  EXPECT_EQ(kube::condition_of(waiting.body, "Terminating").get("reason").as_string(),
            "InstanceDeletionInProgress");
  EXPECT_GE(refused.code, 400);
  EXPECT_EQ(message(refused),
            "boats.sea.example.com \"one\" is forbidden: create not allowed while custom resource "
            "definition is terminating");
  EXPECT_EQ(read.code, 200);
  EXPECT_EQ(get(kDefinition).code, 404);
  EXPECT_EQ(get(std::string{kBoats} + "/one").code, 404);
}

TEST_F(LoopRules, WhatInstancesOwnGoesWithTheirDefinition) {
  constexpr auto kBoats = "/apis/sea.example.com/v1/namespaces/ns/boats";
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", apiserver::kBoatDefinition);
  const auto boat = create(
      kBoats,
      R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"},"spec":{"crew":1}})");
  ASSERT_EQ(boat.code, 201) << message(boat);
  const auto held_by = [&](std::string_view name, std::string_view kind, std::string_view uid) {
    create(kConfigMaps,
           fmt::format(
               R"({{"metadata":{{"name":"{}","ownerReferences":[{{)"
               R"("apiVersion":"sea.example.com/v1","kind":"{}","name":"one","uid":"{}"}}]}}}})",
               name, kind, uid));
  };
  held_by("cargo", "Boat", meta(boat, "uid"));
  held_by("stray", "Unknown", "u");
  settle();

  remove("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.sea.example.com");
  settle();

  EXPECT_EQ(get(kBoats).code, 404);
  EXPECT_EQ(code("cargo"), 404);
  EXPECT_EQ(code("stray"), 200) << "of its owner's kind nothing is known";
}

TEST_F(LoopRules, Rule22PodsGoFirstAndTheRestOfTheNamespaceWaitsForThem) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  create(kPods, R"({"metadata":{"name":"p","finalizers":["example.com/hold"]},)"
                R"("spec":{"containers":[{"name":"c","image":"i"}]}})");
  settle();

  remove("/api/v1/namespaces/ns");
  settle();
  const auto waiting = get("/api/v1/namespaces/ns");
  const auto pod = get(std::string{kPods} + "/p");
  const int other = code("a");
  patch(std::string{kPods} + "/p", R"({"metadata":{"finalizers":null}})");
  settle();

  EXPECT_TRUE(kube::being_deleted(pod.body));
  EXPECT_EQ(other, 200);
  EXPECT_EQ(kube::condition_of(waiting.body, "NamespaceContentRemaining").get("reason").as_string(),
            "ContentRemoved")
      << "the words of a real server, which has counted nothing yet";
  EXPECT_EQ(get("/api/v1/namespaces/ns").code, 404);
}

TEST_F(LoopRules, Rule22AlsoALargeNamespaceGoesWhole) {
  for (int i = 0; i < 350; ++i) {
    create(kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})");
  }
  settle();

  remove("/api/v1/namespaces/ns");
  settle();

  EXPECT_EQ(get("/api/v1/namespaces/ns").code, 404);
  EXPECT_EQ(store_.latest().count("configmaps/ns/"), 0U);
}

TEST_F(LoopRules, EveryNamespaceHasItsDefaultServiceAccount) {
  settle();

  EXPECT_EQ(get("/api/v1/namespaces/ns/serviceaccounts/default").code, 200);
  EXPECT_EQ(code("kube-root-ca.crt"), 200);
  remove("/api/v1/namespaces/ns/serviceaccounts/default");
  settle();
  EXPECT_EQ(get("/api/v1/namespaces/ns/serviceaccounts/default").code, 200);
}

TEST_F(LoopRules, EventsExpireAnHourAfterTheirLastWrite) {
  constexpr auto kEvents = "/api/v1/namespaces/ns/events";
  const auto made = create(
      kEvents,
      R"({"metadata":{"name":"e"},"involvedObject":{"kind":"ConfigMap","namespace":"ns","name":"a"},"reason":"x","type":"Normal"})");
  ASSERT_EQ(made.code, 201) << message(made);
  settle();

  const std::string event = std::string{kEvents} + "/e";
  clock_.advance(std::chrono::minutes(59));
  settle();
  ASSERT_EQ(patch(event, R"({"count":2})", "application/merge-patch+json").code, 200);
  settle();
  clock_.advance(std::chrono::minutes(59));
  settle();
  const int before = get(event).code;
  clock_.advance(std::chrono::minutes(2));
  settle();

  EXPECT_EQ(before, 200);
  EXPECT_EQ(get(event).code, 404);
}

TEST_F(LoopRules, AtRestTheLoopsWriteNothing) {
  settle();
  const auto before = store_.revision();

  settle();

  EXPECT_EQ(store_.revision(), before);
}

TEST_F(LoopRules, ADefinitionThatServesNothingTakesItsInstancesAlong) {
  constexpr auto kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string definition = std::string{kDefinitions} + "/boats.sea.example.com";
  create(kDefinitions, apiserver::kBoatDefinition);
  create("/apis/sea.example.com/v1/namespaces/ns/boats",
         R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"}})");
  patch(definition, R"([{"op":"replace","path":"/spec/versions/0/served","value":false}])",
        "application/json-patch+json");

  remove(definition);
  settle();

  EXPECT_EQ(get(definition).code, 404);
}

TEST_F(LoopRules, TheRootCertificatesOfANamespaceSayWhatTheyAreFor) {
  settle();

  const auto bundle = get(std::string{kConfigMaps} + "/kube-root-ca.crt");

  EXPECT_TRUE(bundle.body.get("metadata", "annotations", "kubernetes.io/description")
                  .as_string()
                  .starts_with("Contains a CA bundle"));
}

TEST_F(LoopRules, TheRootCertificatesOfANamespaceAreWhatTheServerSays) {
  constexpr std::string_view kBundle = "/api/v1/namespaces/ns/configmaps/kube-root-ca.crt";
  settle();
  const auto before = get(kBundle);

  patch(kBundle, R"({"data":{"ca.crt":"","mine":"x"},"metadata":{"annotations":null}})");
  settle();

  const auto after = get(kBundle);
  EXPECT_EQ(after.body.get("data"), before.body.get("data"));
  EXPECT_EQ(after.body.get("metadata", "annotations"), before.body.get("metadata", "annotations"));
}

}  // namespace
}  // namespace fixpoint::cluster
