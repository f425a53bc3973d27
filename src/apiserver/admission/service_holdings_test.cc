// SPDX-License-Identifier: Apache-2.0
//
// What Services hold is always what a reading of all of them would say, however it was come by.
#include "apiserver/admission/service_holdings.h"

#include "apiserver/api_fixture.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::apiserver {
namespace {

class Holdings : public ApiFixture {
 protected:
  Response service(std::string_view name, std::string_view spec = {}, std::string_view query = {}) {
    auto made = create(kServices,
                       R"({"metadata":{"name":")" + std::string{name} +
                           R"("},"spec":{"ports":[{"port":80}])" + (spec.empty() ? "" : ",") +
                           std::string{spec} + "}}",
                       query);
    if (const auto host = host_of(address(made))) hosts_.insert(*host);
    return made;
  }
  static std::string path(std::string_view name) {
    return std::string{kServices} + "/" + std::string{name};
  }
  static std::string address(const Response& response) {
    return std::string{response.body.get("spec", "clusterIP").as_string()};
  }
  void expect_exact() {
    ServiceHoldings fresh;
    fresh.follow(store_);
    followed_.follow(store_);
    for (const Host host : hosts_) {
      EXPECT_EQ(followed_.holds_address(host), fresh.holds_address(host)) << host;
    }
    for (std::int64_t port = 30'000; port <= 32'767; ++port) {
      EXPECT_EQ(followed_.holds_port(port), fresh.holds_port(port)) << port;
    }
  }

  ServiceHoldings followed_;
  std::set<Host> hosts_;  // that were ever handed out
};

TEST_F(Holdings, AnAddressIsKnownByItsLastTwoNumbers) {
  EXPECT_EQ(host_of("10.0.0.1"), Host{1});
  EXPECT_EQ(host_of("10.0.255.254"), Host{0xFFFE});
  for (const auto* text : {"", "10.0.1", "10.0.1.", "10.0.1.256", "10.0.-1.1", "10.0.1.2.3",
                           "10.1.0.1", "fd00::1", "None"}) {
    EXPECT_FALSE(host_of(text).has_value()) << text;
  }
}

TEST_F(Holdings, FollowEveryChangeOfTheServices) {
  Rng dice{7};
  for (int i = 0; i < 300; ++i) {
    const auto name = "s" + std::to_string(dice.below(40));
    switch (dice.below(5)) {
      case 0: remove(path(name)); break;
      case 1: patch(path(name), R"({"spec":{"type":"NodePort"}})"); break;
      case 2: patch(path(name), R"({"spec":{"type":"ClusterIP"}})"); break;
      case 3: service(name, R"("type":"LoadBalancer","externalTrafficPolicy":"Local")"); break;
      default: service(name, dice.below(2) == 0 ? R"("clusterIP":"None")" : "");
    }
    if (dice.below(3) == 0) expect_exact();
  }
  int ports = 0;
  for (std::int64_t port = 30'000; port <= 32'767; ++port) ports += followed_.holds_port(port);
  EXPECT_GT(ports, 3);  // or it was about nothing
}

TEST_F(Holdings, ManyMoreServicesAreNotReadAgainForOneMore) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(service("s" + std::to_string(i)).ok());
  followed_.follow(store_);
  const auto before = followed_.services_read();

  ASSERT_TRUE(service("one-more").ok());
  followed_.follow(store_);

  EXPECT_EQ(followed_.services_read(), before + 1);
}

TEST_F(Holdings, WhatWasRefusedOrOnlyTriedIsStillToBeHad) {
  const auto tried = service("dry", R"("clusterIP":"10.0.7.7")", "dryRun=All");
  ASSERT_TRUE(tried.ok()) << message(tried);
  const auto refused = service("bad name", R"("clusterIP":"10.0.7.7")");
  ASSERT_EQ(refused.code, 422);

  const auto made = service("a", R"("clusterIP":"10.0.7.7")");
  ASSERT_TRUE(made.ok()) << message(made);
  const auto second = service("b", R"("clusterIP":"10.0.7.7")");

  EXPECT_EQ(second.code, 422);
  EXPECT_NE(message(second).find("provided IP is already allocated"), std::string::npos)
      << message(second);
}

TEST_F(Holdings, ADeletedServiceLeavesItsNumbersToOthers) {
  ASSERT_TRUE(service("a", R"("clusterIP":"10.0.7.7")").ok());
  ASSERT_EQ(service("b", R"("clusterIP":"10.0.7.7")").code, 422);

  remove(path("a"));

  EXPECT_TRUE(service("b", R"("clusterIP":"10.0.7.7")").ok());
}

TEST_F(Holdings, ANameGivenUpForAnExternalOneLeavesItsAddress) {
  ASSERT_TRUE(service("a", R"("clusterIP":"10.0.7.7")").ok());
  ASSERT_TRUE(
      patch(path("a"), R"({"spec":{"type":"ExternalName","externalName":"x.y","clusterIP":null,
                           "clusterIPs":null}})")
          .ok());

  EXPECT_TRUE(service("b", R"("clusterIP":"10.0.7.7")").ok());
}

TEST_F(Holdings, AfterARestartWhatIsStoredIsHeld) {
  ASSERT_TRUE(service("a", R"("clusterIP":"10.0.7.7")").ok());
  std::vector<store::RecordRef> records;
  store_.latest().scan("", {}, [&](const store::RecordRef& record) {
    records.push_back(record);
    return true;
  });

  store_ = store::Store{std::move(records), store_.revision()};
  core_ = Core{};

  EXPECT_EQ(service("b", R"("clusterIP":"10.0.7.7")").code, 422);
  EXPECT_TRUE(service("c", R"("clusterIP":"10.0.7.8")").ok());
  expect_exact();
  EXPECT_EQ(service("d", R"("clusterIP":"10.0.7.8")").code, 422);
}

// One Core may serve many stores, as the verifier's does, and a store may be rewound: numbers of
// what never was are free, and those of another store are no matter.
TEST_F(Holdings, OfAnotherStoreOrATimeThatNeverWasAreNone) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(service("s" + std::to_string(i)).ok());
  const auto fork = store_.fork();
  const auto then = store_.revision();
  ASSERT_TRUE(service("a", R"("clusterIP":"10.0.7.7")").ok());
  expect_exact();

  // At the same revision now, with another event.
  ASSERT_TRUE(store_.rewind(then).has_value());
  ASSERT_TRUE(service("b", R"("clusterIP":"10.0.7.8")").ok());
  expect_exact();
  EXPECT_TRUE(service("c", R"("clusterIP":"10.0.7.7")").ok());
  expect_exact();

  store_ = fork;
  EXPECT_TRUE(service("d", R"("clusterIP":"10.0.7.9")").ok());
  EXPECT_TRUE(service("e", R"("clusterIP":"10.0.7.8")").ok());
  expect_exact();
  ASSERT_TRUE(store_.rewind(then).has_value());
  expect_exact();
}

TEST_F(Holdings, TwoServicesNeverGetOneAddress) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const auto made = service("s" + std::to_string(i));
    ASSERT_TRUE(made.ok()) << message(made);
    EXPECT_TRUE(seen.insert(address(made)).second) << address(made);
  }
}

}  // namespace
}  // namespace fixpoint::apiserver
