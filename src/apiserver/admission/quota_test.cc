// SPDX-License-Identifier: Apache-2.0
//
// ResourceQuota at admission. Every text is what a kube-apiserver 1.34 answered to the same
// request.
#include "apiserver/admission/quota_usage.h"
#include "apiserver/api_fixture.h"
#include "base/rfc3339.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kQuotas = "/api/v1/namespaces/ns/resourcequotas";
constexpr auto kQ = "/api/v1/namespaces/ns/resourcequotas/q";

std::string named(std::string_view name) {
  return R"({"metadata":{"name":")" + std::string{name} + R"("}})";
}

std::string pod(std::string_view name, std::string_view resources, std::string_view extra = {}) {
  return R"({"metadata":{"name":")" + std::string{name} + R"("},"spec":{)" + std::string{extra} +
         R"("containers":[{"name":"c","image":"x","resources":)" + std::string{resources} + "}]}}";
}

std::string claim(std::string_view name, std::string_view storage) {
  return R"({"metadata":{"name":")" + std::string{name} +
         R"("},"spec":{"storageClassName":"gold","accessModes":["ReadWriteOnce"],"resources":)" +
         R"({"requests":{"storage":")" + std::string{storage} + R"("}}}})";
}

class QuotaAdmission : public ApiFixture {
 protected:
  // A quota as the quota controller leaves it: with limits and use in its status.
  void give_quota(std::string_view hard, std::string_view used, std::string_view scopes = {}) {
    const auto made = create(kQuotas, R"({"metadata":{"name":"q"},"spec":{)" + std::string{scopes} +
                                          R"("hard":)" + std::string{hard} + "}}");
    ASSERT_EQ(made.code, 201) << message(made);
    const auto counted =
        patch(std::string{kQ} + "/status", R"({"status":{"hard":)" + std::string{hard} +
                                               R"(,"used":)" + std::string{used} + "}}");
    ASSERT_EQ(counted.code, 200) << message(counted);
  }
  std::string used() {
    const auto quota = get(kQ);
    return json::to_text(quota.body.get("status", "used"));
  }
  ResourceList recounted() {
    const auto quota = get(kQ);
    return usage_of(store_.latest(), quota.body, clock_.wall());
  }
};

TEST_F(QuotaAdmission, RefusesTheObjectThatExceedsTheCount) {
  give_quota(R"({"count/configmaps":"3"})", R"({"count/configmaps":"2"})");

  const auto third = create(kConfigMaps, named("c3"));
  const auto fourth = create(kConfigMaps, named("c4"));

  EXPECT_EQ(third.code, 201);
  EXPECT_EQ(fourth.code, 403);
  EXPECT_EQ(reason(fourth), "Forbidden");
  EXPECT_EQ(message(fourth),
            "configmaps \"c4\" is forbidden: exceeded quota: q, requested: count/configmaps=1, "
            "used: count/configmaps=3, limited: count/configmaps=3");
  EXPECT_EQ(get(std::string{kConfigMaps} + "/c4").code, 404);
}

TEST_F(QuotaAdmission, ChargesByWritingTheStatusAsTheServerItself) {
  give_quota(R"({"count/configmaps":"3","pods":"1"})", R"({"count/configmaps":"0","pods":"0"})");
  const auto before = meta(get(kQ), "resourceVersion");

  create(kConfigMaps, named("a"));

  const auto quota = get(kQ);
  EXPECT_EQ(used(), R"({"count/configmaps":"1","pods":"0"})");
  EXPECT_NE(meta(quota, "resourceVersion"), before);
  std::string owned;
  for (const json::View entry : quota.body.get("metadata", "managedFields").elements()) {
    if (entry.get("manager").as_string() != "kube-apiserver") continue;
    owned = json::to_text(entry.get("fieldsV1"));
    EXPECT_EQ(entry.get("subresource").as_string(), "status");
    EXPECT_EQ(entry.get("operation").as_string(), "Update");
  }
  EXPECT_EQ(owned, R"({"f:status":{"f:used":{"f:count/configmaps":{}}}})");
}

TEST_F(QuotaAdmission, AsksButDoesNotChargeOnADryRun) {
  give_quota(R"({"count/configmaps":"1"})", R"({"count/configmaps":"0"})");
  const auto before = store_.revision();

  EXPECT_EQ(create(kConfigMaps, named("a"), "dryRun=All").code, 201);
  EXPECT_EQ(create(kConfigMaps, named("b"), "dryRun=All").code, 201);

  EXPECT_EQ(store_.revision(), before);
  create(kConfigMaps, named("a"));
  EXPECT_EQ(create(kConfigMaps, named("b"), "dryRun=All").code, 403);
}

TEST_F(QuotaAdmission, IsNotEnforcedBeforeTheControllerSawIt) {
  create(kQuotas, R"({"metadata":{"name":"q"},"spec":{"hard":{"count/configmaps":"0"}}})");

  EXPECT_EQ(create(kConfigMaps, named("a")).code, 201);
}

TEST_F(QuotaAdmission, RefusesWhatItHasNotCountedYet) {
  give_quota(R"({"count/configmaps":"3","configmaps":"3"})", R"({"configmaps":"0"})");

  EXPECT_EQ(message(create(kConfigMaps, named("a"))),
            "configmaps \"a\" is forbidden: status unknown for quota: q, resources: "
            "configmaps,count/configmaps");
}

TEST_F(QuotaAdmission, ATakenNameUnderAFullQuotaIsRefusedByTheQuota) {
  give_quota(R"({"count/configmaps":"1"})", R"({"count/configmaps":"0"})");
  create(kConfigMaps, named("c1"));

  const auto again = create(kConfigMaps, named("c1"));

  EXPECT_EQ(message(again),
            "configmaps \"c1\" is forbidden: exceeded quota: q, requested: count/configmaps=1, "
            "used: count/configmaps=1, limited: count/configmaps=1");
}

TEST_F(QuotaAdmission, ATakenNameIsChargedUntilSomebodyCountsAgain) {
  give_quota(R"({"count/configmaps":"2"})", R"({"count/configmaps":"0"})");
  create(kConfigMaps, named("c1"));

  EXPECT_EQ(create(kConfigMaps, named("c1")).code, 409);

  EXPECT_EQ(used(), R"({"count/configmaps":"2"})");
}

TEST_F(QuotaAdmission, NamesTheGroupOfWhatItCounts) {
  give_quota(R"({"count/deployments.apps":"1"})", R"({"count/deployments.apps":"1"})");

  const auto refused =
      create("/apis/apps/v1/namespaces/ns/deployments",
             R"({"metadata":{"name":"d2"},"spec":{"selector":{"matchLabels":{"a":"b"}},
             "template":{"metadata":{"labels":{"a":"b"}},
                         "spec":{"containers":[{"name":"x","image":"x"}]}}}})");

  EXPECT_EQ(message(refused),
            "deployments.apps \"d2\" is forbidden: exceeded quota: q, requested: "
            "count/deployments.apps=1, used: count/deployments.apps=1, limited: "
            "count/deployments.apps=1");
}

TEST_F(QuotaAdmission, WantsEveryContainerToStateWhatIsLimited) {
  give_quota(R"({"requests.cpu":"1","limits.memory":"1Gi"})",
             R"({"requests.cpu":"0","limits.memory":"0"})");

  const auto refused =
      create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"b","image":"x"},
              {"name":"a","image":"x","resources":{"requests":{"cpu":"100m"}}}],
             "initContainers":[{"name":"i","image":"x"}]}})");

  EXPECT_EQ(message(refused),
            "pods \"p\" is forbidden: failed quota: q: must specify limits.memory for: a,b,i; "
            "requests.cpu for: b,i");
}

TEST_F(QuotaAdmission, ListsEveryExceededAmountInOrder) {
  give_quota(
      R"({"limits.memory":"1Gi","pods":"2","requests.cpu":"1","requests.example.com/gpu":"2"})",
      R"({"limits.memory":"0","pods":"0","requests.cpu":"0","requests.example.com/gpu":"0"})");

  const auto first =
      create(kPods, pod("p", R"({"requests":{"cpu":"0.5","memory":"1Mi","example.com/gpu":"1"},
                                 "limits":{"memory":"512Mi","example.com/gpu":"1"}})"));
  const auto second =
      create(kPods, pod("p2", R"({"requests":{"cpu":"501m","memory":"1Mi","example.com/gpu":"2"},
                                  "limits":{"memory":"513Mi","example.com/gpu":"2"}})"));

  EXPECT_EQ(first.code, 201) << message(first);
  EXPECT_EQ(
      used(),
      R"({"limits.memory":"512Mi","pods":"1","requests.cpu":"500m","requests.example.com/gpu":"1"})");
  EXPECT_EQ(message(second),
            "pods \"p2\" is forbidden: exceeded quota: q, requested: "
            "limits.memory=513Mi,requests.cpu=501m,requests.example.com/gpu=2, used: "
            "limits.memory=512Mi,requests.cpu=500m,requests.example.com/gpu=1, limited: "
            "limits.memory=1Gi,requests.cpu=1,requests.example.com/gpu=2");
}

TEST_F(QuotaAdmission, CountsNodePortsByIntentAndOnlyTheirGrowth) {
  give_quota(R"({"services":"2","services.nodeports":"1"})",
             R"({"services":"0","services.nodeports":"0"})");

  const auto two = create(kServices, R"({"metadata":{"name":"s1"},"spec":{"type":"NodePort",
             "ports":[{"port":80,"name":"a"},{"port":81,"name":"b"}]}})");
  const auto plain =
      create(kServices, R"({"metadata":{"name":"s1"},"spec":{"ports":[{"port":80,"name":"a"}]}})");
  const auto opened = patch(std::string{kServices} + "/s1", R"({"spec":{"type":"LoadBalancer"}})");

  EXPECT_EQ(message(two),
            "services \"s1\" is forbidden: exceeded quota: q, requested: services.nodeports=2, "
            "used: services.nodeports=0, limited: services.nodeports=1");
  EXPECT_EQ(plain.code, 201) << message(plain);
  EXPECT_EQ(opened.code, 200) << message(opened);
  EXPECT_EQ(used(), R"({"services":"1","services.nodeports":"1"})");
  const auto more = patch(std::string{kServices} + "/s1",
                          R"({"spec":{"ports":[{"port":80,"name":"a"},{"port":82,"name":"c"}]}})");
  EXPECT_EQ(message(more),
            "services \"s1\" is forbidden: exceeded quota: q, requested: services.nodeports=1, "
            "used: services.nodeports=1, limited: services.nodeports=1");
}

TEST_F(QuotaAdmission, CountsStorageInAllAndByClass) {
  give_quota(
      R"({"gold.storageclass.storage.k8s.io/requests.storage":"5Gi","requests.storage":"10Gi"})",
      R"({"gold.storageclass.storage.k8s.io/requests.storage":"0","requests.storage":"0"})");

  EXPECT_EQ(create(kClaims, claim("v1", "4.5Gi")).code, 201);
  const auto second = create(kClaims, claim("v2", "11Gi"));

  EXPECT_EQ(
      used(),
      R"({"gold.storageclass.storage.k8s.io/requests.storage":"4608Mi","requests.storage":"4608Mi"})");
  EXPECT_EQ(message(second),
            "persistentvolumeclaims \"v2\" is forbidden: exceeded quota: q, requested: "
            "gold.storageclass.storage.k8s.io/requests.storage=11Gi,requests.storage=11Gi, used: "
            "gold.storageclass.storage.k8s.io/requests.storage=4608Mi,requests.storage=4608Mi, "
            "limited: gold.storageclass.storage.k8s.io/requests.storage=5Gi,requests.storage=10Gi");
}

TEST_F(QuotaAdmission, LeavesPodsOutsideItsScopesAlone) {
  give_quota(R"({"pods":"0"})", R"({"pods":"0"})", R"("scopes":["Terminating"],)");

  EXPECT_EQ(create(kPods, pod("runs", "{}")).code, 201);
  EXPECT_EQ(create(kPods, pod("ends", "{}", R"("activeDeadlineSeconds":5,)")).code, 403);
  // Giving a deadline to a running pod brings it into the scope.
  EXPECT_EQ(patch(std::string{kPods} + "/runs", R"({"spec":{"activeDeadlineSeconds":5}})").code,
            403);
}

TEST_F(QuotaAdmission, SelectsPodsByPriorityClassAndQuality) {
  ASSERT_EQ(create("/apis/scheduling.k8s.io/v1/priorityclasses",
                   R"({"metadata":{"name":"high"},"value":10})")
                .code,
            201);
  give_quota(R"({"pods":"0"})", R"({"pods":"0"})",
             R"("scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",
                "operator":"In","values":["high"]},{"scopeName":"BestEffort","operator":"Exists"}]},)");

  EXPECT_EQ(create(kPods, pod("low", "{}")).code, 201);
  EXPECT_EQ(
      create(kPods, pod("asks", R"({"requests":{"cpu":"1"}})", R"("priorityClassName":"high",)"))
          .code,
      201);
  EXPECT_EQ(create(kPods, pod("high", "{}", R"("priorityClassName":"high",)")).code, 403);
}

TEST_F(QuotaAdmission, NeverCountsEvents) {
  give_quota(R"({"count/events":"0"})", R"({"count/events":"0"})");

  EXPECT_EQ(create("/api/v1/namespaces/ns/events",
                   R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"ns"}})")
                .code,
            201);
}

TEST_F(QuotaAdmission, RecountsWhatIsThere) {
  give_quota(R"({"count/configmaps":"9","configmaps":"9","pods":"9","requests.cpu":"9",
                 "count/pods":"9","count/none.example.com":"9"})",
             R"({"count/configmaps":"0","configmaps":"0","pods":"0","requests.cpu":"0",
                 "count/pods":"0"})");
  create(kConfigMaps, named("a"));
  create(kPods, pod("p", R"({"requests":{"cpu":"250m"}})"));
  create(kPods, pod("done", R"({"requests":{"cpu":"1"}})"));
  patch(std::string{kPods} + "/done/status", R"({"status":{"phase":"Succeeded"}})");

  EXPECT_EQ(to_text(recounted()),
            "configmaps=1,count/configmaps=1,count/pods=2,pods=1,requests.cpu=250m");
}

TEST_F(QuotaAdmission, APodThatShouldBeGoneHoldsNothing) {
  const auto stuck = json::parse(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z",
      "deletionGracePeriodSeconds":30},"spec":{"containers":[{"name":"c"}]}})");
  ASSERT_TRUE(stuck.has_value());
  const auto at = [&](std::string_view time) {
    return to_text(usage_of({"", "pods"}, *stuck, parse_rfc3339(time).value()));
  };

  EXPECT_EQ(at("2026-01-01T00:00:30Z"), "count/pods=1,pods=1");
  EXPECT_EQ(at("2026-01-01T00:00:31Z"), "count/pods=1");
}

TEST_F(QuotaAdmission, APodNeedsWhatRunsTogetherOrItsGreediestInitContainer) {
  const auto layered = json::parse(R"({"spec":{"overhead":{"cpu":"1m"},
      "containers":[{"resources":{"requests":{"cpu":"100m"}}},
                    {"resources":{"requests":{"cpu":"200m"}}}],
      "initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"50m"}}},
                        {"resources":{"requests":{"cpu":"400m","memory":"1Mi"}}}]}})");
  ASSERT_TRUE(layered.has_value());

  const auto usage = usage_of({"", "pods"}, *layered, clock_.wall());

  // The sidecar runs beside the second init container: 50m + 400m beats 100m + 200m + 50m.
  EXPECT_EQ(usage.at("requests.cpu").to_string(), "451m");
  EXPECT_EQ(usage.at("requests.memory").to_string(), "1Mi");
}

}  // namespace
}  // namespace fixpoint::apiserver
