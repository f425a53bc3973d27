// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/status_fields.h"

#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kBody = R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},
    "template":{"metadata":{"labels":{"a":"b"}},
                "spec":{"containers":[{"name":"c","image":"i"}]}}}})";
constexpr auto kNewStatus =
    R"({"metadata":{"labels":{"l":"1"},"annotations":{"n":"1"}},"status":{"replicas":3}})";

class StatusFields : public ApiFixture {
 protected:
  static json::Value owned_through_status(const Response& response) {
    for (const json::View entry : response.body.get("metadata", "managedFields").elements()) {
      if (entry.get("subresource").as_string() != "status") continue;
      return json::Value(entry.get("fieldsV1", "f:metadata"));
    }
    return {};
  }
};

TEST_F(StatusFields, OfAStatefulSetMetadataIsEditedAndOwned) {
  ASSERT_EQ(create(kStatefulSets, kBody).code, 201);

  const auto written = patch(std::string{kStatefulSets} + "/a/status", kNewStatus);

  EXPECT_EQ(meta(written, "labels"), R"({"l":"1"})");
  const auto owned = owned_through_status(written);
  EXPECT_TRUE(owned.get("f:labels").is_object());
  EXPECT_TRUE(owned.get("f:annotations").is_object());
}

TEST_F(StatusFields, OfADeploymentLabelsStayAndNothingCountsForItsGeneration) {
  ASSERT_EQ(create(kDeployments, kBody).code, 201);

  const auto written = patch(std::string{kDeployments} + "/a/status", kNewStatus);

  EXPECT_EQ(meta(written, "labels"), "null");
  EXPECT_EQ(meta(written, "annotations"), R"({"n":"1"})");
  EXPECT_EQ(meta(written, "generation"), "1");
  const auto owned = owned_through_status(written);
  EXPECT_FALSE(owned.contains("f:labels"));
}

TEST_F(StatusFields, OfAPodTheStampIsNotTouched) {
  create("/api/v1/namespaces/ns/pods",
         R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");

  const auto written = patch("/api/v1/namespaces/ns/pods/p/status",
                             R"({"metadata":{"deletionTimestamp":"2001-02-03T04:05:06Z"}})");

  EXPECT_EQ(written.code, 200) << message(written);
  EXPECT_EQ(meta(written, "deletionTimestamp"), "null");
}

TEST_F(StatusFields, ALinkToItselfIsLostWhenTheObjectIsStored) {
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");
  const auto link = [&](std::string_view query) {
    return meta(patch("/api/v1/namespaces/ns/configmaps/a", R"({"metadata":{"selfLink":"/x"}})",
                      "application/merge-patch+json", query),
                "selfLink");
  };

  EXPECT_EQ(link("dryRun=All"), "/x");
  EXPECT_EQ(link(""), "null");
}

TEST_F(StatusFields, NobodyOwnsWhatTheServerSetsOnANewObject) {
  const auto made = create(
      "/api/v1/namespaces/ns/configmaps",
      R"({"metadata":{"name":"a","deletionTimestamp":"2001-02-03T04:05:06Z"},"data":{"x":"1"}})");

  ASSERT_EQ(made.code, 201);
  EXPECT_FALSE(
      made.body.get("metadata", "managedFields")[0].get("fieldsV1").contains("f:metadata"));
}

TEST_F(StatusFields, AStampThatAWriteWantsToMoveStays) {
  create("/api/v1/namespaces/ns/configmaps",
         R"({"metadata":{"name":"a","finalizers":["example.com/x"]}})");
  remove("/api/v1/namespaces/ns/configmaps/a");

  const auto moved = patch("/api/v1/namespaces/ns/configmaps/a",
                           R"({"metadata":{"deletionTimestamp":"2001-02-03T04:05:06Z"}})");

  EXPECT_EQ(moved.code, 200) << message(moved);
  EXPECT_EQ(meta(moved, "deletionTimestamp"), "2026-01-01T00:00:00Z");
}

}  // namespace
}  // namespace fixpoint::apiserver
