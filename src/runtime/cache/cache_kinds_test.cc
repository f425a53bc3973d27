// SPDX-License-Identifier: Apache-2.0
//
// Kinds that come and go, on the API-server core that ships.
#include "runtime/cache/cache.h"
#include "runtime/cache/cached_object.h"
#include "runtime/cache/local_server.h"
#include "runtime/test_resources.h"
#include "runtime/virtual_scheduler.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

const client::Resource kDefinitions{
    {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
    "customresourcedefinitions",
    client::Scope::Cluster
};

class CacheKindsTest : public testing::Test {
 protected:
  CacheKindsTest()
      : session(cache.open({.changed =
                                [this](FollowId, const Change& change) {
                                  said +=
                                      (change.before.is_null() ? "+" : "-") +
                                      std::string{kube::name_of(
                                          change.before.is_null() ? change.after : change.before)} +
                                      " ";
                                },
                            .synced = [this] { said += "synced "; }})) {}

  void follow(const client::Resource& resource, bool optional) {
    Watch watch;
    watch.role = WatchRole::Cached;
    watch.collection.resource = resource;
    watch.optional = optional;
    session->follow(watch);
  }
  void call(client::Verb verb, const client::Resource& resource, kube::Key key,
            std::string_view body = {}, std::string subresource = {}) {
    client::Call call;
    call.verb = verb;
    call.resource = resource;
    call.key = std::move(key);
    call.subresource = std::move(subresource);
    if (!body.empty()) call.body = json::parse(body).value();
    const auto reply = server.run(time, std::move(call));
    ASSERT_TRUE(reply) << reply.error().status.message;
    server.client.changed();
    time.run_due();
  }
  void define_boats() {
    call(client::Verb::Create, kDefinitions, {}, R"({
        "metadata": {"name": "boats.sea.example.com"},
        "spec": {"group": "sea.example.com", "scope": "Namespaced",
          "names": {"plural": "boats", "kind": "Boat"},
          "versions": [{"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object",
              "x-kubernetes-preserve-unknown-fields": true}}}]}})");
    call(client::Verb::Patch, kDefinitions, {"", "boats.sea.example.com"}, R"({"status": {
        "acceptedNames": {"plural": "boats", "singular": "boat", "kind": "Boat",
          "listKind": "BoatList"},
        "storedVersions": ["v1"], "conditions": [
        {"type": "NamesAccepted", "status": "True", "reason": "a", "message": "",
          "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "Established", "status": "True", "reason": "a", "message": "",
          "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})",
         "status");
  }
  void create_boat(const std::string& name) {
    call(client::Verb::Create, kBoats, {"one", ""},
         R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":")" + name +
             R"("}})");
  }
  // The definition goes, and with it, as on a real server, all objects of the kind.
  void forget_boats() {
    call(client::Verb::Delete, kBoats, {"one", "anna"});
    call(client::Verb::Delete, kDefinitions, {"", "boats.sea.example.com"});
    call(client::Verb::Patch, kDefinitions, {"", "boats.sea.example.com"},
         R"({"metadata":{"finalizers":null}})");
  }
  std::string take_said() { return std::exchange(said, {}); }

  VirtualScheduler time;
  LocalServer server{time};
  Cache cache{
      {.client = &server.client, .scheduler = &time}
  };
  std::string said;
  std::unique_ptr<CacheSession> session;
};

TEST_F(CacheKindsTest, IsPickedUpWhenItsDefinitionComesLater) {
  follow(kBoats, true);
  time.advance(1s);
  EXPECT_EQ(take_said(), "synced ") << "the operator starts without it";
  EXPECT_EQ(session->find(kBoats.kind), nullptr);

  define_boats();
  create_boat("anna");
  time.advance(1min);

  EXPECT_EQ(take_said(), "+anna ");
  ASSERT_NE(session->find(kBoats.kind), nullptr);
  EXPECT_EQ(session->find(kBoats.kind)->size(), 1U);
}

TEST_F(CacheKindsTest, IsPickedUpAtOnceWhenDefinitionsAreFollowed) {
  follow(kBoats, true);
  follow(kDefinitions, false);
  time.advance(1min);
  take_said();

  define_boats();
  time.run_due();

  EXPECT_NE(session->find(kBoats.kind), nullptr);
}

TEST_F(CacheKindsTest, IsSurvivedWhenItsDefinitionGoesAndFoundAgainWhenItComesBack) {
  define_boats();
  create_boat("anna");
  follow(kBoats, true);
  time.advance(10s);
  EXPECT_EQ(take_said(), "+anna synced ");

  forget_boats();
  time.advance(15min);
  EXPECT_EQ(take_said(), "-anna ");
  EXPECT_EQ(session->find(kBoats.kind), nullptr);

  define_boats();
  create_boat("berta");
  time.advance(1min);
  EXPECT_EQ(take_said(), "+berta ");
}

}  // namespace
}  // namespace fixpoint::runtime
