// SPDX-License-Identifier: Apache-2.0
//
// The rules of the API about deletion (13 to 17, 20, 22) and admission (23 to 26). Rules 18, 19 and
// the rest of 22 need the built-in loops: cluster/loops/rules_test.cc.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

class DeleteRules : public ApiFixture {};

TEST_F(DeleteRules, Rule13WithoutFinalizersItGoesAtOnceElseItIsStampedOnce) {
  create(kConfigMaps, R"({"metadata":{"name":"plain"}})");
  create(kConfigMaps, R"({"metadata":{"name":"held","finalizers":["example.com/x"]}})");

  const auto gone = remove(std::string{kConfigMaps} + "/plain");
  const auto stamped = remove(std::string{kConfigMaps} + "/held");
  clock_.advance(std::chrono::minutes(1));
  const auto again = remove(std::string{kConfigMaps} + "/held");
  const auto unset =
      patch(std::string{kConfigMaps} + "/held", R"({"metadata":{"deletionTimestamp":null}})");

  EXPECT_EQ(gone.code, 200);
  EXPECT_EQ(text(gone, "details", "kind"), "configmaps");
  EXPECT_EQ(get(std::string{kConfigMaps} + "/plain").code, 404);
  EXPECT_EQ(meta(stamped, "deletionTimestamp"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(meta(stamped, "deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(meta(again, "deletionTimestamp"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(meta(unset, "deletionTimestamp"), "2026-01-01T00:00:00Z");
}

TEST_F(DeleteRules, Rule14AStampedObjectTakesEditsButNoNewFinalizer) {
  create(kConfigMaps, R"({"metadata":{"name":"held","finalizers":["example.com/x"]}})");
  remove(std::string{kConfigMaps} + "/held");

  const auto added = patch(std::string{kConfigMaps} + "/held",
                           R"({"metadata":{"finalizers":["example.com/x","example.com/new"]}})");
  const auto edited = patch(std::string{kConfigMaps} + "/held", R"({"data":{"a":"1"}})");

  EXPECT_EQ(added.code, 422);
  EXPECT_NE(message(added).find("metadata.finalizers: Forbidden: no new finalizers can be added if "
                                "the object is being deleted, found new finalizers "
                                "[]string{\"example.com/new\"}"),
            std::string::npos)
      << message(added);
  EXPECT_EQ(edited.code, 200);
}

TEST_F(DeleteRules, Rule15TheWriteThatEmptiesTheFinalizersDeletes) {
  create(kConfigMaps, R"({"metadata":{"name":"held","finalizers":["example.com/x"]}})");
  remove(std::string{kConfigMaps} + "/held");

  const auto emptied =
      patch(std::string{kConfigMaps} + "/held", R"({"metadata":{"finalizers":null}})");

  EXPECT_EQ(emptied.code, 200);
  EXPECT_EQ(get(std::string{kConfigMaps} + "/held").code, 404);
}

TEST_F(DeleteRules, Rule15TheWriteThatLetsAnObjectGoIsNeverStored) {
  const auto path = std::string{kConfigMaps} + "/held";
  create(kConfigMaps, R"({"metadata":{"name":"held","finalizers":["example.com/x"]}})");
  const auto stamped = remove(path);

  const auto emptied = patch(path, R"({"metadata":{"finalizers":null}})");

  EXPECT_EQ(meta(emptied, "resourceVersion"), meta(stamped, "resourceVersion"));
  const auto last = store_.events_after(store::Revision{store_.revision().value - 1});
  ASSERT_TRUE(last.has_value());
  const json::View body = last->back().last->body;
  EXPECT_EQ(body.get("metadata", "finalizers").size(), 1U);
  EXPECT_EQ(body.get("metadata", "resourceVersion").as_string(),
            std::to_string(store_.revision().value));
}

TEST_F(DeleteRules, Rule16PreconditionsAreCheckedAndNamedByKind) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");

  const auto uid = remove(std::string{kConfigMaps} + "/a", R"({"preconditions":{"uid":"x"}})");
  const auto version =
      remove(std::string{kConfigMaps} + "/a", R"({"preconditions":{"resourceVersion":"1"}})");
  const auto absent = remove(std::string{kConfigMaps} + "/nope");

  EXPECT_EQ(uid.code, 409);
  EXPECT_NE(message(uid).find("Operation cannot be fulfilled on ConfigMap \"a\": the UID in the "
                              "precondition (x) does not match"),
            std::string::npos);
  EXPECT_EQ(version.code, 409);
  EXPECT_EQ(absent.code, 404);
  EXPECT_EQ(get(std::string{kConfigMaps} + "/a").code, 200);
}

TEST_F(DeleteRules, Rule17APodOnANodeGetsItsGraceAndOneWithoutGoesAtOnce) {
  const auto body = [](std::string_view name) {
    return R"({"metadata":{"name":")" + std::string{name} +
           R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})";
  };
  ASSERT_EQ(create(kPods, body("bound")).code, 201);
  ASSERT_EQ(create(kPods, body("lone")).code, 201);
  ASSERT_EQ(create(std::string{kPods} + "/bound/binding",
                   R"({"metadata":{"name":"bound"},"target":{"kind":"Node","name":"n1"}})")
                .code,
            201);

  const auto lone = remove(std::string{kPods} + "/lone");
  const auto bound = remove(std::string{kPods} + "/bound");
  const auto sooner = remove(std::string{kPods} + "/bound", R"({"gracePeriodSeconds":5})");
  const auto later = remove(std::string{kPods} + "/bound", R"({"gracePeriodSeconds":60})");
  const auto now = remove(std::string{kPods} + "/bound", R"({"gracePeriodSeconds":0})");

  EXPECT_EQ(lone.code, 200);
  EXPECT_EQ(get(std::string{kPods} + "/lone").code, 404);
  EXPECT_EQ(meta(bound, "deletionGracePeriodSeconds"), "30");
  EXPECT_EQ(meta(bound, "deletionTimestamp"), "2026-01-01T00:00:30Z");
  EXPECT_EQ(meta(sooner, "deletionGracePeriodSeconds"), "5");
  EXPECT_EQ(meta(later, "deletionGracePeriodSeconds"), "5");
  EXPECT_EQ(now.code, 200);
  EXPECT_EQ(get(std::string{kPods} + "/bound").code, 404);
}

TEST_F(DeleteRules, Rule17ALaterDeleteOfAPodOnlyShortensItsGrace) {
  create(
      kPods,
      R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
  const auto pod = std::string{kPods} + "/p";
  const auto first = remove(pod);

  const auto waiting = remove(pod, R"({"propagationPolicy":"Foreground"})");
  clock_.advance(std::chrono::seconds(20));
  const auto late = remove(pod, R"({"gracePeriodSeconds":10})");

  EXPECT_EQ(meta(waiting, "resourceVersion"), meta(first, "resourceVersion"));
  EXPECT_EQ(meta(waiting, "finalizers"), "null");
  EXPECT_EQ(meta(late, "deletionTimestamp"), "2026-01-01T00:00:20Z");
  EXPECT_EQ(meta(late, "deletionGracePeriodSeconds"), "1");
}

TEST_F(DeleteRules, Rule20OnlyOneOwnerControls) {
  const auto refused = create(kConfigMaps,
                              R"({"metadata":{"name":"a","ownerReferences":[
          {"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"1","controller":true},
          {"apiVersion":"v1","kind":"ConfigMap","name":"y","uid":"2","controller":true}]}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_NE(message(refused).find("Only one reference can have Controller set to true"),
            std::string::npos)
      << message(refused);
}

TEST_F(DeleteRules, Rule22NothingNewComesIntoATerminatingNamespace) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  const auto stamped = remove("/api/v1/namespaces/ns");

  const auto refused = create(kConfigMaps, R"({"metadata":{"name":"b"}})");
  const auto edited = patch(std::string{kConfigMaps} + "/a", R"({"data":{"x":"1"}})");
  const auto missing = create("/api/v1/namespaces/none/configmaps", R"({"metadata":{"name":"b"}})");
  const auto immortal = remove("/api/v1/namespaces/default");

  EXPECT_EQ(text(stamped, "status", "phase"), "Terminating");
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(
      message(refused),
      "configmaps \"b\" is forbidden: unable to create new content in namespace ns because it "
      "is being terminated");
  EXPECT_EQ(refused.body.get("details", "causes")[0].get("reason").as_string(),
            "NamespaceTerminating");
  EXPECT_EQ(edited.code, 200);
  EXPECT_EQ(missing.code, 404);
  EXPECT_EQ(immortal.code, 404);  // this fixture has none; with one it is 403
}

TEST_F(DeleteRules, Rule23EachFailureHasItsCode) {
  EXPECT_EQ(create(kConfigMaps, "{").code, 400);
  EXPECT_EQ(create(kConfigMaps, R"({"metadata":{"name":"Bad_Name"}})").code, 422);
  EXPECT_EQ(get("/apis/none.example.com/v1/namespaces/ns/things/a").code, 404);
}

TEST_F(DeleteRules, Rule24UnknownFieldsArePrunedAndReportedWhenAsked) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const std::string boat =
      R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"},"spec":{"crew":1,"sails":2}})";

  const auto strict = create(kBoats, boat, "fieldValidation=Strict");
  const auto warned = create(kBoats, boat);

  EXPECT_EQ(strict.code, 400);
  EXPECT_EQ(message(strict),
            "Boat in version \"v1\" cannot be handled as a Boat: strict decoding error: unknown "
            "field \"spec.sails\"");
  EXPECT_EQ(warned.code, 201);
  EXPECT_EQ(warned.warnings, std::vector<std::string>{"unknown field \"spec.sails\""});
  EXPECT_EQ(text(warned, "spec", "sails"), "null");
}

TEST_F(DeleteRules, Rule25DefaultsChangeWhatWasWritten) {
  const auto made =
      create("/apis/apps/v1/namespaces/ns/deployments",
             R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(text(made, "spec", "replicas"), "1");
  EXPECT_EQ(text(made, "spec", "revisionHistoryLimit"), "10");
  EXPECT_EQ(made.body.get("spec", "strategy", "type").as_string(), "RollingUpdate");
}

TEST_F(DeleteRules, Rule26SomeFieldsNeverChange) {
  create("/apis/apps/v1/namespaces/ns/deployments",
         R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  create(kConfigMaps, R"({"metadata":{"name":"a"},"immutable":true,"data":{"x":"1"}})");

  const auto selector = patch(
      "/apis/apps/v1/namespaces/ns/deployments/web",
      R"({"spec":{"selector":{"matchLabels":{"a":"c"}},"template":{"metadata":{"labels":{"a":"c"}}}}})");
  const auto data = patch(std::string{kConfigMaps} + "/a", R"({"data":{"x":"2"}})");

  EXPECT_EQ(selector.code, 422);
  EXPECT_NE(message(selector).find("field is immutable"), std::string::npos);
  EXPECT_EQ(data.code, 422);
  EXPECT_NE(message(data).find("data: Forbidden: field is immutable when `immutable` is set"),
            std::string::npos)
      << message(data);
}

TEST_F(DeleteRules, APodThatOnlyWaitedForItsFinalizersGoesAsItWas) {
  create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  remove(std::string{kPods} + "/p", R"({"propagationPolicy":"Orphan"})");
  const auto before = store_.revision();

  const auto gone = remove(std::string{kPods} + "/p", R"({"propagationPolicy":"Background"})");

  EXPECT_EQ(store_.revision().value, before.value + 1);
  EXPECT_EQ(gone.body.get("metadata", "finalizers").size(), 1U);
  EXPECT_EQ(get(std::string{kPods} + "/p").code, 404);
}

TEST_F(DeleteRules, AJobSharesTheLabelsItTookFromItsTemplate) {
  const auto made = create("/apis/batch/v1/namespaces/ns/jobs",
                           R"({"metadata":{"name":"j"},"spec":{"template":{
      "metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never",
      "containers":[{"name":"c","image":"i"}]}}}})");

  EXPECT_EQ(made.body.get("metadata", "labels").get("job-name").as_string(), "j");
}

}  // namespace
}  // namespace fixpoint::apiserver
