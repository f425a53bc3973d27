// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/crd.h"

#include "base/rfc3339.h"
#include "json/print.h"
#include "kube/crd/names.h"
#include "kube/texts_for_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Instant kNoon = parse_rfc3339("2026-01-01T12:00:00Z").value();

json::Draft crd(std::string_view names) {
  auto out = json::Draft::object({
      {"kind", "CustomResourceDefinition"}
  });
  auto& spec = out.object_at("spec");
  spec["group"] = "example.com";
  spec["scope"] = "Cluster";
  spec["names"] = json::Draft{parsed(names)};
  spec["versions"] = json::Draft{parsed(R"([{"name":"v1","served":true,"storage":true}])")};
  set_crd_defaults(out);
  prepare_crd(out, {});
  return out;
}

std::string text(const json::Draft* draft) {
  const auto frozen = draft->freeze();
  return json::to_text(frozen);
}

std::string status_of(const json::Draft& object) {
  return text(object.find("status"));
}

TEST(Crd, GetsTheDefaultsAndTheFirstStatusOfARealServer) {
  const auto made = crd(R"({"plural":"boats","kind":"Boat"})");

  EXPECT_EQ(text(made.find("spec", "names")),
            R"({"kind":"Boat","listKind":"BoatList","plural":"boats","singular":"boat"})");
  EXPECT_EQ(text(made.find("spec", "conversion")), R"({"strategy":"None"})");
  EXPECT_EQ(
      status_of(made),
      R"({"acceptedNames":{"kind":"","plural":""},"conditions":null,"storedVersions":["v1"]})");
}

TEST(Crd, KeepsItsStatusOnUpdateAndRemembersEveryStorageVersion) {
  auto old = crd(R"({"plural":"boats","kind":"Boat"})");
  auto changed = old;
  changed.erase("status");
  changed.object_at("spec")["versions"] = json::Draft{
      parsed(R"([{"name":"v1","served":true},{"name":"v2","served":true,"storage":true}])")};

  const auto before = old.freeze();
  prepare_crd(changed, before);

  EXPECT_EQ(text(changed.find("status", "storedVersions")), R"(["v1","v2"])");
}

TEST(CrdNames, AreAcceptedAndTheCrdEstablished) {
  auto boat = crd(R"({"plural":"boats","kind":"Boat","shortNames":["bt"],"categories":["all"]})");

  EXPECT_TRUE(consider_names(boat, {}, kNoon));
  EXPECT_TRUE(establish(boat, kNoon));

  EXPECT_EQ(status_of(boat),
            R"({"acceptedNames":{"categories":["all"],"kind":"Boat","listKind":"BoatList",)"
            R"("plural":"boats","shortNames":["bt"],"singular":"boat"},"conditions":[)"
            R"({"lastTransitionTime":"2026-01-01T12:00:00Z","message":"no conflicts found",)"
            R"("reason":"NoConflicts","status":"True","type":"NamesAccepted"},)"
            R"({"lastTransitionTime":"2026-01-01T12:00:00Z",)"
            R"("message":"the initial names have been accepted","reason":"InitialNamesAccepted",)"
            R"("status":"True","type":"Established"}],"storedVersions":["v1"]})");
  EXPECT_FALSE(consider_names(boat, {}, kNoon));
  EXPECT_FALSE(establish(boat, kNoon));
}

TEST(CrdNames, ACrdWhoseConverterCannotBeTrustedIsNotEstablished) {
  const auto with_bundle = [](json::Draft crd, std::string_view bundle) {
    crd.object_at("spec")["conversion"] =
        json::Draft{parsed(R"({"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":")" +
                           std::string{bundle} + R"("}}})")};
    return crd;
  };
  auto boat = with_bundle(crd(R"({"plural":"boats","kind":"Boat"})"), "Cg==");
  consider_names(boat, {}, kNoon);

  EXPECT_TRUE(establish(boat, kNoon));

  EXPECT_THAT(text(boat.find("status", "conditions")),
              ::testing::HasSubstr(R"("message":"The conversion webhook CABundle is invalid",)"
                                   R"("reason":"InvalidCABundle","status":"False")"));
  EXPECT_FALSE(establish(boat, kNoon)) << "looking again changes nothing";
  boat = with_bundle(std::move(boat), "");
  EXPECT_TRUE(establish(boat, kNoon));
  EXPECT_THAT(text(boat.find("status", "conditions")),
              ::testing::HasSubstr(R"("reason":"InitialNamesAccepted","status":"True")"));
}

TEST(CrdNames, ThatAnotherCrdHoldsAreRefusedAndTheRestGranted) {
  auto boat = crd(R"({"plural":"boats","kind":"Boat","shortNames":["bt"]})");
  consider_names(boat, {}, kNoon);
  establish(boat, kNoon);
  NamesInUse used;
  const auto held = boat.freeze();
  used.add(held);
  auto ship = crd(R"({"plural":"ships","kind":"Ship","shortNames":["bt","sp"],"listKind":"BoatList",
                      "singular":"boat"})");

  EXPECT_TRUE(consider_names(ship, used, kNoon));

  EXPECT_FALSE(establish(ship, kNoon));
  EXPECT_EQ(text(ship.find("status", "acceptedNames")), R"({"kind":"Ship","plural":"ships"})");
  const auto conditions = text(ship.find("status", "conditions"));
  EXPECT_THAT(conditions, ::testing::HasSubstr(R"("message":"\"BoatList\" is already in use")"));
  EXPECT_THAT(conditions, ::testing::HasSubstr(R"("reason":"ListKindConflict","status":"False")"));
  EXPECT_THAT(conditions, ::testing::HasSubstr(
                              R"("message":"not all names are accepted","reason":"NotAccepted")"));
  EXPECT_FALSE(consider_names(ship, used, kNoon)) << "looking again changes nothing";
}

TEST(Crd, IsReadIntoFacts) {
  const auto object = parsed(R"({"spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"fleets","singular":"fleet","kind":"Fleet","listKind":"FleetList","shortNames":["fl"]},
    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},
      "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"}},
      "additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size","priority":1}],
      "selectableFields":[{"jsonPath":".spec.color"}]},
     {"name":"v1beta1","served":false,"deprecated":true}]},
    "status":{"conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1"]}})");

  const auto fleet = read_custom_resource(object);

  EXPECT_EQ(fleet.scope, Scope::Namespaced);
  EXPECT_TRUE(fleet.established);
  ASSERT_EQ(fleet.versions.size(), 2U);
  const auto& v1 = fleet.versions[0];
  EXPECT_TRUE(v1.has_status);
  ASSERT_TRUE(v1.scale.has_value());
  EXPECT_EQ(v1.scale->spec_replicas, ".spec.size");
  EXPECT_EQ(v1.columns[0].description,
            "Custom resource definition column (in JSONPath format): .spec.size");
  EXPECT_THAT(v1.selectable_fields, ElementsAre(".spec.color"));
  EXPECT_EQ(fleet.versions[1].deprecation_warning,
            "example.com/v1beta1 Fleet is deprecated; use example.com/v1 Fleet");
  EXPECT_EQ(fleet.versions[1].columns[0].name, "Age");
  EXPECT_EQ(fleet.storage_version(), &v1);
}

TEST(Crd, WarnsOfNewFinalizersThatMayClash) {
  const auto object = parsed(R"({"metadata":{"finalizers":["a","b.c","d.e/f","orphan","old"]}})");
  const auto old = parsed(R"({"metadata":{"finalizers":["old"]}})");

  EXPECT_THAT(
      custom_resource_warnings(object, old),
      ElementsAre(R"(metadata.finalizers: "a": prefer a domain-qualified finalizer name to )"
                  "avoid accidental conflicts with other finalizer writers",
                  R"(metadata.finalizers: "b.c": prefer a domain-qualified finalizer name )"
                  "including a path (/) to avoid accidental conflicts with other finalizer "
                  "writers"));
}

TEST(Crd, OrdersVersionsAsDiscoveryDoes) {
  std::vector<std::string> versions{"foo10", "v1alpha1", "v1",      "v11beta2",  "v10",      "v2",
                                    "foo1",  "v10beta3", "v3beta1", "v12alpha1", "v11alpha2"};

  std::ranges::sort(versions, newer_version);

  EXPECT_THAT(versions, ElementsAre("v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1",
                                    "v12alpha1", "v11alpha2", "v1alpha1", "foo1", "foo10"));
}

TEST(Crd, WarnsOnceOfFormatsNobodyEnforces) {
  const auto object = parsed(R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{
      "a":{"type":"string","format":"foo"},"b":{"type":"integer","format":"int32"},
      "c":{"items":{"type":"string","format":"foo"}},"d":{"type":"string","format":"date-time"}}}}}]}})");

  EXPECT_THAT(crd_warnings(object, {}), ElementsAre(R"(unrecognized format "foo")"));
  EXPECT_THAT(crd_warnings(object, object), IsEmpty());
}

}  // namespace
}  // namespace fixpoint::kube
