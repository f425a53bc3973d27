// SPDX-License-Identifier: Apache-2.0
//
// Writes of a part of an object through a door of its own: a pod's status and resources, the
// approval and the signing of a certificate, a namespace's finalizers; and the proxies' answers.
#include "apiserver/api_fixture.h"
#include "kube/scalars/base64.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kPodStatus = "/api/v1/namespaces/ns/pods/p/status";
constexpr auto kRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
constexpr auto kApproval = "/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval";
constexpr auto kSigned = "/apis/certificates.k8s.io/v1/certificatesigningrequests/c/status";

class PartWrites : public ApiFixture {
 protected:
  PartWrites() {
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
    create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  }
  std::string refused(std::string_view path, std::string_view body) {
    const auto response = patch(path, body);
    return response.code == 422 ? message(response) : "code " + std::to_string(response.code);
  }
  // A request of the right form for `signer`, whose bytes are `der`.
  Response ask(std::string_view signer, std::string_view der = "0") {
    const auto pem = "-----BEGIN CERTIFICATE REQUEST-----\n" + kube::base64(der) +
                     "\n-----END CERTIFICATE REQUEST-----\n";
    return create(kRequests, R"({"metadata":{"name":"c"},"spec":{"usages":["any"],"signerName":")" +
                                 std::string{signer} + R"(","request":")" + kube::base64(pem) +
                                 R"("}})");
  }
  Response condition(std::string_view path, std::string_view conditions) {
    return patch(path, R"({"status":{"conditions":)" + std::string{conditions} + "}}");
  }
};

TEST_F(PartWrites, APodsAddressIsInBothPlacesAndOwnedThere) {
  const auto written = patch(kPodStatus, R"({"status":{"podIP":"10.0.0.1"}})");
  const auto listed =
      patch(kPodStatus, R"({"status":{"podIP":null,"podIPs":[{"ip":"10.0.0.2"}]}})");
  const auto outvoted = patch(kPodStatus, R"({"status":{"podIPs":[{"ip":"10.0.0.3"}]}})");

  EXPECT_EQ(text(written, "status", "podIPs"), R"([{"ip":"10.0.0.1"}])");
  EXPECT_NE(meta(written, "managedFields").find(R"(k:{\"ip\":\"10.0.0.1\"})"), std::string::npos);
  EXPECT_EQ(text(listed, "status", "podIP"), "10.0.0.2");
  EXPECT_EQ(text(outvoted, "status", "podIPs"), R"([{"ip":"10.0.0.2"}])");
}

TEST_F(PartWrites, APodsStatusIsBelievedOnlyWhereItIsPossible) {
  EXPECT_EQ(refused(kPodStatus, R"({"status":{"podIP":"bad"}})"),
            "Pod \"p\" is invalid: status.podIPs[0]: Invalid value: \"bad\": must be a valid IP "
            "address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  EXPECT_EQ(refused(kPodStatus, R"({"status":{"hostIP":"1.2.3.4","hostIPs":[{"ip":"1.2.3.5"}]}})"),
            "Pod \"p\" is invalid: status.hostIPs[0].ip: Invalid value: \"1.2.3.5\": must be equal "
            "to `hostIP`");
  EXPECT_EQ(refused(kPodStatus, R"({"status":{"qosClass":"Guaranteed"}})"),
            "Pod \"p\" is invalid: status.qosClass: Invalid value: \"Guaranteed\": field is "
            "immutable");
  EXPECT_EQ(refused(kPodStatus, R"({"status":{"observedGeneration":-1}})"),
            "Pod \"p\" is invalid: status.observedGeneration: Invalid value: -1: must be a "
            "non-negative integer");
  EXPECT_EQ(refused(kPodStatus, R"({"status":{"resourceClaimStatuses":[{"name":"x"}]}})"),
            "Pod \"p\" is invalid: status.resourceClaimStatuses[0].name: Invalid value: \"x\": "
            "must match the name of an entry in `spec.resourceClaims`");
}

TEST_F(PartWrites, APodsStatusKeepsWhatMayNotBeCleared) {
  patch(kPodStatus, R"({"status":{"observedGeneration":5,
                     "conditions":[{"type":"Ready","status":"True","observedGeneration":2}]}})");
  const auto cleared = patch(kPodStatus, R"({"status":{"observedGeneration":null,"qosClass":null,
                                          "conditions":[{"type":"Ready","status":"False"}]}})");

  EXPECT_EQ(text(cleared, "status", "observedGeneration"), "5");
  EXPECT_EQ(text(cleared, "status", "qosClass"), "BestEffort");
  EXPECT_EQ(cleared.body.get("status", "conditions")[0].get("observedGeneration").as_int(), 2);
}

TEST_F(PartWrites, SomePodsAreNeverResized) {
  create(kPods, R"({"metadata":{"name":"w"},"spec":{"os":{"name":"windows"},
                    "containers":[{"name":"c","image":"i"}]}})");
  create(kPods,
         R"({"metadata":{"name":"m","annotations":{"kubernetes.io/config.mirror":"x"}},
             "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
  const std::string pods = kPods;

  EXPECT_EQ(refused(pods + "/w/resize", "{}"),
            "Pod \"w\" is invalid: []: Forbidden: windows pods cannot be resized");
  EXPECT_EQ(refused(pods + "/m/resize", "{}"),
            "Pod \"m\" is invalid: []: Forbidden: static pods cannot be resized");
  EXPECT_EQ(refused(pods + "/m/ephemeralcontainers", "{}"),
            "Pod \"m\" is invalid: []: Forbidden: static pods do not support ephemeral containers");
}

TEST_F(PartWrites, ACertificateIsApprovedOnceAndThroughItsOwnDoor) {
  ASSERT_EQ(ask("example.com/x").code, 201);
  constexpr auto kYes = R"([{"type":"Approved","status":"True","reason":"r"}])";

  const auto by_status = condition(kSigned, kYes);
  const auto halfway = condition(kApproval, R"([{"type":"Approved","status":"False"}])");
  const auto both = condition(
      kApproval, R"([{"type":"Approved","status":"True"},{"type":"Denied","status":"True"}])");
  const auto approved = condition(kApproval, kYes);
  const auto withdrawn = condition(kApproval, "[]");
  const auto reworded = condition(kSigned, R"([{"type":"Approved","status":"True","reason":"q"}])");

  const std::string about = "CertificateSigningRequest.certificates.k8s.io \"c\" is invalid: ";
  EXPECT_EQ(message(by_status),
            about +
                "status.conditions: Forbidden: updates may not add a condition of type "
                "\"Approved\"");
  EXPECT_EQ(message(halfway),
            about +
                "status.conditions[0].status: Unsupported value: \"False\": supported values: "
                "\"True\"");
  EXPECT_EQ(message(both),
            about +
                "status.conditions: Invalid value: \"Denied\": Approved and Denied conditions "
                "are mutually exclusive");
  ASSERT_EQ(approved.code, 200);
  EXPECT_TRUE(approved.body.get("status", "conditions")[0].contains("lastUpdateTime"));
  EXPECT_EQ(message(withdrawn),
            about +
                "status.conditions: Forbidden: updates may not remove a condition of type "
                "\"Approved\"");
  EXPECT_EQ(reworded.body.get("status", "conditions")[0].get("reason").as_string(), "r");
}

TEST_F(PartWrites, ACertificateIsSignedOnceAndOnlyThroughItsStatus) {
  ASSERT_EQ(ask("example.com/x").code, 201);
  const auto chain = kube::base64("-----BEGIN CERTIFICATE-----\n" + kube::base64("0x") +
                                  "\n-----END CERTIFICATE-----\n");
  const auto body = [](const std::string& certificate) {
    return R"({"status":{"certificate":")" + certificate + R"("}})";
  };

  const auto elsewhere = patch(kApproval, body(chain));
  const auto garbage = patch(kSigned, body(kube::base64("nope")));
  const auto issued = patch(kSigned, body(chain));
  const auto taken_back = patch(kSigned, R"({"status":{"certificate":null}})");

  EXPECT_EQ(elsewhere.code, 200);
  EXPECT_FALSE(elsewhere.body.get("status").contains("certificate"));
  EXPECT_NE(message(garbage).find("\"<certificate data>\": must contain at least one CERTIFICATE "
                                  "PEM block"),
            std::string::npos);
  EXPECT_EQ(text(issued, "status", "certificate"), chain);
  EXPECT_NE(message(taken_back).find("updates may not modify existing certificate content"),
            std::string::npos);
}

TEST_F(PartWrites, SignersHaveDomainsAndNobodyBecomesAMaster) {
  const std::string about = "CertificateSigningRequest.certificates.k8s.io \"c\" is invalid: ";
  EXPECT_EQ(message(ask("kubernetes.io/legacy-unknown")),
            about +
                "spec.signerName: Invalid value: \"kubernetes.io/legacy-unknown\": the legacy "
                "signerName is not allowed via this API version");
  EXPECT_EQ(message(ask("nodots/x")),
            about +
                "spec.signerName: Invalid value: \"nodots\": should be a domain with at least "
                "two segments separated by dots");
  const std::string masters = std::string{"\x06\x03\x55\x04\x0a\x0c\x0e", 7} + "system:masters";
  EXPECT_EQ(message(ask("kubernetes.io/kube-apiserver-client", masters)),
            "certificatesigningrequests.certificates.k8s.io \"c\" is forbidden: use of "
            "kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed");
}

TEST_F(PartWrites, StatusesOfBudgetsAndNodesAreChecked) {
  create("/apis/policy/v1/namespaces/ns/poddisruptionbudgets",
         R"({"metadata":{"name":"b"},"spec":{"minAvailable":1}})");
  create("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  constexpr auto kBudget = "/apis/policy/v1/namespaces/ns/poddisruptionbudgets/b/status";
  constexpr auto kNode = "/api/v1/nodes/n/status";

  EXPECT_EQ(refused(kBudget, R"({"status":{"disruptionsAllowed":-1}})"),
            "PodDisruptionBudget.policy \"b\" is invalid: status.disruptionsAllowed: Invalid "
            "value: -1: must be greater than or equal to 0");
  EXPECT_EQ(refused(kBudget, R"({"status":{"conditions":[{"type":"A","status":"True","reason":"R",
                                 "message":"","lastTransitionTime":null}]}})"),
            "PodDisruptionBudget.policy \"b\" is invalid: status.conditions[0].lastTransitionTime: "
            "Required value");
  EXPECT_EQ(refused(kNode, R"({"status":{"allocatable":{"cpu":"-1"}}})"),
            "Node \"n\" is invalid: status.allocatable.cpu: Invalid value: \"-1\": must be greater "
            "than or equal to 0");
  EXPECT_EQ(refused(kNode, R"({"status":{"addresses":[{"type":"InternalIP","address":"x"},
                               {"type":"InternalIP","address":"x"}]}})"),
            "Node \"n\" is invalid: status.addresses[1]: Duplicate value: "
            R"({"Type":"InternalIP","Address":"x"})");
}

TEST_F(PartWrites, CountersOfCollisionsOnlyGrow) {
  create("/apis/apps/v1/namespaces/ns/deployments",
         R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
             "template":{"metadata":{"labels":{"a":"b"}},
                         "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  constexpr auto kDeployment = "/apis/apps/v1/namespaces/ns/deployments/d/status";

  const auto counted =
      patch(kDeployment, R"({"status":{"collisionCount":5,"terminatingReplicas":1}})");

  EXPECT_EQ(text(counted, "status", "collisionCount"), "5");
  EXPECT_FALSE(counted.body.get("status").contains("terminatingReplicas"));
  EXPECT_EQ(refused(kDeployment, R"({"status":{"collisionCount":null}})"),
            "Deployment.apps \"d\" is invalid: status.collisionCount: Invalid value: 0: cannot be "
            "decremented");
}

TEST_F(PartWrites, AVolumeNotesWhenItsPhaseChanged) {
  create("/api/v1/persistentvolumes",
         R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},
             "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}})");
  constexpr auto kVolume = "/api/v1/persistentvolumes/v/status";

  const auto bound = patch(kVolume, R"({"status":{"phase":"Bound",
                                        "lastPhaseTransitionTime":"2001-01-01T00:00:00Z"}})");
  const auto released = patch(kVolume, R"({"status":{"phase":"Released"}})");

  EXPECT_EQ(text(bound, "status", "lastPhaseTransitionTime"), "2001-01-01T00:00:00Z");
  EXPECT_NE(text(released, "status", "lastPhaseTransitionTime"), "2001-01-01T00:00:00Z");
}

TEST_F(PartWrites, AServiceThatGetsNoAddressIsNotCharged) {
  create("/api/v1/namespaces/ns/resourcequotas",
         R"({"metadata":{"name":"q"},"spec":{"hard":{"services":"5"}}})");
  patch("/api/v1/namespaces/ns/resourcequotas/q/status",
        R"({"status":{"hard":{"services":"5"},"used":{"services":"0"}}})");

  const auto outside = create(kServices, R"({"metadata":{"name":"s"},
      "spec":{"clusterIP":"1.2.3.4","ports":[{"port":80}]}})");
  const auto dry = create(kServices,
                          R"({"metadata":{"name":"s"},
      "spec":{"type":"NodePort","ports":[{"port":80}]}})",
                          "dryRun=All");

  EXPECT_EQ(outside.code, 422);
  const auto quota = get("/api/v1/namespaces/ns/resourcequotas/q");
  EXPECT_EQ(quota.body.get("status", "used", "services").as_string(), "0");
  EXPECT_EQ(text(dry, "spec", "clusterIP"), "10.0.0.0");
  EXPECT_EQ(dry.body.get("spec", "ports")[0].get("nodePort").as_int(), 32769);
}

TEST_F(PartWrites, WhoChangesAServicesAddressMeansTheListToo) {
  constexpr auto kService = "/api/v1/namespaces/ns/services/s";
  create("/api/v1/namespaces/ns/services",
         R"({"metadata":{"name":"s"},"spec":{"clusterIP":"10.0.7.7","ports":[{"port":80}]}})");

  EXPECT_EQ(refused(kService, R"({"spec":{"clusterIP":"10.0.7.8"}})"),
            "Service \"s\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.7.8\"]: may not "
            "change once set");
  EXPECT_EQ(refused(kService, R"({"spec":{"clusterIPs":["10.0.7.8"]}})"),
            "Service \"s\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.7.8\"]: first value "
            "must match `clusterIP`");
  EXPECT_EQ(
      refused(kService, R"({"spec":{"ipFamilies":["IPv6"]}})"),
      "Service \"s\" is invalid: spec.clusterIPs[0]: Invalid value: \"10.0.7.7\": expected an "
      "IPv6 value as indicated by `ipFamilies[0]`");
}

TEST_F(PartWrites, AnEvictionMayBeOfAnOlderVersion) {
  const auto evicted = create(
      std::string{kPod} + "/eviction",
      R"({"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"p"}})", "dryRun=All");

  EXPECT_EQ(evicted.code, 201);
}

TEST_F(PartWrites, ProxiesSayWhatIsMissing) {
  create("/api/v1/namespaces/ns/endpoints", R"({"metadata":{"name":"s"}})");
  const std::string base = "/api/v1/namespaces/ns/";

  EXPECT_EQ(message(get(base + "pods/https:p:443/proxy")), "address not allowed");
  EXPECT_EQ(message(get(base + "pods/a:b:c:d/proxy")), "invalid pod request \"a:b:c:d\"");
  EXPECT_EQ(message(get(base + "pods/ftp:p:1/proxy")), "invalid pod request \"ftp:p:1\"");
  EXPECT_EQ(message(get(base + "services/x:80/proxy")), "services \"x\" not found");
  EXPECT_EQ(message(get(base + "services/s:80/proxy")), "no endpoints available for service \"s\"");
  EXPECT_EQ(get(base + "services/s:80/proxy").code, 503);
  EXPECT_EQ(message(get("/api/v1/nodes/n/proxy")), "nodes \"n\" not found");
}

TEST_F(PartWrites, AnEmptyListOfSchemasIsNone) {
  std::string definition{kBoatDefinition};
  const std::string items = R"("items": {"type": "object", "required": ["name"], "properties": {
                      "name": {"type": "string"}, "size": {"type": "integer"}}})";
  const auto at = definition.find(items);
  ASSERT_NE(at, std::string::npos);
  definition.replace(at, items.size(), R"("items": [])");

  const auto refused_definition =
      create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);

  EXPECT_NE(message(refused_definition)
                .find("properties[parts].items: Required value: must be "
                      "specified"),
            std::string::npos)
      << message(refused_definition);
}

TEST_F(PartWrites, ALogIsAskedForWithTimesThatAreTimes) {
  const auto log = [&](std::string_view query) {
    return run(request(Verb::Get, std::string{kPod} + "/log", query));
  };

  EXPECT_EQ(message(log("sinceTime=bad")),
            "parsing time \"bad\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"bad\" as "
            "\"2006\"");
  EXPECT_EQ(message(log("sinceTime=2024-01-01T00:00:00Z&sinceSeconds=5")),
            "PodLogOptions \"p\" is invalid: []: Forbidden: at most one of `sinceTime` or "
            "`sinceSeconds` may be specified");
}

}  // namespace
}  // namespace fixpoint::apiserver
