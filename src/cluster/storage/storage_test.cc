// SPDX-License-Identifier: Apache-2.0
//
// Claims, volumes and classes, with all loops of a cluster running.
#include "cluster/loop_fixture.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::cluster::storage {
namespace {

using Strings = std::vector<std::string>;

class StorageLoops : public LoopFixture {
 protected:
  StorageLoops() {
    create("/api/v1/namespaces", R"({"metadata":{"name":"default"}})");
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
    ClusterOptions options{.simulation = {.nodes = 2}, .volumes = "/data/volumes"};
    options.remove_directory = [this](const std::string& path) -> Result<void> {
      if (disk_broken_) return fail(ErrorKind::Unavailable, "disk on fire");
      removed_.push_back(path);
      return {};
    };
    controllers_ = Controllers::of_cluster("authority", options);
    settle();
  }

  void claim(std::string_view name, std::string_view spec, std::string_view size = "1Gi") {
    const auto made = create("/api/v1/namespaces/ns/persistentvolumeclaims",
                             fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}
        "accessModes":["ReadWriteOnce"],"resources":{{"requests":{{"storage":"{}"}}}}}}}})",
                                         name, spec, size));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  void volume(std::string_view name, std::string_view size, std::string_view more = "") {
    const auto made =
        create("/api/v1/persistentvolumes", fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}
        "accessModes":["ReadWriteOnce"],"capacity":{{"storage":"{}"}},"hostPath":{{"path":"/x"}}}}}})",
                                                        name, more, size));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  void pod(std::string_view name, std::string_view claim_name) {
    const auto made = create(
        "/api/v1/namespaces/ns/pods",
        fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c","image":"i"}}],
        "volumes":[{{"name":"v","persistentVolumeClaim":{{"claimName":"{}"}}}}]}}}})",
            name, claim_name));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  json::Value got(std::string_view path) { return get(path).body; }
  json::Value claim_named(std::string_view name) {
    return got(fmt::format("/api/v1/namespaces/ns/persistentvolumeclaims/{}", name));
  }
  json::Value volume_named(std::string_view name) {
    return got(fmt::format("/api/v1/persistentvolumes/{}", name));
  }
  std::string phase(const json::Value& object) {
    return std::string{object.get("status", "phase").as_string()};
  }
  std::string volume_of(std::string_view name) {
    const auto found = claim_named(name);
    return std::string{found.get("spec", "volumeName").as_string()};
  }
  Strings events(std::string_view about) {
    Strings said;
    store_.latest().scan("events/", {}, [&](const store::RecordRef& record) {
      const json::View event = record->body;
      if (event.get("involvedObject", "name").as_string() == about) {
        said.push_back(fmt::format("{}: {}", event.get("reason").as_string(),
                                   event.get("message").as_string()));
      }
      return true;
    });
    std::ranges::sort(said);
    return said;
  }
  bool said(std::string_view about, std::string_view start) {
    return std::ranges::any_of(events(about),
                               [&](const auto& one) { return one.starts_with(start); });
  }

  std::vector<std::string> removed_;
  bool disk_broken_ = false;
};

constexpr auto kNoClass = R"("storageClassName":"",)";

TEST_F(StorageLoops, TheDefaultClassIsThereAndMadeOnce) {
  const auto found = got("/apis/storage.k8s.io/v1/storageclasses/local-directory");
  EXPECT_EQ(kube::annotation_of(found, "storageclass.kubernetes.io/is-default-class"), "true");
  EXPECT_EQ(found.get("provisioner").as_string(), "fixpoint.dev/local-directory");
}

TEST_F(StorageLoops, AClaimTakesTheSmallestVolumeThatIsLargeEnough) {
  volume("small", "500Mi");
  volume("large", "10Gi");
  volume("right", "2Gi");
  settle();
  EXPECT_EQ(phase(volume_named("right")), "Available");
  claim("c", kNoClass);
  settle();

  EXPECT_EQ(volume_of("c"), "right");
  const auto bound = claim_named("c");
  EXPECT_EQ(phase(bound), "Bound");
  EXPECT_EQ(bound.get("status", "capacity", "storage").as_string(), "2Gi");
  EXPECT_EQ(kube::annotation_of(bound, "pv.kubernetes.io/bind-completed"), "yes");
  const auto taken = volume_named("right");
  EXPECT_EQ(phase(taken), "Bound");
  EXPECT_EQ(taken.get("spec", "claimRef", "uid").as_string(), kube::uid_of(bound));
}

TEST_F(StorageLoops, AClaimWithoutAVolumeSaysSoAndTakesOneThatComes) {
  claim("c", kNoClass);
  settle();
  EXPECT_EQ(phase(claim_named("c")), "Pending");
  EXPECT_EQ(events("c"), Strings{"FailedBinding: no persistent volumes available for this claim "
                                 "and no storage class is set"});
  volume("v", "1Gi");
  settle();

  EXPECT_EQ(volume_of("c"), "v");
}

TEST_F(StorageLoops, SelectorsModesAndClassesHaveToMatch) {
  volume("class", "1Gi", R"("storageClassName":"other",)");
  volume("block", "1Gi", R"("volumeMode":"Block",)");
  claim("c", R"("storageClassName":"","selector":{"matchLabels":{"a":"b"}},)");
  settle();
  EXPECT_EQ(volume_of("c"), "");
  volume("plain", "1Gi");
  settle();
  EXPECT_EQ(volume_of("c"), "");
  patch("/api/v1/persistentvolumes/plain", R"({"metadata":{"labels":{"a":"b"}}})");
  settle();

  EXPECT_EQ(volume_of("c"), "plain");
}

TEST_F(StorageLoops, AVolumeSetAsideForAClaimIsTakenByNobodyElse) {
  volume("v", "5Gi", R"("claimRef":{"namespace":"ns","name":"mine"},)");
  claim("other", kNoClass);
  settle();
  EXPECT_EQ(phase(volume_named("v")), "Available");
  claim("mine", kNoClass);
  settle();

  EXPECT_EQ(volume_of("other"), "");
  EXPECT_EQ(volume_of("mine"), "v");
}

TEST_F(StorageLoops, AClaimThatNamesAVolumeWaitsForItOrSaysWhyNot) {
  claim("c", R"("storageClassName":"","volumeName":"v",)", "3Gi");
  settle();
  EXPECT_EQ(phase(claim_named("c")), "Pending");
  volume("v", "1Gi");
  settle();

  EXPECT_EQ(phase(claim_named("c")), "Pending");
  EXPECT_TRUE(said(
      "c", "VolumeMismatch: Cannot bind to requested volume \"v\": requested PV is too small"));
}

TEST_F(StorageLoops, ARetainedVolumeIsReleasedAndABoundClaimWithoutItIsLost) {
  volume("v", "1Gi");
  claim("c", kNoClass);
  settle();
  remove("/api/v1/namespaces/ns/persistentvolumeclaims/c");
  settle();
  EXPECT_EQ(phase(volume_named("v")), "Released");

  volume("w", "1Gi", R"("claimRef":{"namespace":"ns","name":"d"},)");
  claim("d", kNoClass);
  settle();
  patch("/api/v1/persistentvolumes/w", R"({"metadata":{"finalizers":null}})");
  remove("/api/v1/persistentvolumes/w");
  settle();
  EXPECT_EQ(phase(claim_named("d")), "Lost");
  EXPECT_TRUE(said("d", "ClaimLost: Bound claim has lost its PersistentVolume."));
}

TEST_F(StorageLoops, ALocalDirectoryWaitsForAPodAndFollowsItToItsNode) {
  claim("c", "");
  settle();
  EXPECT_EQ(phase(claim_named("c")), "Pending");
  EXPECT_EQ(events("c"), Strings{"WaitForFirstConsumer: waiting for first consumer to be created "
                                 "before binding"});
  pod("p", "c");
  settle();

  const auto bound = claim_named("c");
  EXPECT_EQ(phase(bound), "Bound");
  const auto name = fmt::format("pvc-{}", kube::uid_of(bound));
  EXPECT_EQ(volume_of("c"), name);
  const auto made = volume_named(name);
  EXPECT_EQ(made.get("spec", "hostPath", "path").as_string(), "/data/volumes/" + name);
  const auto running = got("/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(phase(running), "Running");
  EXPECT_EQ(kube::annotation_of(bound, "volume.kubernetes.io/selected-node"),
            running.get("spec", "nodeName").as_string());
  EXPECT_TRUE(said("c", "ProvisioningSucceeded: Successfully provisioned volume " + name));
  EXPECT_TRUE(said("c",
                   "ExternalProvisioning: Waiting for a volume to be created either by the "
                   "external provisioner 'fixpoint.dev/local-directory'"));
}

TEST_F(StorageLoops, AnImmediateClassProvidesAtOnce) {
  create(
      "/apis/storage.k8s.io/v1/storageclasses",
      R"({"metadata":{"name":"now"},"provisioner":"fixpoint.dev/local-directory","reclaimPolicy":"Retain"})");
  claim("c", R"("storageClassName":"now",)");
  settle();

  EXPECT_EQ(phase(claim_named("c")), "Bound");
  const auto made = volume_named(volume_of("c"));
  EXPECT_EQ(made.get("spec", "persistentVolumeReclaimPolicy").as_string(), "Retain");
  EXPECT_FALSE(made.get("spec").contains("nodeAffinity"));
}

TEST_F(StorageLoops, AProvidedVolumeGoesWithItsClaimDirectoryFirst) {
  claim("c", "");
  pod("p", "c");
  settle();
  const auto name = volume_of("c");
  disk_broken_ = true;
  remove("/api/v1/namespaces/ns/persistentvolumeclaims/c");
  settle();
  EXPECT_EQ(phase(claim_named("c")), "Bound");  // the pod still uses it
  remove("/api/v1/namespaces/ns/pods/p");
  settle();
  EXPECT_EQ(phase(volume_named(name)), "Failed");
  EXPECT_TRUE(said(name, "VolumeFailedDelete: disk on fire"));

  disk_broken_ = false;
  clock_.advance(std::chrono::seconds(15));
  settle();
  EXPECT_FALSE(get("/api/v1/persistentvolumes/" + name).ok());
  EXPECT_EQ(removed_, Strings{"/data/volumes/" + name});
}

TEST_F(StorageLoops, AClaimGrowsWhenItsClassAllowsIt) {
  claim("c", "");
  pod("p", "c");
  settle();
  const auto grown = patch("/api/v1/namespaces/ns/persistentvolumeclaims/c",
                           R"({"spec":{"resources":{"requests":{"storage":"5Gi"}}}})");
  ASSERT_TRUE(grown.ok()) << message(grown);
  settle();

  const auto bound = claim_named("c");
  EXPECT_EQ(bound.get("status", "capacity", "storage").as_string(), "5Gi");
  const auto made = volume_named(volume_of("c"));
  EXPECT_EQ(made.get("spec", "capacity", "storage").as_string(), "5Gi");
  EXPECT_TRUE(said("c", "VolumeResizeSuccessful: Resize volume succeeded"));
}

TEST_F(StorageLoops, AMissingClassIsNamedAndItsComingHelps) {
  claim("c", R"("storageClassName":"later",)");
  settle();
  EXPECT_TRUE(said("c", "ProvisioningFailed: storageclass.storage.k8s.io \"later\" not found"));
  create("/apis/storage.k8s.io/v1/storageclasses",
         R"({"metadata":{"name":"later"},"provisioner":"fixpoint.dev/local-directory"})");
  settle();

  EXPECT_EQ(phase(claim_named("c")), "Bound");
}

TEST_F(StorageLoops, AClassOfSomebodyElseIsLeftToThem) {
  create("/apis/storage.k8s.io/v1/storageclasses",
         R"({"metadata":{"name":"theirs"},"provisioner":"example.com/p"})");
  claim("c", R"("storageClassName":"theirs",)");
  settle();

  const auto waiting = claim_named("c");
  EXPECT_EQ(phase(waiting), "Pending");
  EXPECT_EQ(kube::annotation_of(waiting, "volume.kubernetes.io/storage-provisioner"),
            "example.com/p");
}

constexpr std::string_view kWithScratch = R"({"metadata":{"name":"p"},"spec":{
  "containers":[{"name":"c","image":"i"}],"volumes":[{"name":"scratch","ephemeral":{
  "volumeClaimTemplate":{"metadata":{"labels":{"a":"b"}},"spec":{"accessModes":["ReadWriteOnce"],
  "resources":{"requests":{"storage":"1Gi"}}}}}}]}})";

TEST_F(StorageLoops, AVolumeThatAPodBringsAlongIsMadeForItAndGoesWithIt) {
  ASSERT_TRUE(create("/api/v1/namespaces/ns/pods", kWithScratch).ok());
  settle();

  const auto made = claim_named("p-scratch");
  EXPECT_EQ(phase(made), "Bound");
  EXPECT_EQ(kube::label_of(made, "a"), "b");
  const auto pod = got("/api/v1/namespaces/ns/pods/p");
  EXPECT_TRUE(kube::owned_by(made, kube::uid_of(pod)));
  EXPECT_EQ(phase(pod), "Running");

  remove("/api/v1/namespaces/ns/persistentvolumeclaims/p-scratch");
  settle();
  const auto used = claim_named("p-scratch");
  EXPECT_TRUE(kube::being_deleted(used)) << "taken from a pod that uses it";
  remove("/api/v1/namespaces/ns/pods/p", R"({"gracePeriodSeconds":0})");
  settle();
  EXPECT_EQ(get("/api/v1/namespaces/ns/persistentvolumeclaims/p-scratch").code, 404);
}

TEST_F(StorageLoops, AClaimOfSomebodyElseIsNotTakenForAPodsOwn) {
  claim("p-scratch", "");
  ASSERT_TRUE(create("/api/v1/namespaces/ns/pods", kWithScratch).ok());
  settle();

  EXPECT_EQ(phase(got("/api/v1/namespaces/ns/pods/p")), "Pending");
  EXPECT_THAT(events("p"),
              testing::Contains(testing::HasSubstr("ephemeral volume scratch: PVC ns/p-scratch was "
                                                   "not created for pod ns/p (pod is not owner)")));
}

}  // namespace
}  // namespace fixpoint::cluster::storage
