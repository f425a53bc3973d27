// SPDX-License-Identifier: Apache-2.0
//
// The rules of the API about writes, by their numbers (1 to 12).
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

class WriteRules : public ApiFixture {
 protected:
  void define_boats() {
    const auto made =
        create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
    ASSERT_EQ(made.code, 201) << message(made);
  }
  Response make_boat(std::string_view name = "one") {
    return create(kBoats,
                  R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":")" +
                      std::string{name} + R"("},"spec":{"crew":3}})");
  }
};

TEST_F(WriteRules, Rule01EveryChangeTakesANewNumberFromOneCounter) {
  const auto first = create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  const auto second = create("/api/v1/namespaces/ns/secrets", R"({"metadata":{"name":"b"}})");

  ASSERT_EQ(second.code, 201) << message(second);
  EXPECT_EQ(std::stoull(meta(second, "resourceVersion")),
            std::stoull(meta(first, "resourceVersion")) + 1);
  EXPECT_EQ(meta(get(std::string{kConfigMaps} + "/a"), "resourceVersion"),
            meta(first, "resourceVersion"));
}

TEST_F(WriteRules, Rule02AStalePutIsAConflictAndAnUnversionedOneWinsOnlyForBuiltIns) {
  define_boats();
  const auto old = create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  put(std::string{kConfigMaps} + "/a", R"({"metadata":{"name":"a"},"data":{"x":"1"}})");

  const auto stale =
      put(std::string{kConfigMaps} + "/a", R"({"metadata":{"name":"a","resourceVersion":")" +
                                               meta(old, "resourceVersion") + R"("}})");
  const auto unversioned =
      put(std::string{kConfigMaps} + "/a", R"({"metadata":{"name":"a"},"data":{"x":"2"}})");
  make_boat();
  const auto custom =
      put(std::string{kBoats} + "/one",
          R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"}})");

  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(
      message(stale),
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please "
      "apply your changes to the latest version and try again");
  EXPECT_EQ(unversioned.code, 200);
  EXPECT_EQ(custom.code, 422);
  EXPECT_EQ(message(custom),
            "boats.sea.example.com \"one\" is invalid: metadata.resourceVersion: Invalid value: 0: "
            "must be specified for an update");
}

TEST_F(WriteRules, Rule03AnotherUidIsAnotherObject) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");

  const auto replaced =
      put(std::string{kConfigMaps} + "/a", R"({"metadata":{"name":"a","uid":"other"}})");
  const auto patched = patch(std::string{kConfigMaps} + "/a", R"({"metadata":{"uid":"other"}})");

  EXPECT_EQ(replaced.code, 409);
  EXPECT_NE(message(replaced).find("Precondition failed: UID in precondition: other"),
            std::string::npos);
  EXPECT_EQ(patched.code, 422);
  EXPECT_NE(message(patched).find("metadata.uid: Invalid value: \"other\": field is immutable"),
            std::string::npos);
}

TEST_F(WriteRules, Rule04AWriteThatChangesNothingIsNone) {
  const auto made = create(kConfigMaps, R"({"metadata":{"name":"a"},"data":{"x":"1"}})");
  const auto before = store_.revision();
  clock_.advance(std::chrono::minutes(5));

  const auto again = put(std::string{kConfigMaps} + "/a", json::to_text(made.body));
  const auto patched = patch(std::string{kConfigMaps} + "/a", R"({"data":{"x":"1"}})");

  EXPECT_EQ(again.code, 200);
  EXPECT_EQ(meta(again, "resourceVersion"), meta(made, "resourceVersion"));
  EXPECT_EQ(meta(patched, "resourceVersion"), meta(made, "resourceVersion"));
  EXPECT_EQ(store_.revision(), before);
}

TEST_F(WriteRules, Rule05APatchWithAVersionBehavesLikePutAndListsAreReplacedWhole) {
  define_boats();
  make_boat();
  patch(std::string{kBoats} + "/one", R"({"spec":{"parts":[{"name":"a"},{"name":"b"}]}})");

  const auto stale = patch(std::string{kBoats} + "/one", R"({"metadata":{"resourceVersion":"1"}})");
  const auto merged = patch(std::string{kBoats} + "/one", R"({"spec":{"parts":[{"name":"c"}]}})");
  const auto strategic = patch(std::string{kBoats} + "/one", R"({"spec":{}})",
                               "application/strategic-merge-patch+json");

  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(text(merged, "spec", "parts"), R"([{"name":"c"}])");
  EXPECT_EQ(strategic.code, 415);
}

TEST_F(WriteRules, Rule06PostWantsNoVersionAndATakenNameIsRefused) {
  create(kConfigMaps, R"({"metadata":{"name":"a","finalizers":["example.com/x"]}})");

  const auto versioned = create(kConfigMaps, R"({"metadata":{"name":"b","resourceVersion":"1"}})");
  const auto taken = create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  remove(std::string{kConfigMaps} + "/a");
  const auto dying = create(kConfigMaps, R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(versioned.code, 500);
  EXPECT_EQ(message(versioned), "resourceVersion should not be set on objects to be created");
  EXPECT_EQ(taken.code, 409);
  EXPECT_EQ(message(taken), "configmaps \"a\" already exists");
  EXPECT_EQ(dying.code, 409);
  EXPECT_EQ(message(dying), "object is being deleted: configmaps \"a\" already exists");
}

TEST_F(WriteRules, Rule06ADryRunNeverGetsToTheVersionItBrings) {
  const auto dry = [&](std::string_view version) {
    return create(
        kConfigMaps,
        R"({"metadata":{"name":"a","resourceVersion":")" + std::string{version} + R"("}})",
        "dryRun=All");
  };

  const auto numbered = dry("7");
  const auto odd = dry("x");
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  const auto taken = dry("7");

  EXPECT_EQ(numbered.code, 201);
  EXPECT_EQ(text(numbered, "metadata", "resourceVersion"), "7");
  EXPECT_EQ(text(odd, "metadata", "resourceVersion"), "x");
  EXPECT_EQ(message(taken), "configmaps \"a\" already exists");
}

TEST_F(WriteRules, Rule06AnApplyThatCreatesReadsTheVersionItBrings) {
  const auto with_version = [&](std::string_view version, std::string_view manager) {
    return apply(
        std::string{kConfigMaps} + "/a",
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":")" +
            std::string{version} + R"("}})",
        manager);
  };

  const auto dry = with_version("7", "m&dryRun=All");
  const auto odd = with_version("x", "m");
  const auto made = with_version("7", "m");

  EXPECT_EQ(text(dry, "metadata", "resourceVersion"), "7");
  EXPECT_EQ(odd.code, 500);
  EXPECT_EQ(message(odd), R"(strconv.ParseUint: parsing "x": invalid syntax)");
  EXPECT_EQ(made.code, 201);
  EXPECT_NE(text(made, "metadata", "resourceVersion"), "7");
}

TEST_F(WriteRules, Rule06APutThatCreatesOverwritesTheVersionItBrings) {
  constexpr auto kLease = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/a";
  const auto with_version = [&](std::string_view version, std::string_view query = {}) {
    return put(kLease,
               R"({"metadata":{"name":"a","resourceVersion":")" + std::string{version} + R"("}})",
               query);
  };

  const auto dry = with_version("7", "dryRun=All");
  const auto odd = with_version("x");
  const auto made = with_version("7");

  EXPECT_EQ(dry.code, 201);
  EXPECT_EQ(meta(dry, "resourceVersion"), "7");
  EXPECT_EQ(odd.code, 500);
  EXPECT_EQ(message(odd), R"(strconv.ParseUint: parsing "x": invalid syntax)");
  EXPECT_EQ(made.code, 201);
  EXPECT_NE(meta(made, "resourceVersion"), "7");
}

TEST_F(WriteRules, Rule07GenerateNameMakesAFreshNameEachTime) {
  const auto first = create(kConfigMaps, R"({"metadata":{"generateName":"a-"}})");
  const auto second = create(kConfigMaps, R"({"metadata":{"generateName":"a-"}})");

  EXPECT_EQ(first.code, 201);
  EXPECT_TRUE(meta(first, "name").starts_with("a-"));
  EXPECT_EQ(meta(first, "name").size(), 7U);
  EXPECT_NE(meta(first, "name"), meta(second, "name"));
}

TEST_F(WriteRules, Rule08CreateSetsIdentityAndWipesStatus) {
  define_boats();

  const auto made = create(
      kBoats,
      R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one","uid":"mine","generation":9},
          "spec":{"crew":1},"status":{"phase":"Sailing"}})");

  EXPECT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(meta(made, "uid").size(), 36U);
  EXPECT_EQ(meta(made, "creationTimestamp"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(meta(made, "generation"), "1");
  EXPECT_FALSE(made.body.find("status").has_value());
  EXPECT_EQ(text(made, "spec", "color"), "red");
}

TEST_F(WriteRules, Rule09MainWritesKeepStatusAndStatusWritesChangeOnlyIt) {
  define_boats();
  make_boat();

  const auto main =
      patch(std::string{kBoats} + "/one", R"({"spec":{"crew":4},"status":{"phase":"Sailing"}})");
  const auto status =
      patch(std::string{kBoats} + "/one/status",
            R"({"metadata":{"labels":{"a":"b"}},"spec":{"crew":9},"status":{"phase":"Sailing"}})");

  EXPECT_FALSE(main.body.find("status").has_value());
  EXPECT_EQ(text(status, "status", "phase"), "Sailing");
  EXPECT_EQ(text(status, "spec", "crew"), "4");
  EXPECT_EQ(meta(status, "labels"), "null");
}

TEST_F(WriteRules, Rule10GenerationMovesWithSpecAndWithTheDeletionStampOnly) {
  define_boats();
  make_boat();
  patch(std::string{kBoats} + "/one", R"({"metadata":{"finalizers":["example.com/x"]}})");
  const auto labelled = patch(std::string{kBoats} + "/one", R"({"metadata":{"labels":{"a":"b"}}})");
  const auto status = patch(std::string{kBoats} + "/one/status", R"({"status":{"phase":"x"}})");
  const auto spec = patch(std::string{kBoats} + "/one", R"({"spec":{"crew":5}})");
  const auto forced = patch(std::string{kBoats} + "/one", R"({"metadata":{"generation":40}})");
  const auto stamped = remove(std::string{kBoats} + "/one");

  EXPECT_EQ(meta(labelled, "generation"), "1");
  EXPECT_EQ(meta(status, "generation"), "1");
  EXPECT_EQ(meta(spec, "generation"), "2");
  EXPECT_EQ(meta(forced, "generation"), "2");
  EXPECT_EQ(meta(stamped, "generation"), "3");
}

TEST_F(WriteRules, Rule11AnAppliedWriteStandsWhateverItsCallerLearns) {
  // The answer is a value apart from the change: dropping it takes nothing back.
  (void)create(kConfigMaps, R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(get(std::string{kConfigMaps} + "/a").code, 200);
}

TEST_F(WriteRules, Rule12TooManyAnnotationBytesAreRefused) {
  const std::string big(300 << 10, 'x');

  const auto refused =
      create(kConfigMaps, R"({"metadata":{"name":"a","annotations":{"k":")" + big + R"("}}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_NE(message(refused).find("metadata.annotations: Too long"), std::string::npos);
  EXPECT_EQ(get(std::string{kConfigMaps} + "/a").code, 404);
}

}  // namespace
}  // namespace fixpoint::apiserver
