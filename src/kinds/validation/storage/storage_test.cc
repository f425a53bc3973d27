// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/storage/storage.h"

#include "json/parsing/parse.h"
#include "kinds/defaults/prepare_pod.h"
#include "kinds/validation/pods/pod.h"
#include "kinds/validation/storage/csi.h"
#include "kinds/validation/workloads/apps.h"

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

std::string only(const FieldErrors& errors) {
  return errors.size() == 1 ? errors[0].to_string() : std::to_string(errors.size()) + " errors";
}

TEST(StorageValidation, AsksForASortOfVolume) {
  const auto volume =
      json::parse(R"({"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"]}})")
          .value();

  EXPECT_EQ(only(validate_persistent_volume(volume)),
            "spec: Required value: must specify a volume type");
  // As at a new one, and that twice: the server asks, see metadata_checks().
  EXPECT_EQ(validate_persistent_volume_update(volume, volume).size(), 0U);
}

TEST(StorageValidation, QuotesADriverThatMayNotChangeAsTheServerHasIt) {
  const auto before = json::parse(R"({"spec":{"drivers":[{"name":"a.b","nodeID":"n"}]}})").value();
  const auto after =
      json::parse(R"({"spec":{"drivers":[{"name":"a.b","nodeID":"m","allocatable":{"count":3}}]}})")
          .value();

  EXPECT_EQ(
      only(validate_csi_node_update(after, before)),
      R"(spec.drivers: Invalid value: {"Name":"a.b","NodeID":"m","TopologyKeys":null,"Allocatable":{"Count":3}}: field is immutable)");
}

TEST(StorageValidation, TakesNoCapacityOfAVolumeInPlace) {
  const auto attachment =
      json::parse(
          R"({"spec":{"attacher":"a.b","nodeName":"n","source":{"inlineVolumeSpec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"a.b","volumeHandle":"h"}}}}})")
          .value();

  EXPECT_EQ(only(validate_volume_attachment(attachment)),
            "spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context "
            "of inline volumes");
}

TEST(StorageValidation, ShowsZeroForCountsThatAreNotThere) {
  const auto set = json::parse(R"({"status":{"replicas":-1}})").value();

  const auto errors = validate_replica_set_status_update(set, set);

  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(
      errors[1].to_string(),
      "status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas");
}

TEST(PodUpdate, LetsAGatedPodLearnWhereToRun) {
  const auto before =
      json::parse(
          R"({"spec":{"schedulingGates":[{"name":"a"}],"restartPolicy":"Always","dnsPolicy":"Default","containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}],"nodeSelector":{"a":"b"}}})")
          .value();
  const auto more =
      json::parse(
          R"({"spec":{"schedulingGates":[{"name":"a"}],"restartPolicy":"Always","dnsPolicy":"Default","containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}],"nodeSelector":{"a":"b","c":"d"}}})")
          .value();
  const auto other =
      json::parse(
          R"({"spec":{"schedulingGates":[{"name":"a"}],"restartPolicy":"Always","dnsPolicy":"Default","containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}],"nodeSelector":{"a":"x"}}})")
          .value();

  EXPECT_TRUE(validate_pod_update(more, before).empty());
  EXPECT_EQ(
      only(validate_pod_update(other, before)),
      R"(spec.nodeSelector: Invalid value: {"a":"x"}: only additions to spec.nodeSelector are allowed (no mutations or deletions))");
}

TEST(PodPreparation, DropsRestartPoliciesThatOnlySidecarsHave) {
  json::Draft spec{
      json::parse(
          R"({"containers":[{"name":"c","restartPolicy":"Always"}],"initContainers":[{"name":"i","restartPolicy":"Never"},{"name":"s","restartPolicy":"Always"}]})")
          .value()};

  drop_gated_fields(spec);

  EXPECT_EQ(
      spec.freeze(),
      json::parse(
          R"({"containers":[{"name":"c"}],"initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}]})")
          .value());
}

}  // namespace
}  // namespace fixpoint::kinds
