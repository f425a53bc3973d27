// SPDX-License-Identifier: Apache-2.0
//
// Small things a real server does that clients notice; each was once different here.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

class Likeness : public ApiFixture {};

TEST_F(Likeness, WarningsAlsoComeWithARefusal) {
  const auto refused = create(kConfigMaps, R"({"metadata":{"name":"BAD"},"dta":{}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.warnings, std::vector<std::string>{"unknown field \"dta\""});
}

TEST_F(Likeness, OwnersNamedTwiceAreKeptOnce) {
  const auto made = create(kConfigMaps, R"({"metadata":{"name":"conf","ownerReferences":[
      {"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"},
      {"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"}]}})");

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(made.body.get("metadata", "ownerReferences").size(), 1U);
  ASSERT_EQ(made.warnings.size(), 1U);
  EXPECT_TRUE(made.warnings[0].ends_with("duplicate UID(s) observed: u"));
}

TEST_F(Likeness, APatchCannotMakeAnObjectAnotherKind) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"}})");

  const auto other = patch(kConf, R"({"kind":"Secret"})");
  const auto unknown = patch(kConf, R"({"apiVersion":"v3"})");

  EXPECT_EQ(other.code, 422);
  EXPECT_TRUE(
      message(other).ends_with("converting (v1.Secret) to (core.ConfigMap): unknown conversion"));
  EXPECT_EQ(unknown.code, 422);
}

TEST_F(Likeness, AnApplyToAnExistingObjectMayLeaveItsNameOut) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"}})");

  const auto applied =
      apply(kConf, R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}})", "one");

  EXPECT_EQ(applied.code, 200) << message(applied);
  EXPECT_EQ(meta(applied, "name"), "conf");
  EXPECT_EQ(text(applied, "data", "a"), "1");
}

TEST_F(Likeness, AStampCannotBeSetByHand) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"}})");

  const auto refused = patch(kConf, R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_NE(message(refused).find("metadata.deletionTimestamp"), std::string::npos);
}

TEST_F(Likeness, SomeKindsAnswerADeletionWithTheObject) {
  create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"sa"}})");

  const auto gone = remove("/api/v1/namespaces/ns/serviceaccounts/sa");

  EXPECT_EQ(gone.body.get("kind").as_string(), "ServiceAccount");
}

std::size_t causes_of(const Response& refused) {
  return refused.body.get("details", "causes").size();
}

TEST_F(Likeness, AMistakeInMetadataIsListedAsOftenAsItIsFound) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"}})");
  create("/apis/coordination.k8s.io/v1/namespaces/ns/leases", R"({"metadata":{"name":"l"}})");
  const auto annotated = R"({"metadata":{"annotations":{"bad key":"x"}}})";

  EXPECT_EQ(causes_of(patch(kConf, annotated)), 4U);
  EXPECT_EQ(causes_of(patch(kConf, R"({"metadata":{"finalizers":["bad"]}})")), 2U);
  EXPECT_EQ(causes_of(patch(kConf, R"({"metadata":{"uid":"other"}})")), 2U);
  EXPECT_EQ(causes_of(patch("/apis/coordination.k8s.io/v1/namespaces/ns/leases/l", annotated)), 3U);
  const auto told = message(patch(kConf, R"({"metadata":{"uid":"other"}})"));
  EXPECT_EQ(told,
            "ConfigMap \"conf\" is invalid: metadata.uid: Invalid value: \"other\": field is "
            "immutable");
}

TEST_F(Likeness, ACustomResourceIsToldOfItsMetadataAndItsSchemaAtOnce) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const auto boats = "/apis/sea.example.com/v1/namespaces/ns/boats";

  const auto refused = create(boats, R"({"apiVersion":"sea.example.com/v1","kind":"Boat",
      "metadata":{"name":"b","annotations":{"bad key":"x"}},"spec":{"color":3}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(causes_of(refused), 2U) << message(refused);
}

TEST_F(Likeness, TheTimeOfCreationStaysWhateverAWriteSays) {
  const auto made = create(kConfigMaps, R"({"metadata":{"name":"conf"}})");

  const auto patched = patch(kConf, R"({"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z"}})");

  EXPECT_EQ(patched.code, 200) << message(patched);
  EXPECT_EQ(meta(patched, "creationTimestamp"), meta(made, "creationTimestamp"));
}

TEST_F(Likeness, WhereNobodyCountsGenerationsAClientsNumberStays) {
  const auto made = create(kConfigMaps, R"({"metadata":{"name":"conf","generation":7}})");
  const auto refused = create(kConfigMaps, R"({"metadata":{"name":"c2","generation":-1}})");

  EXPECT_EQ(meta(made, "generation"), "7");
  EXPECT_EQ(refused.code, 422);
}

TEST_F(Likeness, AnEmptyListOfManagedFieldsForgetsAllOwners) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"},"data":{"a":"1"}})");

  const auto patched = patch(kConf, R"({"metadata":{"managedFields":[]}})");

  EXPECT_EQ(patched.code, 200);
  EXPECT_FALSE(patched.body.get("metadata").contains("managedFields"));
}

TEST_F(Likeness, OfAParameterGivenTwiceTheFirstCounts) {
  const auto body = R"({"metadata":{"name":"conf"},"zz":1})";

  EXPECT_EQ(create(kConfigMaps, body, "fieldValidation=Strict&fieldValidation=Ignore").code, 400);
  EXPECT_EQ(create(kConfigMaps, body, "fieldValidation=Ignore&fieldValidation=Strict").code, 201);
}

TEST_F(Likeness, AVersionBeyondAllNumbersIsNoVersion) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"}})");

  const auto refused =
      put(kConf, R"({"metadata":{"name":"conf","resourceVersion":"99999999999999999999"}})");

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(message(refused),
            "strconv.ParseUint: parsing \"99999999999999999999\": value out of range");
}

TEST_F(Likeness, AnotherUidIsNoticedBeforeAMissingVersion) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const std::string boat =
      R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"b","uid":"other"}})";
  create("/apis/sea.example.com/v1/namespaces/ns/boats", boat);

  EXPECT_EQ(put("/apis/sea.example.com/v1/namespaces/ns/boats/b", boat).code, 409);
}

TEST_F(Likeness, APatchOfUnknownTypeIsRefusedInTheWordsOfItsKind) {
  create(kConfigMaps, R"({"metadata":{"name":"conf"}})");
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);

  const auto builtin = patch(kConf, "{}", "text/plain");
  const auto custom = patch("/apis/sea.example.com/v1/namespaces/ns/boats/b", "{}", "text/plain");

  EXPECT_EQ(message(builtin), "415: Unsupported Media Type");
  EXPECT_EQ(message(custom),
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml");
}

TEST_F(Likeness, OperationsAreReadByAnotherDecoderWhereUnknownFieldsAreIgnored) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  const std::string path = std::string{kConfigMaps} + "/a";
  const auto read = [&](std::string_view body) {
    return std::string{
        message(patch(path, body, "application/json-patch+json", "fieldValidation=Ignore"))};
  };

  EXPECT_EQ(read("{}"), "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  EXPECT_EQ(read("[1]"), "json: cannot unmarshal number into Go value of type jsonpatch.Operation");
}

TEST_F(Likeness, AMergePatchThatIsAListIsTheObjectForThoseWhoIgnoreFields) {
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");
  const auto path = "/api/v1/namespaces/ns/configmaps/a";

  const auto list = patch(path, "[]", "application/merge-patch+json", "fieldValidation=Ignore");
  const auto number = patch(path, "3", "application/merge-patch+json", "fieldValidation=Ignore");

  EXPECT_EQ(list.code, 422);
  EXPECT_EQ(number.code, 400);
  EXPECT_EQ(message(number), "Invalid JSON Patch");
}

}  // namespace
}  // namespace fixpoint::apiserver
