// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply as a request, and through /scale: what is asked in which order.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kBoatScale = "/apis/sea.example.com/v1/namespaces/ns/boats/one/scale";

class ApplyRequest : public ApiFixture {
 protected:
  ApplyRequest() {
    create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  }

  static std::string boat(std::string_view spec) {
    return R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"},"spec":)" +
           std::string{spec} + "}";
  }
};

TEST_F(ApplyRequest, KeepsNullsOfACustomResourceForValidationToRefuse) {
  const auto refused = apply(kBoat, boat(R"({"parts":null})"), "one");

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(message(refused),
            "Boat.sea.example.com \"one\" is invalid: spec.parts: Invalid value: \"null\": "
            "spec.parts in body must be of type array: \"null\"");
}

TEST_F(ApplyRequest, RefusesABodyThatIsNoObject) {
  EXPECT_EQ(message(apply(kBoat, "[]", "one")),
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
            "unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(message(apply(kBoat, R"({"apiVersion":"a/b/c","kind":"Boat"})", "one")),
            "invalid object type: /, Kind=");
}

TEST_F(ApplyRequest, ConvertsBeforeItLooksAtTheName) {
  const auto refused = apply("/api/v1/namespaces/ns/secrets/o",
                             R"({"apiVersion":"v1","kind":"Secret","data":{"a":"!"}})", "one");

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(message(refused),
            "failed to convert new object (/; /v1, Kind=Secret) to proper version: unable to "
            "convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal "
            "base64 data at input byte 0");
}

TEST_F(ApplyRequest, ToTheScaleOfACustomResourceCannotChangeIt) {
  create(kBoats, boat(R"({"crew":1})"));
  const auto scale = R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":2}})";

  const auto conflict = apply(kBoatScale, scale, "one");
  const auto forced = apply(kBoatScale, scale, "one", true);

  EXPECT_EQ(conflict.code, 409);
  EXPECT_EQ(forced.code, 500);
  EXPECT_EQ(message(forced),
            "failed to convert new object (/; autoscaling/v1, Kind=Scale) to proper version: "
            "request to convert CR to an invalid group/version: autoscaling/v1");
}

TEST_F(ApplyRequest, ToTheScaleOfADeploymentDoes) {
  create("/apis/apps/v1/namespaces/ns/deployments",
         R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"x":"y"}},"template":{
           "metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");

  const auto scaled =
      apply("/apis/apps/v1/namespaces/ns/deployments/web/scale",
            R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":3}})", "one", true);

  ASSERT_EQ(scaled.code, 200) << message(scaled);
  EXPECT_EQ(text(scaled, "spec", "replicas"), "3");
  const auto web = get("/apis/apps/v1/namespaces/ns/deployments/web");
  EXPECT_EQ(web.body.get("metadata", "managedFields")[0].get("operation").as_string(), "Apply");
}

TEST_F(ApplyRequest, AScaleWithoutItsFieldNeedsANumber) {
  create(kBoats, boat("{}"));

  EXPECT_EQ(message(patch(kBoatScale, "{}")),
            "the spec replicas field \".spec.crew\" cannot be empty");
  EXPECT_EQ(patch(kBoatScale, R"({"spec":{"replicas":2}})").code, 200);
}

TEST_F(ApplyRequest, AScaleOfACustomResourceIsRefusedByItsSchema) {
  create(kBoats, boat(R"({"crew":1})"));

  const auto negative = patch(kBoatScale, R"({"spec":{"replicas":-1}})");
  const auto typed = put(kBoatScale, R"({"apiVersion":"autoscaling/v1","kind":"Scale",
                                     "metadata":{"name":"one"},"spec":{"replicas":"x"}})");

  EXPECT_TRUE(message(negative).starts_with("Boat.sea.example.com \"one\" is invalid:"));
  EXPECT_EQ(message(typed),
            "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:110\"");
}

TEST_F(ApplyRequest, ToTheStatusOfAnAbsentServiceMakesOneWithoutAnAddress) {
  const auto path = "/api/v1/namespaces/ns/services/web/status";
  const auto made = apply(path, R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
                                    "spec":{"ports":[{"port":80}]}})",
                          "one");

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_FALSE(made.body.get("spec").contains("clusterIP"));
  EXPECT_EQ(apply(std::string{kBoat} + "/status", "[]", "one").code, 404);
}

TEST_F(ApplyRequest, AStrategicPatchOfACustomResourceIsRefusedBeforeItsOptions) {
  const auto refused =
      patch(kBoat, "{}", "application/strategic-merge-patch+json", "dryRun=nonsense");

  EXPECT_EQ(refused.code, 415);
}

}  // namespace
}  // namespace fixpoint::apiserver
