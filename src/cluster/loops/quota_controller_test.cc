// SPDX-License-Identifier: Apache-2.0
//
// Rule 28: quota is checked at admission with usage that lags behind deletions.
#include "cluster/loop_fixture.h"

namespace fixpoint::cluster {
namespace {

using apiserver::kConfigMaps;
using apiserver::kPods;
using apiserver::kServices;

constexpr auto kQuotas = "/api/v1/namespaces/ns/resourcequotas";
constexpr auto kQ = "/api/v1/namespaces/ns/resourcequotas/q";

std::string named(std::string_view name) {
  return R"({"metadata":{"name":")" + std::string{name} + R"("}})";
}

class QuotaLoop : public LoopFixture {
 protected:
  void give_quota(std::string_view hard) {
    const auto made =
        create(kQuotas, R"({"metadata":{"name":"q"},"spec":{"hard":)" + std::string{hard} + "}}");
    ASSERT_EQ(made.code, 201) << message(made);
    settle();
  }
  std::string status() { return text(get(kQ), "status", "hard") + text(get(kQ), "status", "used"); }
  std::string used() { return text(get(kQ), "status", "used"); }
};

TEST_F(QuotaLoop, Rule28ADeletionFreesQuotaOnlyAfterTheRecount) {
  settle();  // the namespace's own kube-root-ca.crt
  give_quota(R"({"count/configmaps":"2"})");
  create(kConfigMaps, named("a"));
  const int full = create(kConfigMaps, named("b")).code;

  remove(std::string{kConfigMaps} + "/a");
  const auto late = create(kConfigMaps, named("b"));
  settle();
  const auto then = create(kConfigMaps, named("b"));

  EXPECT_EQ(full, 403);
  EXPECT_EQ(late.code, 403);
  EXPECT_EQ(
      message(late),
      "configmaps \"b\" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: "
      "count/configmaps=2, limited: count/configmaps=2");
  EXPECT_EQ(then.code, 201) << message(then);
}

TEST_F(QuotaLoop, Rule28ANewQuotaIsCountedFirstAndThenEnforced) {
  settle();
  create(kQuotas,
         R"({"metadata":{"name":"q"},"spec":{"hard":{"count/configmaps":"1","pods":"2"}}})");
  const int before = create(kConfigMaps, named("early")).code;

  settle();

  EXPECT_EQ(before, 201);
  EXPECT_EQ(status(), R"({"count/configmaps":"1","pods":"2"}{"count/configmaps":"2","pods":"0"})");
  EXPECT_EQ(create(kConfigMaps, named("late")).code, 403);
}

TEST_F(QuotaLoop, WritesTheStatusAsTheControllerManager) {
  give_quota(R"({"pods":"2"})");

  const auto quota = get(kQ);
  const json::View entry = quota.body.get("metadata", "managedFields")[0];
  EXPECT_EQ(entry.get("manager").as_string(), "kube-controller-manager");
  EXPECT_EQ(entry.get("subresource").as_string(), "status");
  EXPECT_EQ(json::to_text(entry.get("fieldsV1", "f:status", "f:hard")), R"({".":{},"f:pods":{}})");
  EXPECT_EQ(json::to_text(entry.get("fieldsV1", "f:status", "f:used")), R"({".":{},"f:pods":{}})");
}

TEST_F(QuotaLoop, FollowsItsLimits) {
  give_quota(R"({"pods":"2"})");

  patch(kQ, R"({"spec":{"hard":{"pods":"5","services":"1"}}})");
  settle();
  EXPECT_EQ(status(), R"({"pods":"5","services":"1"}{"pods":"0","services":"0"})");

  patch(kQ, R"({"spec":{"hard":{"pods":null}}})");
  settle();
  EXPECT_EQ(status(), R"({"services":"1"}{"services":"0"})");
}

TEST_F(QuotaLoop, FreesWhatAFinishedPodAndAClosedServiceHeld) {
  give_quota(R"({"pods":"1","requests.cpu":"1","services.nodeports":"1"})");
  create(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x",
             "resources":{"requests":{"cpu":"500m"}}}]}})");
  create(kServices,
         R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80}]}})");
  const auto held = used();

  patch(std::string{kPods} + "/p/status", R"({"status":{"phase":"Succeeded"}})");
  patch(std::string{kServices} + "/s", R"({"spec":{"type":"ClusterIP"}})");
  const auto late = used();
  settle();

  EXPECT_EQ(held, R"({"pods":"1","requests.cpu":"500m","services.nodeports":"1"})");
  EXPECT_EQ(late, held);
  EXPECT_EQ(used(), R"({"pods":"0","requests.cpu":"0","services.nodeports":"0"})");
}

TEST_F(QuotaLoop, CountsCustomResourcesOnceTheyAreDefined) {
  give_quota(R"({"count/boats.sea.example.com":"1"})");
  const auto undefined = used();

  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", apiserver::kBoatDefinition);
  settle();
  const auto boat = [&](std::string_view name) {
    return create("/apis/sea.example.com/v1/namespaces/ns/boats",
                  R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":")" +
                      std::string{name} + R"("},"spec":{"crew":1}})");
  };

  EXPECT_EQ(undefined, "null");
  EXPECT_EQ(used(), R"({"count/boats.sea.example.com":"0"})");
  EXPECT_EQ(boat("one").code, 201);
  EXPECT_EQ(message(boat("two")),
            "boats.sea.example.com \"two\" is forbidden: exceeded quota: q, requested: "
            "count/boats.sea.example.com=1, used: count/boats.sea.example.com=1, limited: "
            "count/boats.sea.example.com=1");
}

TEST_F(QuotaLoop, CorrectsAWrongCountInTime) {
  settle();
  EXPECT_EQ(controllers_.wakes(), std::nullopt);
  give_quota(R"({"pods":"5"})");
  patch(std::string{kQ} + "/status", R"({"status":{"used":{"pods":"3"}}})");
  settle();
  const auto wrong = used();

  ASSERT_TRUE(controllers_.wakes().has_value());
  clock_.advance(*controllers_.wakes() - clock_.wall());
  settle();

  EXPECT_EQ(wrong, R"({"pods":"3"})");
  EXPECT_EQ(used(), R"({"pods":"0"})");
}

TEST_F(QuotaLoop, WritesNothingWhenNothingChanged) {
  give_quota(R"({"pods":"5","count/configmaps":"9"})");
  create(kConfigMaps, named("a"));
  settle();
  const auto rest = store_.revision();

  patch(std::string{kConfigMaps} + "/a", R"({"metadata":{"labels":{"x":"y"}}})");
  settle();
  clock_.advance(std::chrono::minutes{6});
  settle();

  EXPECT_EQ(store_.revision().value, rest.value + 1);
}

}  // namespace
}  // namespace fixpoint::cluster
