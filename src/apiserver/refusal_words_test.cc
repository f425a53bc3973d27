// SPDX-License-Identifier: Apache-2.0
//
// Words and order of refusals, and what was sent empty; each was once different from a real server.
#include "apiserver/api_fixture.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

class RefusalWords : public ApiFixture {
 protected:
  static std::vector<std::string> fields(const Response& response) {
    std::vector<std::string> out;
    for (const auto cause : response.body.get("details", "causes").elements()) {
      out.emplace_back(cause.get("field").as_string());
    }
    return out;
  }
};

constexpr auto kPodSpec = R"({"containers":[{"image":"app:1","name":"c"}]})";

std::string with_template(std::string_view kind, std::string_view api_version,
                          std::string_view selector, std::string_view labels) {
  return R"({"apiVersion":")" + std::string{api_version} + R"(","kind":")" + std::string{kind} +
         R"(","metadata":{"name":"a"},"spec":{"serviceName":"s","selector":)" +
         std::string{selector} + R"(,"template":{"metadata":{"labels":)" + std::string{labels} +
         R"(},"spec":)" + kPodSpec + "}}}";
}

TEST_F(RefusalWords, TellAnEmptyMapFromNone) {
  constexpr auto kPath = "/api/v1/namespaces/ns/replicationcontrollers";

  const auto empty =
      create(kPath, with_template("ReplicationController", "v1", R"({"app":"x"})", "{}"));
  const auto none =
      create(kPath, with_template("ReplicationController", "v1", R"({"app":"x"})", "null"));

  EXPECT_TRUE(message(empty).contains("labels: Invalid value: {}: ")) << message(empty);
  EXPECT_TRUE(message(none).contains("labels: Invalid value: null: ")) << message(none);
}

TEST_F(RefusalWords, PrintASelectorWithoutWhatItHasEmpty) {
  const auto refused =
      create("/apis/apps/v1/namespaces/ns/daemonsets",
             with_template("DaemonSet", "apps/v1", R"({"matchLabels":{}})", R"({"app":"x"})"));

  EXPECT_TRUE(message(refused).contains("spec.selector: Invalid value: {}: ")) << message(refused);
}

TEST_F(RefusalWords, ShowAValueOfANamedTypeAsJson) {
  const auto refused =
      create("/api/v1/namespaces/ns/persistentvolumeclaims",
             R"({"metadata":{"name":"a"},"spec":{"accessModes":["<&>"],"resources":)"
             R"({"requests":{"storage":"1Gi"}}}})");

  EXPECT_TRUE(message(refused).contains(R"(Unsupported value: "\u003c\u0026\u003e")"))
      << message(refused);
}

TEST_F(RefusalWords, ShowOptionsOfANamedTypeAsJsonToo) {
  constexpr auto kMap = "/api/v1/namespaces/ns/configmaps/a";

  EXPECT_TRUE(message(remove(kMap, R"({"propagationPolicy":"<"})"))
                  .contains(R"(propagationPolicy: Unsupported value: "\u003c": )"));
  EXPECT_TRUE(message(remove(kMap, R"({"dryRun":["<"]})"))
                  .contains(R"(dryRun: Unsupported value: ["\u003c"]: )"));
}

TEST_F(RefusalWords, ShowARoleThatMayNotChangeAsJson) {
  const auto body = [](std::string_view name) {
    return R"({"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
           R"("kind":"Role","name":")" +
           std::string{name} + "\"}}";
  };
  create("/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings", body("x"));

  const auto refused =
      put("/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings/a", body("<"));

  EXPECT_TRUE(message(refused).contains(R"("Name":"\u003c"})")) << message(refused);
}

TEST_F(RefusalWords, LookAtAChangedJobAsAtANewOneFirst) {
  constexpr auto kJob = R"({"metadata":{"name":"a","labels":{"é":"x"}},"spec":{"template":{"spec":)"
                        R"({"containers":[{"image":"app:1","name":"c"}],)"
                        R"("restartPolicy":"Never"}}}})";
  create("/apis/batch/v1/namespaces/ns/jobs",
         R"({"metadata":{"name":"a"},"spec":{"template":{"spec":)"
         R"({"containers":[{"image":"app:1","name":"c"}],"restartPolicy":"Never"}}}})");

  const auto refused = put("/apis/batch/v1/namespaces/ns/jobs/a", kJob);

  const auto told = fields(refused);
  ASSERT_GE(told.size(), 6U) << message(refused);
  EXPECT_EQ(std::vector(told.begin(), told.begin() + 6),
            (std::vector<std::string>{"metadata.labels", "metadata.labels", "metadata.labels",
                                      "spec.selector", "spec.template.metadata.labels",
                                      "metadata.labels"}));
}

TEST_F(RefusalWords, LookTwiceAtTheLabelsOfAStatefulSetsPods) {
  const auto refused =
      create("/apis/apps/v1/namespaces/ns/statefulsets",
             with_template("StatefulSet", "apps/v1", R"({"matchLabels":{"app":"x"}})",
                           R"({"app":"x","é":"x"})"));

  EXPECT_EQ(std::ranges::count(fields(refused), "spec.template.labels"), 2) << message(refused);
}

TEST_F(RefusalWords, LookAtTheNameOfAnEventOnlyWhenNothingElseIsWrong) {
  const auto wrong = create("/api/v1/namespaces/ns/events", R"({"reason":"r"})");
  const auto nameless = create("/api/v1/namespaces/ns/events",
                               R"({"involvedObject":{"namespace":"ns"},"reason":"r"})");

  EXPECT_EQ(fields(wrong), std::vector<std::string>{"involvedObject.namespace"});
  EXPECT_EQ(fields(nameless), std::vector<std::string>{"metadata.name"});
}

TEST_F(RefusalWords, NameWhatARuleOfAWebhookLacks) {
  const auto made = [&](std::string_view resources) {
    return create("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
                  R"({"metadata":{"name":"a"},"webhooks":[{"admissionReviewVersions":["v1"],)"
                  R"("clientConfig":{"url":"https://127.0.0.1:1/x"},"name":"a.example.com",)"
                  R"("sideEffects":"None","rules":[{"apiGroups":["x"],"apiVersions":["v1"],)"
                  R"("operations":["CREATE"],"resources":)" +
                      std::string{resources} + "}]}]}");
  };

  EXPECT_EQ(fields(made(R"([""])")), std::vector<std::string>{"webhooks[0].rules[0].resources[0]"});
  EXPECT_TRUE(message(made(R"(["pods/*","pods/log"])"))
                  .contains("if 'pods/*' is present, must not specify pods/log"));
  EXPECT_TRUE(message(made(R"(["*/scale","pods/scale"])"))
                  .contains("if '*/scale' is present, must not specify pods/scale"));
  EXPECT_EQ(made(R"(["pods/log","pods/*"])").code, 201);
}

TEST_F(RefusalWords, AskForTheSideEffectsOfAWebhook) {
  const auto refused = create("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
                              R"({"metadata":{"name":"a"},"webhooks":[{"name":"a.example.com"}]})");

  EXPECT_TRUE(message(refused).contains(
      "sideEffects: Required value: must specify one of None, NoneOnDryRun"))
      << message(refused);
}

TEST_F(RefusalWords, TellABlankExpressionFromOneThatSaysSomething) {
  const auto made = [&](std::string_view validation) {
    return create(
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
        R"({"metadata":{"generateName":"p-"},"spec":{"matchConstraints":{"resourceRules":)"
        R"([{"apiGroups":["x"],"apiVersions":["v1"],"operations":["CREATE"],)"
        R"("resources":["things"]}]},"validations":[)" +
            std::string{validation} + "]}}");
  };

  EXPECT_EQ(made(R"({"expression":"true","message":"m","reason":"Invalid"})").code, 201);
  EXPECT_EQ(fields(made(R"({"expression":" \n"})")),
            std::vector<std::string>{"spec.validations[0].expression"});
  EXPECT_TRUE(message(made(R"({"expression":"true","message":" "})"))
                  .contains("message: Invalid value: \" \": must be non-empty if specified"));
  EXPECT_TRUE(message(made(R"({"expression":"true","message":"a\nb"})"))
                  .contains("must not contain line breaks"));
  EXPECT_TRUE(message(made(R"({"expression":"true","reason":"x"})"))
                  .contains("reason: Unsupported value: \"x\""));
}

TEST_F(RefusalWords, LookAtEveryCapacityOfAVolume) {
  const auto refused = create("/api/v1/persistentvolumes",
                              R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],)"
                              R"("capacity":{"bogus":null,"storage":"1Gi"},)"
                              R"("hostPath":{"path":"/data"}}})");

  EXPECT_EQ(fields(refused), (std::vector<std::string>{"spec.capacity", "spec.capacity[bogus]"}));
}

TEST_F(RefusalWords, ReadTheTypeBeforeANumberThatIsTooLarge) {
  const auto type = create("/api/v1/namespaces/ns/configmaps", R"({"apiVersion":1e400})");
  const auto whole = create("/api/v1/namespaces/ns/configmaps", "1e400");
  const auto inside = create("/api/v1/namespaces/ns/configmaps", R"({"data":1e400})");

  EXPECT_TRUE(message(type).contains("cannot unmarshal number into Go struct field .apiVersion of"))
      << message(type);
  EXPECT_TRUE(message(whole).contains("cannot unmarshal number into Go value of type struct { "))
      << message(whole);
  EXPECT_TRUE(message(inside).contains("Go struct field ConfigMap.data of type"))
      << message(inside);
}

TEST_F(RefusalWords, ReadTheTypeOfOptionsBeforeANumberThatIsTooLarge) {
  constexpr auto kMap = "/api/v1/namespaces/ns/configmaps/a";
  create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(message(remove(kMap, R"({"kind":1e400})")),
            "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go "
            "struct field .kind of type string");
  EXPECT_EQ(message(remove(kMap, R"({"gracePeriodSeconds":1e400})")),
            "json: cannot unmarshal number 1e400 into Go struct field "
            "DeleteOptions.gracePeriodSeconds of type int64");
  EXPECT_EQ(remove(kMap, R"({"bogus":1e400})").code, 200);
}

TEST_F(RefusalWords, ReadAnotherVersionAsSuchBeforeTheyRefuseIt) {
  constexpr auto kPath = "/apis/events.k8s.io/v1/namespaces/ns/events";
  constexpr auto kEvent = R"({"apiVersion":"v1","kind":"Event","note":"x"})";

  const auto warned = create(kPath, kEvent);
  const auto strict = create(kPath, kEvent, "fieldValidation=Strict");

  EXPECT_EQ(warned.warnings, std::vector<std::string>{R"(unknown field "note")"});
  EXPECT_TRUE(message(warned).contains("does not match the expected API version"))
      << message(warned);
  EXPECT_TRUE(message(strict).ends_with(R"(strict decoding error: unknown field "note")"))
      << message(strict);
}

TEST_F(RefusalWords, TellANullVersionOfACustomResourceFromNone) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);

  const auto null = create(kBoats, R"({"apiVersion":null,"kind":"Boat"})");
  const auto none = create(kBoats, R"({"kind":"Boat"})");

  EXPECT_EQ(
      message(null),
      "Boat in version \"\" cannot be handled as a Boat: .apiVersion accessor error: <nil> is "
      "of the type <nil>, expected string");
  EXPECT_TRUE(message(none).starts_with("the API version in the data () does not match"));
}

TEST_F(RefusalWords, CallACustomResourceWhatItCallsItself) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const auto strict = [&](std::string_view body) {
    return message(
        create("/apis/sea.example.com/v1/namespaces/ns/boats", body, "fieldValidation=Strict"));
  };

  EXPECT_EQ(strict(R"({"apiVersion":"sea.example.com/v1","kind":"Ship","x":1,"x":2})"),
            R"(Ship in version "v1" cannot be handled as a Ship: strict decoding error: )"
            R"(duplicate field "x")");
  EXPECT_EQ(strict(R"({"apiVersion":"sea.example.com/v1","kind":"Ship","metadata":7})"),
            R"(Ship in version "v1" cannot be handled as a Boat: json: cannot unmarshal number )"
            R"(into Go value of type v1.ObjectMeta)");
  // A version that there is not has no fields; another group's has any.
  EXPECT_EQ(strict(R"({"apiVersion":"sea.example.com/v9","kind":"Boat","spec":{}})"),
            R"(Boat in version "v9" cannot be handled as a Boat: strict decoding error: )"
            R"(unknown field "spec")");
  EXPECT_EQ(strict(R"({"apiVersion":"v1","kind":"Boat","spec":{},"x":1})"),
            "the API version in the data (v1) does not match the expected API version "
            "(sea.example.com/v1)");
  EXPECT_EQ(strict(R"({"kind":"Boat","x":1,"x":1})"),
            "Object 'apiVersion' is missing in 'object has no apiVersion field'");
}

TEST_F(RefusalWords, TellAnApplyThatNamesNoVersionFromOneThatIsSilent) {
  constexpr auto kNode = "/apis/storage.k8s.io/v1/csinodes/a";
  const auto applied = [&](std::string_view metadata) {
    return apply(kNode,
                 R"({"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"a")" +
                     std::string{metadata} + "}}",
                 "one", true)
        .code;
  };
  create("/apis/storage.k8s.io/v1/csinodes", R"({"metadata":{"name":"a"},"spec":{"drivers":[]}})");

  EXPECT_EQ(applied(""), 200);
  EXPECT_EQ(applied(R"(,"resourceVersion":"")"), 422);
  EXPECT_EQ(applied(R"(,"resourceVersion":null)"), 422);
}

TEST_F(RefusalWords, KnowTheKindsOfSubresources) {
  const auto refused = create("/apis/autoscaling/v1/namespaces/ns/horizontalpodautoscalers",
                              R"({"apiVersion":"autoscaling/v1","kind":"Scale"})");

  const auto unknown = create("/apis/node.k8s.io/v1/runtimeclasses",
                              R"({"apiVersion":"node.x8s.io/v1","kind":"RuntimeClass"})");

  EXPECT_TRUE(message(unknown).contains(
      R"(no kind "RuntimeClass" is registered for version "node.x8s.io/v1")"))
      << message(unknown);
  EXPECT_TRUE(message(refused).contains("converting (v1.Scale) to (autoscaling."))
      << message(refused);
}

TEST_F(RefusalWords, ComeWithoutAWarningWhereNoHandlerWasAsked) {
  const auto asked = get("/api/v1/namespaces/ns/endpoints/a");
  const auto turned_away = patch("/api/v1/namespaces/ns/endpoints/a", "{}", "application/yaml");

  EXPECT_EQ(asked.warnings.size(), 1U);
  EXPECT_EQ(turned_away.code, 415);
  EXPECT_TRUE(turned_away.warnings.empty());
}

TEST_F(RefusalWords, AreNotGivenToACountBeyondSixtyFourBits) {
  const auto made = [&](std::string_view count) {
    return create("/api/v1/namespaces/ns/resourcequotas",
                  R"({"metadata":{"generateName":"q-"},"spec":{"hard":{"pods":)" +
                      std::string{count} + "}}}")
        .code;
  };

  EXPECT_EQ(made("9223372036854775808"), 201);
  EXPECT_EQ(made("1e400"), 201);
  EXPECT_EQ(made("12345678901234567890123"), 422);
  EXPECT_EQ(made("1.5"), 422);
}

TEST_F(RefusalWords, ANamespaceIsLabelledWithTheNameItWasGiven) {
  const auto made = create("/api/v1/namespaces", R"({"metadata":{"generateName":"n-"}})");

  EXPECT_EQ(made.body.get("metadata", "labels").get("kubernetes.io/metadata.name").as_string(),
            meta(made, "name"));
}

TEST_F(RefusalWords, EachEmptyListThatIsSentIsANewGenerationOfAWebhookConfiguration) {
  constexpr auto kPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const std::string one = std::string{kPath} + "/a";
  create(kPath, R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(meta(patch(one, R"({"webhooks":[]})"), "generation"), "2");
  EXPECT_EQ(meta(patch(one, R"({"webhooks":[]})"), "generation"), "3");
  EXPECT_EQ(meta(patch(one, R"({"metadata":{"labels":{"a":"b"}}})"), "generation"), "3");
}

TEST_F(RefusalWords, OwnersOfAnUnservedVersionOfACustomResourceLeaveNoOwnerAtAll) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const auto made = [&](std::string_view version) {
    return create("/apis/sea.example.com/v1/namespaces/ns/boats",
                  R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":)"
                  R"({"generateName":"b-","managedFields":[{"manager":"m","operation":"Apply",)"
                  R"("fieldsType":"FieldsV1","apiVersion":")" +
                      std::string{version} + R"("}]},"spec":{"crew":1}})");
  };

  const auto foreign = made("v1");
  const auto served = made("sea.example.com/v1");

  EXPECT_FALSE(foreign.body.get("metadata").contains("managedFields"));
  EXPECT_EQ(served.body.get("metadata", "managedFields").size(), 1U);
}

// A real server counts what was sent, in 64 bits, and shows what it is in short.
TEST_F(RefusalWords, CountAmountsOfManyDigitsAsTheyWereSent) {
  const auto quota = [&](std::string_view pods) {
    return message(
        create("/api/v1/namespaces/ns/resourcequotas",
               R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":)" + std::string{pods} + "}}}"));
  };
  constexpr auto kRefusal =
      R"(ResourceQuota "q" is invalid: spec.hard[pods]: Invalid value: "100E": must be an integer)";

  EXPECT_EQ(quota(R"("100000000000000000000")"), kRefusal);
  EXPECT_EQ(quota("100000000000000000000"), kRefusal);
  EXPECT_EQ(quota(R"("100E")"), "");
  const auto again = patch("/api/v1/namespaces/ns/resourcequotas/q",
                           R"({"spec":{"hard":{"pods":"100000000000000000000"}}})");
  EXPECT_EQ(message(again), kRefusal);
  EXPECT_EQ(text(get("/api/v1/namespaces/ns/resourcequotas/q"), "spec", "hard"),
            R"({"pods":"100E"})");
}

TEST_F(RefusalWords, CountEachAmountAsItWasSentWhereItStands) {
  const auto refused = create(
      "/api/v1/namespaces/ns/resourcequotas",
      R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"100E","services":"100000000000000000000"}}})");

  EXPECT_EQ(
      message(refused),
      R"(ResourceQuota "q" is invalid: spec.hard[services]: Invalid value: "100E": must be an integer)");
}

TEST_F(RefusalWords, GiveNoAddressToAServiceWithoutAName) {
  const auto service = [&](std::string_view address) {
    return message(create("/api/v1/namespaces/ns/services",
                          R"({"metadata":{},"spec":{"clusterIP":")" + std::string{address} +
                              R"(","ports":[{"port":80}]}})"));
  };

  EXPECT_EQ(service("10.0.9.9"),
            R"(Service "" is invalid: spec.clusterIPs: Invalid value: ["10.0.9.9"]: failed to )"
            R"(allocate IP 10.0.9.9: IPAddress.networking.k8s.io "10.0.9.9" is invalid: )"
            R"(spec.parentRef.name: Required value)");
  EXPECT_EQ(
      service("None"),
      R"(Service "" is invalid: metadata.name: Required value: name or generateName is required)");
}

TEST_F(RefusalWords, ReadTolerationsOfAnAnnotationAsGoDoes) {
  const auto refusal = [&](std::string_view tolerations) {
    return message(create("/api/v1/namespaces/ns/pods",
                          R"({"metadata":{"name":"p","annotations":)"
                          R"({"scheduler.alpha.kubernetes.io/tolerations":")" +
                              std::string{tolerations} + R"("}},"spec":)" + kPodSpec + "}"));
  };
  const std::string start = R"(Pod "p" is invalid: metadata.annotations: Invalid value: )"
                            R"("scheduler.alpha.kubernetes.io/tolerations": )";

  EXPECT_EQ(refusal("x"), start + "invalid character 'x' looking for beginning of value");
  EXPECT_EQ(refusal("{}"),
            start + "json: cannot unmarshal object into Go value of type []core.Toleration");
  EXPECT_EQ(refusal("[7]"),
            start + "json: cannot unmarshal number into Go value of type core.Toleration");
  EXPECT_EQ(refusal(R"([{\"operator\":true,\"key\":1}])"),
            start +
                "json: cannot unmarshal bool into Go struct field Toleration.Operator of type "
                "core.TolerationOperator");
  EXPECT_EQ(refusal(R"([{\"tolerationSeconds\":1.5}])"),
            start +
                "json: cannot unmarshal number 1.5 into Go struct field "
                "Toleration.TolerationSeconds of type int64");
  EXPECT_EQ(refusal(R"([{\"KEY\":\"a\",\"operator\":\"Exists\"}, null])"),
            R"(Pod "p" is invalid: metadata.annotations.scheduler.alpha.kubernetes.io/tolerations)"
            R"([1].operator: Invalid value: "": operator must be Exists when `key` is empty, )"
            R"(which means "match all values and all keys")");
}

}  // namespace
}  // namespace fixpoint::apiserver
