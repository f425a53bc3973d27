// SPDX-License-Identifier: Apache-2.0
//
// Definitions as a client sees them: who owns their status, and what is said of a change.
#include "apiserver/api_fixture.h"

#include <gmock/gmock.h>

namespace fixpoint::apiserver {
namespace {

constexpr auto kDefinitionOfBoats =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.sea.example.com";

class Definition : public ApiFixture {
 protected:
  Definition() { create(kDefinitions, kBoatDefinition); }

  Response edit(std::string_view operations) {
    return patch(kDefinitionOfBoats, operations, "application/json-patch+json", "dryRun=All");
  }
};

TEST_F(Definition, ItsStatusBelongsToTheServer) {
  const auto boat = get(kDefinitionOfBoats);

  const json::View owners = boat.body.get("metadata", "managedFields");
  ASSERT_EQ(owners.size(), 2U);
  EXPECT_EQ(owners[0].get("manager").as_string(), "kube-apiserver");
  EXPECT_EQ(owners[0].get("subresource").as_string(), "status");
  EXPECT_TRUE(owners[0].get("fieldsV1", "f:status").contains("f:acceptedNames"));
}

TEST_F(Definition, AddsNothingToAVersionThatIsBuiltIn) {
  const auto made = create(
      kDefinitions,
      R"({"metadata":{"name":"foos.networking.k8s.io",)"
      R"("annotations":{"api-approved.kubernetes.io":"unapproved, test-only"}},)"
      R"("spec":{"group":"networking.k8s.io","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},)"
      R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},)"
      R"({"name":"v7","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");

  EXPECT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(list("/apis/networking.k8s.io/v1/foos").code, 404);
  EXPECT_EQ(list("/apis/networking.k8s.io/v7/foos").code, 200);
}

TEST_F(Definition, IsAppliedWithSchemasOfItemsAndOfMapValues) {
  const auto applied =
      apply("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cars.land.example.com",
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"cars.land.example.com"},
          "spec":{"group":"land.example.com","scope":"Namespaced",
            "names":{"plural":"cars","kind":"Car"},
            "versions":[{"name":"v1","served":true,"storage":true,
              "schema":{"openAPIV3Schema":{"type":"object","properties":{
                "seats":{"type":"array","items":{"type":"string"}},
                "parts":{"type":"object","additionalProperties":{"type":"integer"}}}}}}]}})",
            "me");

  EXPECT_EQ(applied.code, 201) << message(applied);
}

TEST_F(Definition, ShowsSchemasOfItemsAndOfMapValuesInTheOrderOfTheirFields) {
  patch(kDefinitionOfBoats,
        R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/)"
        R"(properties/x","value":{"type":"object","additionalProperties":)"
        R"({"type":"array","default":[],"items":{"type":"integer","default":7}}}}])",
        "application/json-patch+json");

  const auto refused = edit(R"([{"op":"add","path":"/spec/group","value":5}])");

  EXPECT_THAT(message(refused),
              testing::HasSubstr(R"("additionalProperties\":{\"type\":\"array\",\"default\":[],)"
                                 R"(\"items\":{\"type\":\"integer\",\"default\":7}})"));
}

TEST_F(Definition, AFormatIsWarnedOfOnce) {
  const auto first =
      edit(R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/)"
           R"(spec/properties/x","value":{"type":"string","format":"odd"}}])");
  EXPECT_EQ(first.warnings, std::vector<std::string>{"unrecognized format \"odd\""});

  patch(kDefinitionOfBoats,
        R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/)"
        R"(properties/x","value":{"type":"string","format":"odd"}}])",
        "application/json-patch+json");

  EXPECT_TRUE(
      edit(R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}}])").warnings.empty());
  EXPECT_TRUE(patch(std::string{kDefinitionOfBoats} + "/status", "{}").warnings.empty());
}

TEST_F(Definition, AServiceWithoutANameLacksANamespaceInKubernetesWords) {
  const auto refused = edit(
      R"([{"op":"add","path":"/spec/conversion","value":{"strategy":"Webhook","webhook":{
          "conversionReviewVersions":["v1"],"clientConfig":{"service":{"namespace":"n"}}}}}])");

  EXPECT_EQ(refused.code, 422);
  EXPECT_TRUE(message(refused).ends_with(
      "spec.conversion.webhookClientConfig.service.namespace: Required value"));
}

TEST_F(Definition, SelectableFieldsOfOneVersionMissASchemaThatAllShare) {
  const auto refused = edit(
      R"([{"op":"copy","from":"/spec/versions/0","path":"/spec/versions/1"},
          {"op":"replace","path":"/spec/versions/1/name","value":"v2"},
          {"op":"replace","path":"/spec/versions/1/storage","value":false},
          {"op":"add","path":"/spec/versions/0/selectableFields","value":[{"jsonPath":".spec.color"}]}])");

  EXPECT_EQ(refused.code, 422);
  EXPECT_TRUE(message(refused).contains(
      "spec.versions[0].selectableFields: Invalid value: \"\": may only be set when "
      "`version.schema.openAPIV3Schema` is not included"));
}

TEST_F(Definition, StoredVersionsComeBackWhenTakenAway) {
  const auto emptied = patch(std::string{kDefinitionOfBoats} + "/status", R"({"status":null})");

  EXPECT_EQ(text(emptied, "status", "storedVersions"), R"(["v1"])");
}

TEST_F(Definition, ThatGoesAndServesNothingIsGoneForClients) {
  patch(kDefinitionOfBoats, R"([{"op":"replace","path":"/spec/versions/0/served","value":false}])",
        "application/json-patch+json");
  remove(kDefinitionOfBoats);
  auto by_client = request(Verb::List, kBoats);
  by_client.user.name = "admin";

  EXPECT_EQ(run(by_client).code, 404);
  EXPECT_EQ(list(kBoats).code, 200);  // by the loop that ends what is left
}

}  // namespace
}  // namespace fixpoint::apiserver
