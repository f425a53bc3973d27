// SPDX-License-Identifier: Apache-2.0
#include "front/pages/usage.h"

#include "base/rfc3339.h"
#include "json/parsing/parse.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class UsageApi : public testing::Test {
 protected:
  UsageApi() {
    put("pods/default/busy", R"({"metadata":{"name":"busy","namespace":"default","uid":"1",
                                 "labels":{"app":"web"}}})");
    put("pods/default/idle", R"({"metadata":{"name":"idle","namespace":"default","uid":"2"}})");
    put("pods/default/young", R"({"metadata":{"name":"young","namespace":"default","uid":"3"}})");
    put("pods/other/far", R"({"metadata":{"name":"far","namespace":"other","uid":"4"}})");
    put("nodes//here", R"({"metadata":{"name":"here"}})");
    put("nodes//there", R"({"metadata":{"name":"there"}})");
    before_ = {
        .node = "here",
        .machine = Used{.cpu = seconds(100), .memory_bytes = 0},
        .pods = {{"1", {{"c", {.cpu = seconds(10), .memory_bytes = 0}}}},
                        {"2", {{"c", {.cpu = seconds(5), .memory_bytes = 0}}}},
                        {"4", {{"c", {.cpu = seconds(5), .memory_bytes = 0}}}}}
    };
    after_ = {
        .node = "here",
        .machine = Used{.cpu = milliseconds(101'500), .memory_bytes = 4096},
        .pods = {{"1", {{"c", {.cpu = milliseconds(10'500), .memory_bytes = 8192}}}},
                        // Whoever waited for its children is gone, and with it their time.
                 {"2", {{"c", {.cpu = seconds(4), .memory_bytes = 1024}}}},
                        {"3", {{"c", {.cpu = seconds(1), .memory_bytes = 1024}}}},
                        {"4", {{"c", {.cpu = seconds(5), .memory_bytes = 1024}}}}}
    };
  }
  void put(const std::string& key, std::string_view text) { store_.put(key, *json::parse(text)); }
  static apiserver::Request request(std::string resource, std::string ns = {},
                                    std::string name = {}) {
    apiserver::Request made;
    made.verb = name.empty() ? apiserver::Verb::List : apiserver::Verb::Get;
    made.resource = {std::string{kMetricsGroup}, std::string{kMetricsVersion}, std::move(resource)};
    made.ns = std::move(ns);
    made.name = std::move(name);
    return made;
  }
  kube::Answer<json::Value> ask(const apiserver::Request& asked) const {
    return usage_of({.request = asked,
                     .snapshot = store_.latest(),
                     .before = before_,
                     .after = after_,
                     .window = seconds(1),
                     .now = Instant{}});
  }

  store::Store store_;
  Measurement before_;
  Measurement after_;
};

TEST_F(UsageApi, SaysWhatAPodUsedDuringTheWindow) {
  const auto pod = ask(request("pods", "default", "busy"));

  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->get("kind").as_string(), "PodMetrics");
  EXPECT_EQ(pod->get("window").as_string(), "1s");
  const json::View usage = pod->get("containers")[0].get("usage");
  EXPECT_EQ(usage.get("cpu").as_string(), "500000000n");
  EXPECT_EQ(usage.get("memory").as_string(), "8Ki");
}

TEST_F(UsageApi, ListsThePodsThatRanAllTheTime) {
  const auto pods = ask(request("pods", "default"));

  ASSERT_TRUE(pods.has_value());
  ASSERT_EQ(pods->get("items").size(), 2U);
  EXPECT_EQ(pods->get("items")[0].get("metadata", "name").as_string(), "busy");
  const json::View idle = pods->get("items")[1].get("containers")[0].get("usage");
  EXPECT_EQ(idle.get("cpu").as_string(), "0n");
  EXPECT_EQ(ask(request("pods"))->get("items").size(), 3U);
  auto selected = request("pods", "default");
  selected.query = {
      {"labelSelector", "app=web"}
  };
  EXPECT_EQ(ask(selected)->get("items").size(), 1U);
  selected.query = {
      {"labelSelector", "app in (web"}
  };
  EXPECT_EQ(ask(selected).error().code, 400);
}

TEST_F(UsageApi, KnowsTheMachineItRunsOn) {
  const auto nodes = ask(request("nodes"));

  ASSERT_TRUE(nodes.has_value());
  ASSERT_EQ(nodes->get("items").size(), 1U);
  const json::View usage = nodes->get("items")[0].get("usage");
  EXPECT_EQ(usage.get("cpu").as_string(), "1500000000n");
  EXPECT_EQ(ask(request("nodes", "", "there")).error().code, 404);
}

TEST_F(UsageApi, HasNothingOfWhatDoesNotRun) {
  const auto young = ask(request("pods", "default", "young"));

  ASSERT_FALSE(young.has_value());
  EXPECT_EQ(young.error().message, "podmetrics.metrics.k8s.io \"default/young\" not found");
}

TEST_F(UsageApi, IsReadAndNothingElse) {
  auto write = request("pods", "default", "busy");
  write.verb = apiserver::Verb::Delete;
  auto elsewhere = request("pods");
  elsewhere.resource.version = "v1";

  EXPECT_EQ(check_usage_request(write).error().code, 405);
  EXPECT_EQ(check_usage_request(elsewhere).error().code, 404);
  EXPECT_EQ(check_usage_request(request("secrets")).error().code, 404);
  EXPECT_TRUE(check_usage_request(request("nodes")).has_value());
}

}  // namespace
}  // namespace fixpoint::front
