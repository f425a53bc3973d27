// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/stateful_set.h"

#include "cluster/workloads/workload_fixture.h"

#include <map>

#include <gmock/gmock.h>

namespace fixpoint::cluster {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StatefulSets : public WorkloadFixture {
 protected:
  void set(int replicas, std::string_view extra = {}) {
    made("statefulsets", R"({"metadata":{"name":"db"},"spec":{"serviceName":"db","replicas":)" +
                             std::to_string(replicas) + std::string{extra} +
                             R"(,"selector":{"matchLabels":{"app":"db"}},"template":)" +
                             pod_template("db", "a") + "}}");
  }
  void image(std::string_view name) {
    change("statefulsets", "db",
           R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" +
               std::string{name} + R"("}]}}}})");
  }
  json::View status() { return read("statefulsets", "db").get("status"); }
  // "db-0 a" for each pod: its name and image.
  std::vector<std::string> images() {
    std::vector<std::string> found;
    for (const auto& pod : all("pods")) {
      found.push_back(std::string{kube::name_of(pod)} + " " +
                      std::string{pod.get("spec", "containers")[0].get("image").as_string()});
    }
    return found;
  }
  // The kind of every owner of a claim.
  std::string owners(std::string_view claim) {
    std::string kinds;
    for (const auto& owner : kube::owner_references_of(read("persistentvolumeclaims", claim))) {
      kinds += owner.kind + " ";
    }
    return kinds;
  }
  // A pod that a node runs ends only when the node says so.
  void bind_all() {
    create("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
    for (const auto& pod : all("pods")) {
      const auto response =
          create(path("pods", kube::name_of(pod)) + "/binding",
                 R"({"metadata":{"name":")" + std::string{kube::name_of(pod)} +
                     R"("},"target":{"apiVersion":"v1","kind":"Node","name":"n"}})");
      EXPECT_EQ(response.code, 201) << message(response);
    }
  }

  static constexpr auto kClaims =
      R"(,"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":)"
      R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])";
};

TEST_F(StatefulSets, MakeTheirPodsOneAfterTheOther) {
  set(3);
  settle();
  EXPECT_THAT(names("pods"), ElementsAre("db-0"));
  report("db-0", "Running", false);
  settle();
  EXPECT_THAT(names("pods"), ElementsAre("db-0"));

  report("db-0", "Running", true);
  settle();
  EXPECT_THAT(names("pods"), ElementsAre("db-0", "db-1"));
  converge();

  EXPECT_THAT(names("pods"), ElementsAre("db-0", "db-1", "db-2"));
  EXPECT_EQ(status().get("readyReplicas").as_int(), 3);
  EXPECT_EQ(status().get("currentReplicas").as_int(), 3);
  EXPECT_EQ(status().get("currentRevision"), status().get("updateRevision"));
}

TEST_F(StatefulSets, APodKnowsItsPlace) {
  set(1, R"(,"ordinals":{"start":5})");
  settle();

  const auto pod = read("pods", "db-5");
  EXPECT_EQ(kube::label_of(pod, "statefulset.kubernetes.io/pod-name"), "db-5");
  EXPECT_EQ(kube::label_of(pod, "apps.kubernetes.io/pod-index"), "5");
  EXPECT_EQ(kube::label_of(pod, "controller-revision-hash"),
            status().get("updateRevision").as_string());
  EXPECT_EQ(pod.get("spec", "hostname").as_string(), "db-5");
  EXPECT_EQ(pod.get("spec", "subdomain").as_string(), "db");
}

TEST_F(StatefulSets, ParallelOnesMakeAllAtOnce) {
  set(3, R"(,"podManagementPolicy":"Parallel")");
  settle();

  EXPECT_EQ(names("pods").size(), 3U);
}

TEST_F(StatefulSets, EndTheirPodsInReverse) {
  set(3);
  converge();
  bind_all();
  converge();

  change("statefulsets", "db", R"({"spec":{"replicas":1}})");
  settle();
  EXPECT_TRUE(kube::being_deleted(read("pods", "db-2")));
  EXPECT_FALSE(kube::being_deleted(read("pods", "db-1")));
  remove(path("pods", "db-2"), R"({"gracePeriodSeconds":0})");
  settle();
  EXPECT_TRUE(kube::being_deleted(read("pods", "db-1")));
  remove(path("pods", "db-1"), R"({"gracePeriodSeconds":0})");
  converge();

  EXPECT_THAT(names("pods"), ElementsAre("db-0"));
  EXPECT_THAT(told("StatefulSet"),
              Contains("SuccessfulDelete: delete Pod db-2 in StatefulSet db successful"));
}

TEST_F(StatefulSets, RollFromTheHighestPlaceDownAndWaitForEach) {
  set(3);
  converge();
  const auto before = std::string{status().get("currentRevision").as_string()};

  image("b");
  settle();
  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 a", "db-2 b"));
  EXPECT_EQ(status().get("currentRevision").as_string(), before);
  EXPECT_NE(status().get("updateRevision").as_string(), before);
  converge();

  EXPECT_THAT(images(), ElementsAre("db-0 b", "db-1 b", "db-2 b"));
  EXPECT_EQ(status().get("currentRevision"), status().get("updateRevision"));
  EXPECT_EQ(all("controllerrevisions").size(), 2U);
}

TEST_F(StatefulSets, StopAtThePartition) {
  set(3, R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}})");
  converge();
  image("b");
  converge();
  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 a", "db-2 b"));

  // Below it a pod comes back as it was.
  remove(path("pods", "db-0"));
  converge();
  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 a", "db-2 b"));
  EXPECT_EQ(status().get("currentReplicas").as_int(), 2);
  EXPECT_EQ(status().get("updatedReplicas").as_int(), 1);

  change("statefulsets", "db", R"({"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}})");
  converge();
  EXPECT_THAT(images(), ElementsAre("db-0 b", "db-1 b", "db-2 b"));
}

TEST_F(StatefulSets, OnDeleteWaitsForSomebodyToDelete) {
  set(2, R"(,"updateStrategy":{"type":"OnDelete"})");
  converge();
  image("b");
  converge();
  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 a"));

  remove(path("pods", "db-1"));
  converge();
  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 b"));
}

TEST_F(StatefulSets, ABrokenTemplateIsNotRolledBackUntilItsPodIsDeleted) {
  set(2);
  converge();
  image("broken");
  settle();
  ASSERT_THAT(images(), ElementsAre("db-0 a", "db-1 broken"));

  image("a");
  settle();
  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 broken"));
  remove(path("pods", "db-1"));
  converge();

  EXPECT_THAT(images(), ElementsAre("db-0 a", "db-1 a"));
}

TEST_F(StatefulSets, ATemplateThatComesBackIsTheRevisionItWas) {
  set(1);
  converge();
  const auto first = std::string{status().get("currentRevision").as_string()};
  image("b");
  converge();

  image("a");
  converge();

  EXPECT_EQ(status().get("currentRevision").as_string(), first);
  EXPECT_EQ(read("controllerrevisions", first).get("revision").as_int(), 3);
  EXPECT_EQ(all("controllerrevisions").size(), 2U);
}

TEST_F(StatefulSets, KeepAsManyRevisionsAsTheyAreAllowed) {
  set(1, R"(,"revisionHistoryLimit":1)");
  for (const std::string_view name : {"b", "c", "d"}) {
    converge();
    image(name);
  }
  converge();

  EXPECT_EQ(all("controllerrevisions").size(), 2U);
}

TEST_F(StatefulSets, AFinishedPodIsMadeAgain) {
  set(1);
  converge();
  const auto uid = std::string{kube::uid_of(read("pods", "db-0"))};

  report("db-0", "Failed", false);
  converge();

  EXPECT_NE(kube::uid_of(read("pods", "db-0")), uid);
}

TEST_F(StatefulSets, EveryPlaceHasItsClaimsAndKeepsThem) {
  set(2, kClaims);
  converge();
  EXPECT_THAT(names("persistentvolumeclaims"), ElementsAre("data-db-0", "data-db-1"));
  EXPECT_EQ(kube::label_of(read("persistentvolumeclaims", "data-db-0"), "app"), "db");
  EXPECT_EQ(read("pods", "db-1")
                .get("spec", "volumes")[0]
                .get("persistentVolumeClaim", "claimName")
                .as_string(),
            "data-db-1");
  EXPECT_THAT(
      told("StatefulSet"),
      Contains("SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success"));

  change("statefulsets", "db", R"({"spec":{"replicas":0}})");
  converge();
  remove(path("statefulsets", "db"));
  settle();

  EXPECT_THAT(names("persistentvolumeclaims"), ElementsAre("data-db-0", "data-db-1"));
}

TEST_F(StatefulSets, ClaimsGoWithTheSetIfThePolicySaysSo) {
  set(2, std::string{kClaims} + R"(,"persistentVolumeClaimRetentionPolicy":)"
                                R"({"whenDeleted":"Delete","whenScaled":"Retain"})");
  converge();
  EXPECT_EQ(owners("data-db-0"), "StatefulSet ");

  change("statefulsets", "db", R"({"spec":{"replicas":1}})");
  converge();
  EXPECT_EQ(names("persistentvolumeclaims").size(), 2U);
  remove(path("statefulsets", "db"));
  settle();

  EXPECT_THAT(names("persistentvolumeclaims"), IsEmpty());
}

TEST_F(StatefulSets, ClaimsGoWithTheirPlaceIfThePolicySaysSo) {
  set(2, std::string{kClaims} + R"(,"persistentVolumeClaimRetentionPolicy":)"
                                R"({"whenDeleted":"Retain","whenScaled":"Delete"})");
  converge();
  EXPECT_EQ(owners("data-db-1"), "");

  change("statefulsets", "db", R"({"spec":{"replicas":1}})");
  converge();
  EXPECT_THAT(names("persistentvolumeclaims"), ElementsAre("data-db-0"));

  change("statefulsets", "db", R"({"spec":{"replicas":2}})");
  converge();
  EXPECT_THAT(names("persistentvolumeclaims"), ElementsAre("data-db-0", "data-db-1"));
}

TEST_F(StatefulSets, APlaceWaitsForAClaimThatIsBeingDeleted) {
  set(1, kClaims);
  converge();
  change("persistentvolumeclaims", "data-db-0",
         R"({"metadata":{"finalizers":["example.com/hold"]}})");
  remove(path("persistentvolumeclaims", "data-db-0"));
  remove(path("pods", "db-0"));
  settle();
  EXPECT_THAT(names("pods"), IsEmpty());
  EXPECT_THAT(told("StatefulSet"), Contains(HasSubstr("pvc data-db-0 is being deleted")));

  change("persistentvolumeclaims", "data-db-0", R"({"metadata":{"finalizers":null}})");
  settle();

  EXPECT_THAT(names("pods"), ElementsAre("db-0"));
}

// Of "my-own-data-db-0" both "db" and "data-db" may be the set; the templates tell.
TEST_F(StatefulSets, AClaimThatWentIsTheBusinessOfTheSetThatItsNameEndsWith) {
  std::string claims{kClaims};
  claims.replace(claims.find(R"("data")"), 6, R"("my-own-data")");
  set(1, claims);
  converge();
  const auto claim = path("persistentvolumeclaims", "my-own-data-db-0");
  change("persistentvolumeclaims", "my-own-data-db-0",
         R"({"metadata":{"finalizers":["example.com/hold"]}})");
  remove(claim);
  remove(path("pods", "db-0"));
  settle();
  ASSERT_THAT(names("pods"), IsEmpty());

  change("persistentvolumeclaims", "my-own-data-db-0", R"({"metadata":{"finalizers":null}})");
  settle();

  EXPECT_THAT(names("pods"), ElementsAre("db-0"));
}

TEST_F(StatefulSets, APodMustBeReadyForSomeSecondsBeforeTheNextIsMade) {
  set(2, R"(,"minReadySeconds":10)");
  settle();
  report("db-0", "Running", true);
  settle();
  EXPECT_THAT(names("pods"), ElementsAre("db-0"));

  clock_.advance(std::chrono::seconds(10));
  settle();

  EXPECT_THAT(names("pods"), ElementsAre("db-0", "db-1"));
}

TEST_F(StatefulSets, ANewSetTakesOverThePodsOfAnOrphaningOne) {
  set(2);
  converge();
  const auto uid = std::string{kube::uid_of(read("pods", "db-0"))};
  remove(path("statefulsets", "db"), R"({"propagationPolicy":"Orphan"})");
  settle();

  set(2);
  converge();

  EXPECT_EQ(kube::uid_of(read("pods", "db-0")), uid);
  EXPECT_TRUE(kube::controller_of(read("pods", "db-0")).has_value());
  EXPECT_EQ(all("controllerrevisions").size(), 1U);
}

TEST_F(StatefulSets, AForeignPodInAPlaceIsNotTouched) {
  made("pods", R"({"metadata":{"name":"db-0","labels":{"other":"x"}},)"
               R"("spec":{"containers":[{"name":"c","image":"z"}]}})");
  set(1);
  settle();

  EXPECT_THAT(images(), ElementsAre("db-0 z"));
  EXPECT_FALSE(kube::controller_of(read("pods", "db-0")).has_value());
}

TEST_F(StatefulSets, AtRestTheyWriteNothing) {
  set(3, kClaims);
  converge();
  change("pods", "db-1", R"({"metadata":{"annotations":{"touched":"yes"}}})");
  const auto touched = store_.revision();
  settle();

  EXPECT_EQ(store_.revision(), touched);
}

}  // namespace
}  // namespace fixpoint::cluster
