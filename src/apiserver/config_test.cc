// SPDX-License-Identifier: Apache-2.0
//
// Small kinds as a real server treats them; each of these was once found different by comparing
// with one.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

class SmallKinds : public ApiFixture {};

constexpr auto kSpaces = "/api/v1/namespaces";
constexpr auto kSpace = "/api/v1/namespaces/space";
constexpr auto kSpaceFinalize = "/api/v1/namespaces/space/finalize";

TEST_F(SmallKinds, WhatANamespaceLeftBehindCannotBeWritten) {
  create("/api/v1/namespaces", R"({"metadata":{"name":"space"}})");
  create("/api/v1/namespaces/space/configmaps", R"({"metadata":{"name":"a"}})");
  remove("/api/v1/namespaces/space");
  put(kSpaceFinalize, R"({"metadata":{"name":"space"},"spec":{"finalizers":[]}})");
  ASSERT_EQ(get("/api/v1/namespaces/space").code, 404);

  const auto written =
      put("/api/v1/namespaces/space/configmaps/a", R"({"metadata":{"name":"a"},"data":{"x":"y"}})");

  EXPECT_EQ(written.code, 404);
  EXPECT_EQ(message(written), "namespaces \"space\" not found");
}

TEST_F(SmallKinds, AnEmptyMapIsAChangeOfImmutableData) {
  constexpr auto kMap = "/api/v1/namespaces/ns/configmaps/a";
  const auto made =
      create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"},"immutable":true})");
  ASSERT_EQ(made.code, 201) << message(made);

  const auto sent =
      put(kMap, R"({"metadata":{"name":"a"},"immutable":true,"binaryData":{},"data":null})");
  const auto patched = patch(kMap, R"({"data":{}})");
  const auto same = put(kMap, R"({"metadata":{"name":"a"},"immutable":true})");

  EXPECT_EQ(message(sent),
            "ConfigMap \"a\" is invalid: binaryData: Forbidden: field is immutable when "
            "`immutable` is set");
  EXPECT_EQ(patched.code, 200) << "data is an empty map by default";
  EXPECT_EQ(same.code, 200) << message(same);
}

TEST_F(SmallKinds, ARefusedDeleteOfJobsWarnsAllTheSame) {
  constexpr auto kJobs = "/apis/batch/v1/namespaces/ns/jobs";
  const auto made = create(kJobs, R"({"metadata":{"name":"a"},"spec":{"template":{"spec":{
      "restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(made.code, 201) << message(made);
  auto call = request(Verb::DeleteCollection, kJobs);
  call.body = R"({"preconditions":{"uid":"other"}})";

  const auto refused = run(call);

  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.warnings.size(), 1U);
}

TEST_F(SmallKinds, AnEventIsNamedAfterTheGroupItIsStoredIn) {
  const auto refused = create("/apis/events.k8s.io/v1/namespaces/ns/events",
                              R"({"apiVersion":"events.k8s.io/v1","kind":"Status"})");

  EXPECT_EQ(message(refused),
            "Status in version \"v1\" cannot be handled as a Event: converting (v1.Status) to "
            "(core.Event): unknown conversion");
}

TEST_F(SmallKinds, AnEmptyMapIsNeitherStoredNorOwned) {
  constexpr auto kMap = "/api/v1/namespaces/ns/configmaps/a";
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");

  const auto patched = patch(kMap, R"({"data":{}})");

  EXPECT_EQ(patched.code, 200) << message(patched);
  EXPECT_FALSE(patched.body.contains("data"));
  EXPECT_EQ(meta(patched, "managedFields").find("f:data"), std::string::npos);
}

TEST_F(SmallKinds, FinalizingANamespaceIsAnUpdateLikeOthers) {
  create(kSpaces, R"({"metadata":{"name":"space"}})");

  const auto labelled = put(
      kSpaceFinalize,
      R"({"metadata":{"name":"space","labels":{"a":"b"}},"spec":{"finalizers":["example.com/x"]}})");
  const auto refused =
      put(kSpaceFinalize, R"({"metadata":{"name":"space"},"spec":{"finalizers":["plain"]}})");

  EXPECT_EQ(labelled.code, 200) << message(labelled);
  EXPECT_EQ(labelled.body.get("metadata", "labels", "a").as_string(), "b");
  EXPECT_EQ(json::to_text(labelled.body.get("spec")), R"({"finalizers":["example.com/x"]})");
  EXPECT_EQ(labelled.body.get("metadata", "managedFields").size(), 2U);
  EXPECT_EQ(refused.code, 422);
  EXPECT_TRUE(message(refused).starts_with(
      "Namespace \"space\" is invalid: spec.finalizers[0]: Invalid value: \"plain\""));
}

TEST_F(SmallKinds, TheFirstDeleteOfANamespaceOnlyMarksIt) {
  create(kSpaces, R"({"metadata":{"name":"space"}})");
  put(kSpaceFinalize, R"({"metadata":{"name":"space"},"spec":{}})");

  const auto marked = remove(kSpace, R"({"propagationPolicy":"Orphan"})");
  const auto other = remove(kSpace, R"({"preconditions":{"uid":"u"}})");

  EXPECT_EQ(text(marked, "status", "phase"), "Terminating");
  EXPECT_EQ(meta(marked, "finalizers"), R"(["orphan"])");
  EXPECT_EQ(other.code, 409);
  EXPECT_TRUE(
      message(other).starts_with("Operation cannot be fulfilled on namespaces \"space\": "
                                 "Precondition failed: UID in precondition: u, "));
}

TEST_F(SmallKinds, TheSecondDeleteEndsANamespaceThatNothingHolds) {
  create(kSpaces, R"({"metadata":{"name":"space"}})");
  put(kSpaceFinalize, R"({"metadata":{"name":"space"},"spec":{}})");

  remove(kSpace);
  remove(kSpace);

  EXPECT_EQ(get(kSpace).code, 404);
}

TEST_F(SmallKinds, APutThatCreatesWantsNoUid) {
  const auto refused = put("/apis/coordination.k8s.io/v1/namespaces/ns/leases/l",
                           R"({"metadata":{"name":"l","uid":"u"},"spec":{}})");

  EXPECT_EQ(refused.code, 409);
  EXPECT_TRUE(message(refused).ends_with(
      "Key: /registry/leases/ns/l, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
      "UID in precondition: u, UID in object meta: "));
}

TEST_F(SmallKinds, AnEmptyListIsOwnedThoughNotStored) {
  const auto made = create("/api/v1/namespaces/ns/limitranges",
                           R"({"metadata":{"name":"l"},"spec":{"limits":[]}})");

  EXPECT_EQ(json::to_text(made.body.get("spec")), R"({"limits":null})");
  EXPECT_EQ(json::to_text(made.body.get("metadata", "managedFields")[0].get("fieldsV1")),
            R"({"f:spec":{"f:limits":{}}})");
}

TEST_F(SmallKinds, AServiceAccountKeepsTheNamesOfItsSecrets) {
  constexpr auto kAccounts = "/api/v1/namespaces/ns/serviceaccounts";

  const auto made = create(
      kAccounts, R"({"metadata":{"name":"a"},"secrets":[{"name":"s","kind":"Secret","uid":"u"}]})");

  EXPECT_EQ(json::to_text(made.body.get("secrets")), R"([{"name":"s"}])");
}

TEST_F(SmallKinds, ADeprecatedAnnotationIsWarnedOfWhenItIsNew) {
  constexpr auto kAccounts = "/api/v1/namespaces/ns/serviceaccounts";
  constexpr auto kBody = R"({"metadata":{"name":"a","annotations":{
      "kubernetes.io/enforce-mountable-secrets":"true"}}})";

  const auto made = create(kAccounts, kBody);
  const auto again = create(kAccounts, kBody);
  const auto changed =
      patch("/api/v1/namespaces/ns/serviceaccounts/a", R"({"metadata":{"labels":{"a":"b"}}})");

  EXPECT_EQ(made.warnings.size(), 1U);
  EXPECT_EQ(again.code, 409);
  EXPECT_EQ(again.warnings.size(), 1U) << "warnings come before the name is found taken";
  EXPECT_TRUE(changed.warnings.empty());
}

TEST_F(SmallKinds, APriorityClassStaysInItsFirstGeneration) {
  create("/apis/scheduling.k8s.io/v1/priorityclasses", R"({"metadata":{"name":"p"},"value":1})");

  const auto changed =
      patch("/apis/scheduling.k8s.io/v1/priorityclasses/p", R"({"description":"x"})");

  EXPECT_EQ(meta(changed, "generation"), "1");
}

TEST_F(SmallKinds, ARuntimeClassChecksItsOverheadAndTolerations) {
  constexpr auto kClasses = "/apis/node.k8s.io/v1/runtimeclasses";

  const auto twice = create(kClasses, R"({"metadata":{"name":"r"},"handler":"h",
      "scheduling":{"tolerations":[{"key":"k"},{"key":"k"}]}})");
  const auto negative = create(kClasses, R"({"metadata":{"name":"r"},"handler":"h",
      "overhead":{"podFixed":{"cpu":"-1"}}})");

  EXPECT_TRUE(message(twice).ends_with(
      R"(scheduling.tolerations[1]: Duplicate value: {"Key":"k","Operator":"","Value":"","Effect":"","TolerationSeconds":null})"))
      << message(twice);
  EXPECT_TRUE(message(negative).find("overhead.limits[cpu]: Invalid value: \"-1\"") !=
              std::string::npos)
      << message(negative);
}

TEST_F(SmallKinds, AnEventOfTheNewGroupShowsItsFixedFieldsAsTheServerHoldsThem) {
  create("/apis/events.k8s.io/v1/namespaces/ns/events",
         R"({"metadata":{"name":"e"},"eventTime":"2026-01-02T03:04:05.000006Z","type":"Normal",
             "reportingController":"c","reportingInstance":"i","action":"a","reason":"r","note":"n",
             "regarding":{"namespace":"ns"}})");
  constexpr auto kEvent = "/apis/events.k8s.io/v1/namespaces/ns/events/e";

  const auto note = patch(kEvent, R"({"note":null})");
  const auto count = patch(kEvent, R"({"deprecatedCount":2})");
  const auto related = patch(kEvent, R"({"related":{"name":"n"}})");

  EXPECT_TRUE(message(note).ends_with("message: Invalid value: \"\": field is immutable"));
  EXPECT_TRUE(message(count).ends_with("count: Invalid value: 2: field is immutable"));
  EXPECT_TRUE(message(related).ends_with(
      R"(related: Invalid value: {"Kind":"","Namespace":"","Name":"n","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable)"));
}

TEST_F(SmallKinds, EventsAreSelectedByTheFieldsOfTheGroupThatIsAsked) {
  constexpr std::string_view kNew = "/apis/events.k8s.io/v1/namespaces/ns/events";
  const auto made =
      create(kNew,
             R"({"metadata":{"name":"e"},"eventTime":"2026-01-02T03:04:05.000006Z","type":"Normal",
             "reportingController":"c/d","reportingInstance":"i","action":"a","reason":"r",
             "regarding":{"kind":"Pod","namespace":"ns","name":"p","uid":"u","apiVersion":"v1",
                          "resourceVersion":"7","fieldPath":"f"}})");
  ASSERT_EQ(made.code, 201) << message(made);
  const auto found = [&](std::string_view path, const std::string& selector) {
    const auto answer = list(path, "fieldSelector=" + selector);
    return answer.list->items.size();
  };

  for (const char* selector :
       {"regarding.kind=Pod", "regarding.namespace=ns", "regarding.name=p", "regarding.uid=u",
        "regarding.apiVersion=v1", "regarding.resourceVersion=7", "regarding.fieldPath=f",
        "reportingController=c/d", "reason=r", "type=Normal"}) {
    EXPECT_EQ(found(kNew, selector), 1U) << selector;
  }
  EXPECT_EQ(found(kNew, "regarding.name=q"), 0U);
  EXPECT_EQ(found("/api/v1/namespaces/ns/events", "involvedObject.name=p"), 1U);
}

TEST_F(SmallKinds, ARevisionsDataIsAnObject) {
  const auto refused = create("/apis/apps/v1/namespaces/ns/controllerrevisions",
                              R"({"metadata":{"name":"c"},"data":"x","revision":1})");

  EXPECT_TRUE(message(refused).ends_with("data: Required value: data must be a valid JSON object"));
}

TEST_F(SmallKinds, OwnersOfOneUidThatDifferAreTwo) {
  const auto made = create("/api/v1/namespaces/ns/configmaps",
                           R"({"metadata":{"name":"c","ownerReferences":[
      {"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"},
      {"apiVersion":"v1","kind":"Secret","name":"o","uid":"u"}]}})");

  EXPECT_EQ(made.body.get("metadata", "ownerReferences").size(), 2U);
  EXPECT_TRUE(made.warnings.empty());
}

TEST_F(SmallKinds, WhatLivesInNoNamespaceForgetsOne) {
  const auto made = create("/apis/scheduling.k8s.io/v1/priorityclasses",
                           R"({"metadata":{"name":"p","namespace":"ns"},"value":1})");

  EXPECT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(meta(made, "namespace"), "null");
}

TEST_F(SmallKinds, AVersionOfZeroOrNoNumberIsNoneOnCreate) {
  constexpr auto kMaps = "/api/v1/namespaces/ns/configmaps";

  EXPECT_EQ(create(kMaps, R"({"metadata":{"name":"a","resourceVersion":"0"}})").code, 201);
  EXPECT_EQ(create(kMaps, R"({"metadata":{"name":"b","resourceVersion":"x"}})").code, 201);
  EXPECT_EQ(create(kMaps, R"({"metadata":{"name":"c","resourceVersion":"7"}})").code, 500);
}

TEST_F(SmallKinds, ATakenNameBesideAPrefixIsANameNotGenerated) {
  constexpr auto kMaps = "/api/v1/namespaces/ns/configmaps";
  create(kMaps, R"({"metadata":{"name":"a"}})");

  const auto refused = create(kMaps, R"({"metadata":{"name":"a","generateName":"g-"}})");

  EXPECT_EQ(message(refused),
            "configmaps \"a\" already exists, the server was not able to generate a unique name "
            "for the object");
  EXPECT_EQ(json::to_text(refused.body.get("details", "retryAfterSeconds")), "1");
}

TEST_F(SmallKinds, TheFirstWriteOfAJobStoresItsLabels) {
  const auto made = create("/apis/batch/v1/namespaces/ns/jobs",
                           R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{
                               "restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  constexpr auto kJob = "/apis/batch/v1/namespaces/ns/jobs/j";

  const auto first = patch(kJob, "{}");
  const auto second = patch(kJob, "{}");

  EXPECT_NE(meta(first, "resourceVersion"), meta(made, "resourceVersion"));
  EXPECT_EQ(meta(second, "resourceVersion"), meta(first, "resourceVersion"));
}

TEST_F(SmallKinds, ALimitRangeWithoutANameGetsOne) {
  const auto made =
      create("/api/v1/namespaces/ns/limitranges", R"({"metadata":{},"spec":{"limits":[]}})");

  EXPECT_EQ(meta(made, "name").size(), 36U) << message(made);
}

TEST_F(SmallKinds, EventsAreNobodysOwners) {
  constexpr auto kEvent = "/apis/events.k8s.io/v1/namespaces/ns/events/e";
  create("/api/v1/namespaces/ns/events",
         R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"ns"}})");

  const auto other = remove(kEvent, R"({"preconditions":{"uid":"x"}})");
  const auto gone = remove(kEvent, R"({"propagationPolicy":"Orphan"})");

  EXPECT_TRUE(message(other).starts_with("Operation cannot be fulfilled on Event \"e\": "));
  EXPECT_EQ(text(gone, "details", "kind"), "events");
}

TEST_F(SmallKinds, TheStatusOfAServiceCidrLeavesItsMetadataAlone) {
  create("/apis/networking.k8s.io/v1/servicecidrs",
         R"({"metadata":{"name":"c"},"spec":{"cidrs":["192.168.7.0/24"]}})");

  const auto kept = patch("/apis/networking.k8s.io/v1/servicecidrs/c/status",
                          R"({"metadata":{"labels":{"a":"b"}}})");

  EXPECT_EQ(kept.code, 200) << message(kept);
  EXPECT_EQ(meta(kept, "labels"), "null");
}

TEST_F(SmallKinds, ADriverCountsItsGenerationsFromNone) {
  create("/apis/storage.k8s.io/v1/csidrivers", R"({"metadata":{"name":"d"},"spec":{}})");

  const auto changed =
      patch("/apis/storage.k8s.io/v1/csidrivers/d", R"({"spec":{"requiresRepublish":true}})");

  EXPECT_EQ(meta(changed, "generation"), "1");
}

TEST_F(SmallKinds, FinalizersTakenBackAreStillSeenAtTheEnd) {
  create("/api/v1/namespaces/ns/serviceaccounts",
         R"({"metadata":{"name":"a","finalizers":["foregroundDeletion"]}})");
  const auto before = store_.revision();

  const auto gone =
      remove("/api/v1/namespaces/ns/serviceaccounts/a", R"({"propagationPolicy":"Background"})");

  EXPECT_EQ(meta(gone, "finalizers"), R"(["foregroundDeletion"])");
  EXPECT_EQ(store_.revision().value, before.value + 1) << "one event, not two";
}

TEST_F(SmallKinds, OwnersOfAVersionThatIsNotTheKindsAreForgotten) {
  create("/apis/networking.k8s.io/v1/ingressclasses",
         R"({"metadata":{"name":"i"},"spec":{"controller":"example.com/c"}})");

  const auto changed = patch("/apis/networking.k8s.io/v1/ingressclasses/i",
                             R"({"metadata":{"managedFields":[{"manager":"m","operation":"Update",
      "apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{}}}}]}})");

  EXPECT_EQ(meta(changed, "managedFields"), "null");
}

TEST_F(SmallKinds, AClassOfAttributesIsProtected) {
  const auto made = create("/apis/storage.k8s.io/v1/volumeattributesclasses",
                           R"({"metadata":{"name":"v"},"driverName":"d","parameters":{"a":"b"}})");

  EXPECT_EQ(meta(made, "finalizers"), R"(["kubernetes.io/vac-protection"])");
}

TEST_F(SmallKinds, AnEmptyPreemptionPolicyIsAMistake) {
  constexpr auto kClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";

  const auto refused =
      create(kClasses, R"({"metadata":{"name":"p"},"value":1,"preemptionPolicy":""})");

  EXPECT_TRUE(message(refused).ends_with("preemptionPolicy: Required value")) << message(refused);
}

TEST_F(SmallKinds, OnlyAPodsNegativeGraceBecomesOne) {
  const auto pod = create("/api/v1/namespaces/ns/pods",
                          R"({"metadata":{"name":"p"},"spec":{"terminationGracePeriodSeconds":-1,
                              "containers":[{"name":"c","image":"i"}]}})");
  const auto kept = create("/api/v1/namespaces/ns/podtemplates",
                           R"({"metadata":{"name":"t"},"template":{"spec":{
                               "terminationGracePeriodSeconds":-1,
                               "containers":[{"name":"c","image":"i"}]}}})");

  EXPECT_EQ(text(pod, "spec", "terminationGracePeriodSeconds"), "1");
  EXPECT_EQ(json::to_text(kept.body.get("template", "spec", "terminationGracePeriodSeconds")),
            "-1");
}

TEST_F(SmallKinds, ARolesPrefixIsCheckedAsAWholeName) {
  const auto refused = create("/apis/rbac.authorization.k8s.io/v1/namespaces/ns/roles",
                              R"({"metadata":{"generateName":"."}})");

  EXPECT_TRUE(
      message(refused).ends_with("metadata.generateName: Invalid value: \".\": may not be '.'"))
      << message(refused);
}

TEST_F(SmallKinds, AnEmptyGroupMayKeepItsSlash) {
  const auto core = create("/api/v1/namespaces/ns/configmaps",
                           R"({"apiVersion":"/v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  const auto none = create("/apis/apps/v1/namespaces/ns/controllerrevisions",
                           R"({"apiVersion":"/","metadata":{"name":"a"},"data":{},"revision":1})");
  const auto other = create("/apis/apps/v1/namespaces/ns/deployments",
                            R"({"apiVersion":"apps/v1","kind":"DeleteOptions"})");

  EXPECT_EQ(core.code, 201) << message(core);
  EXPECT_EQ(none.code, 201) << message(none);
  EXPECT_TRUE(message(other).ends_with(
      "converting (v1.DeleteOptions) to (apps.Deployment): unknown conversion"))
      << message(other);
}

TEST_F(SmallKinds, AnImageThatIsNoNameIsNotPulledEachTime) {
  constexpr auto kTemplates = "/api/v1/namespaces/ns/podtemplates";
  const auto policy = [&](std::string_view image) {
    const auto made = create(kTemplates,
                             R"({"metadata":{"generateName":"t-"},"template":{"spec":{"containers":[
        {"name":"c","image":")" + std::string{image} +
                                 R"("}]}}})");
    return std::string{
        made.body.get("template", "spec", "containers")[0].get("imagePullPolicy").as_string()};
  };

  for (const auto* image : {"a_b", "a__b", "A/b", "x.y/a", "a---b", "a:latest"}) {
    EXPECT_EQ(policy(image), "Always") << image;
  }
  for (const auto* image :
       {"A", "a b", "a..b", "a:", "localhost/A", "a/b/", "-a", "a___b", "a:1"}) {
    EXPECT_EQ(policy(image), "IfNotPresent") << image;
  }
}

}  // namespace
}  // namespace fixpoint::apiserver
