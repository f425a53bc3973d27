// SPDX-License-Identifier: Apache-2.0
//
// What bodies and patches are read as, and the words when they are not: all as a real
// kube-apiserver 1.34.4 answered the same requests.
#include "apiserver/api_fixture.h"

#include <gmock/gmock.h>

namespace fixpoint::apiserver {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr auto kJsonPatch = "application/json-patch+json";
constexpr auto kMergePatch = "application/merge-patch+json";
constexpr auto kStrategic = "application/strategic-merge-patch+json";
constexpr auto kStrict = "fieldValidation=Strict";

class Decoding : public ApiFixture {
 protected:
  void make_conf() { create(kConfigMaps, R"({"metadata":{"name":"conf"},"data":{"a":"1"}})"); }
};

TEST_F(Decoding, ProblemsAreToldInTheOrderOfTheText) {
  const std::string body =
      R"({"zz":1,"metadata":{"name":"conf","foo":1,"bar":2},"data":{"a":"x","a":"y"},)"
      R"("aa":{"b":{"c":1,"c":2}},"data":{"q":"r"}})";

  const auto refused = create(kConfigMaps, body, kStrict);
  const auto warned = create(kConfigMaps, body);

  EXPECT_THAT(
      message(refused),
      EndsWith(R"(strict decoding error: unknown field "zz", unknown field "metadata.foo", )"
               R"(unknown field "metadata.bar", duplicate field "data.a", )"
               R"(unknown field "aa", duplicate field "data")"));
  EXPECT_EQ(warned.warnings.size(), 6U);
  // A map given twice is one map: both ways in.
  EXPECT_EQ(text(warned, "data", "a"), "y");
  EXPECT_EQ(text(warned, "data", "q"), "r");
}

TEST_F(Decoding, AKeyGivenTwiceGoesIntoTheSamePlaceAgain) {
  const auto made =
      create(kConfigMaps,
             R"({"metadata":{"name":"conf","name":null,"ownerReferences":[{"name":"a","kind":"K",
      "apiVersion":"v1","uid":"u1","controller":true},{"name":"b","kind":"K","apiVersion":"v1",
      "uid":"u2"}],"ownerReferences":[{"name":"c"}]},"metadata":{"labels":{"a":"b"}},
      "metadata":null})");

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(meta(made, "labels"), R"({"a":"b"})");
  EXPECT_EQ(meta(made, "ownerReferences"),
            R"([{"apiVersion":"v1","controller":true,"kind":"K","name":"c","uid":"u1"}])");
}

TEST_F(Decoding, TheFirstMistakeOfTheTextIsNamed) {
  const auto refused =
      create(kConfigMaps, R"({"metadata":{"name":2},"data":{"x":1},"immutable":3})");

  EXPECT_EQ(message(refused),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal "
            "number into Go struct field ObjectMeta.metadata.name of type string");
}

TEST_F(Decoding, NumbersAreShownAsWritten) {
  for (const std::string number : {"1e3", "1.50", "1e400", "99999999999999999999999"}) {
    const auto refused =
        create(kConfigMaps, R"({"metadata":{"name":"conf","generation":)" + number + "}}");

    EXPECT_THAT(message(refused),
                EndsWith("json: cannot unmarshal number " + number +
                         " into Go struct field ObjectMeta.metadata.generation of type int64"));
  }
}

TEST_F(Decoding, AQuantityKeepsTheFormOfItsNumber) {
  const auto quota =
      create("/api/v1/namespaces/ns/resourcequotas",
             R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":1e3,"secrets":1000}}})");

  EXPECT_EQ(text(quota, "spec", "hard"), R"({"pods":"1e3","secrets":"1k"})");
}

TEST_F(Decoding, ARevisionOfAControllerHoldsAnObject) {
  const auto refused = create("/apis/apps/v1/namespaces/ns/controllerrevisions",
                              R"({"metadata":{"name":"r"},"revision":1,"data":[]})");

  EXPECT_THAT(message(refused), EndsWith("data: Required value: data must be a valid JSON object"));
}

TEST_F(Decoding, AMalformedApiVersionIsNoVersionAtAll) {
  const auto refused =
      create(kConfigMaps, R"({"kind":"ConfigMap","apiVersion":"a/b/c","metadata":{}})");

  EXPECT_EQ(message(refused),
            "the object provided is unrecognized (must be of type ConfigMap): unexpected "
            "GroupVersion string: a/b/c ({\"kind\":\"ConfigMap\",\"apiVersio ...)");
}

TEST_F(Decoding, APatchThatLeavesNoObjectIsRefused) {
  make_conf();

  const auto list = patch(kConf, R"([{"op":"replace","path":"","value":[]}])", kJsonPatch);
  const auto typeless = patch(kConf, R"({"apiVersion":null})");
  const auto strict = patch(kConf, R"({"apiVersion":null})", kMergePatch, kStrict);

  EXPECT_EQ(list.code, 422);
  EXPECT_THAT(message(list),
              testing::StartsWith(" \"\" is invalid: patch: Invalid value: \"[]\": couldn't get "
                                  "version/kind; json parse error: json: cannot unmarshal array"));
  EXPECT_EQ(typeless.code, 400);
  EXPECT_THAT(typeless.warnings,
              ElementsAre("unknown field \"data\"", "unknown field \"metadata\""));
  EXPECT_EQ(strict.code, 422);
}

TEST_F(Decoding, ARefusedResultIsQuotedInTheOrderOfItsFields) {
  make_conf();

  const auto refused = patch(kConf, R"({"data":{"a":1}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(message(refused),
              HasSubstr(R"({\"apiVersion\":\"v1\",\"data\":{\"a\":1},\"kind\":\"ConfigMap\",)"
                        R"(\"metadata\":{\"name\":\"conf\",\"namespace\":\"ns\",\"uid\":)"));
  EXPECT_THAT(message(refused), HasSubstr(R"([{\"manager\":\"test\",\"operation\":\"Update\",)"));
}

TEST_F(Decoding, WhatThePatchItselfHasTooMuchOfIsToldFirst) {
  make_conf();

  const auto operations =
      patch(kConf, R"([{"op":"add","path":"/data/x","value":"y","zz":1,"op":"add"}])", kJsonPatch);
  const auto merged = patch(kConf, R"({"data":{"x":"y","x":"z"},"u":1})");

  EXPECT_THAT(operations.warnings, ElementsAre("json patch unknown field \"[0].zz\"",
                                               "json patch duplicate field \"[0].op\""));
  EXPECT_THAT(merged.warnings, ElementsAre("duplicate field \"data.x\"", "unknown field \"u\""));
}

TEST_F(Decoding, AStrategicPatchIsConvertedAndNeverWasText) {
  make_conf();
  const auto why = [&](std::string_view body) {
    return message(patch(kConf, body, kStrategic, kStrict));
  };

  EXPECT_EQ(why(R"({"data":{"a":1}})"),
            R"( "" is invalid: patch: Invalid value: "map[data:map[a:1]]": )"
            "cannot convert int64 to string");
  EXPECT_THAT(why(R"({"immutable":"x"})"), EndsWith("unrecognized type: bool"));
  EXPECT_THAT(why(R"({"data":[]})"), EndsWith("cannot restore map from slice"));
  EXPECT_THAT(why(R"({"metadata":{"generation":1.5}})"),
              EndsWith("cannot convert float64 to int64"));
  EXPECT_THAT(why(R"({"metadata":{"zz":1,"aa":2}})"),
              EndsWith(R"(unknown field "metadata.aa", unknown field "metadata.zz")"));
  EXPECT_EQ(patch(kConf, R"({"metadata":{"generation":1.0}})", kStrategic).code, 200);
}

TEST_F(Decoding, AnApplyIsToldOfItsShapeBeforeItsName) {
  const auto why = [&](std::string_view body) { return message(apply(kConf, body, "m")); };

  EXPECT_THAT(why("[]"),
              EndsWith("cannot unmarshal array into Go value of type map[string]interface {}"));
  EXPECT_EQ(why(R"({"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"conf"}})"),
            "invalid object type: /, Kind=");
  EXPECT_EQ(
      why(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":1}})"),
      "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected "
      "string, got &value.valueUnstructured{Value:1}");
  EXPECT_EQ(
      why(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf",
                    "creationTimestamp":"x"}})"),
      "failed to convert new object (/conf; /v1, Kind=ConfigMap) to proper version: unable to "
      "convert unstructured object to /v1, Kind=ConfigMap: parsing time \"x\" as "
      "\"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"");
}

TEST_F(Decoding, AKeyGivenTwiceInAnApplyIsToldAfterAConflict) {
  apply(kConf,
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf"},"data":{"a":"1"}})",
        "one");
  const std::string twice =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata:\n  a: \"2\"\n  a: \"3\"\n";
  const auto type = "application/apply-patch+yaml";

  const auto conflict = patch(kConf, twice, type, "fieldManager=two&fieldValidation=Strict");
  const auto strict =
      patch(kConf, twice, type, "fieldManager=two&force=true&fieldValidation=Strict");
  const auto warned = patch(kConf, twice, type, "fieldManager=two&force=true");

  EXPECT_EQ(conflict.code, 409);
  EXPECT_EQ(strict.code, 400);
  EXPECT_THAT(warned.warnings, ElementsAre("line 6: key \"a\" already set in map"));
}

TEST_F(Decoding, TheMetadataOfACustomResourceIsReadInGosWords) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const auto made = [&](const std::string& metadata) {
    return create(
        "/apis/sea.example.com/v1/namespaces/ns/boats",
        R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":)" + metadata + "}");
  };

  EXPECT_THAT(
      message(made(R"({"name":"b","ownerReferences":[1]})")),
      EndsWith("number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference"));
  EXPECT_THAT(
      message(made(R"({"name":"b","ownerReferences":[{"uid":1}]})")),
      EndsWith("number into Go struct field OwnerReference.ownerReferences.uid of type types.UID"));
  EXPECT_EQ(made(R"({"name":"b","generation":1e3})").code, 201);
}

class ScaleDecoding : public Decoding {
 protected:
  static constexpr auto kScale = "/apis/apps/v1/namespaces/ns/deployments/web/scale";
  static constexpr auto kApplied =
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},"spec":{"replicas":5}})";

  ScaleDecoding() {
    apply(
        "/apis/apps/v1/namespaces/ns/deployments/web",
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":1,
          "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
          "spec":{"containers":[{"name":"c","image":"i"}]}}}})",
        "owner");
  }
};

TEST_F(ScaleDecoding, AnApplyToTheScaleConflictsLikeAnyOther) {
  const auto refused = apply(kScale, kApplied, "scaler");
  const auto forced = apply(kScale, kApplied, "scaler", true);

  EXPECT_EQ(message(refused),
            "Apply failed with 1 conflict: conflict with \"owner\": .spec.replicas");
  EXPECT_EQ(text(forced, "spec", "replicas"), "5");
  const auto owners = meta(get("/apis/apps/v1/namespaces/ns/deployments/web"), "managedFields");
  EXPECT_THAT(owners, HasSubstr(R"("fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"scaler",)"
                                R"("operation":"Apply","subresource":"scale")"));
}

TEST_F(ScaleDecoding, BodiesAndPatchesOfTheScaleAreReadAsAScale) {
  const auto put_why = [&](std::string_view body) { return message(put(kScale, body)); };

  EXPECT_THAT(put_why("["),
              testing::StartsWith("the object provided is unrecognized (must be of type Scale)"));
  EXPECT_THAT(put_why(R"({"metadata":{"name":"web"},"spec":{"replicas":"3"}})"),
              EndsWith("json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas "
                       "of type int32"));
  EXPECT_THAT(put_why(R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"}})"),
              EndsWith("converting (v1.Deployment) to (autoscaling.Scale): unknown conversion"));
  EXPECT_EQ(patch(kScale, R"({"spec":{"zz":1}})", kMergePatch, kStrict).code, 422);
  EXPECT_EQ(patch(kScale, R"({"metadata":{"name":"other"}})").code, 400);
  EXPECT_EQ(patch(kScale, R"({"metadata":{"uid":"other"}})").code, 409);
  EXPECT_EQ(put(kScale, R"({"spec":{"replicas":3}})").code, 400);
  EXPECT_THAT(
      put_why(R"({"metadata":{"name":"web","uid":"x"}})"),
      HasSubstr("StorageError: invalid object, Code: 4, Key: /registry/deployments/ns/web"));
  EXPECT_THAT(message(patch(kScale, R"({"spec":{"replicas":"x"}})", kStrategic)),
              EndsWith(R"("map[spec:map[replicas:x]]": unrecognized type: int32)"));
}

}  // namespace
}  // namespace fixpoint::apiserver
