// SPDX-License-Identifier: Apache-2.0
//
// Endpoints and EndpointSlices of services, with all loops of a cluster running.
#include "base/rng.h"
#include "cluster/loop_fixture.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace fixpoint::cluster::endpoints {
namespace {

using Strings = std::vector<std::string>;

class ServiceLoops : public LoopFixture {
 protected:
  ServiceLoops() {
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
  }

  void service(std::string_view name, std::string_view spec, std::string_view metadata = "") {
    const auto made = create(
        "/api/v1/namespaces/ns/services",
        fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{{}}}}})", name, metadata, spec));
    ASSERT_TRUE(made.ok()) << message(made);
  }
  void pod(std::string_view name, std::string_view ip, bool ready = true,
           std::string_view spec = "", std::string_view labels = R"("app":"web")") {
    const auto path = "/api/v1/namespaces/ns/pods";
    const auto made =
        create(path, fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}},"spec":{{{}
        "nodeName":"n","containers":[{{"name":"c","image":"i","ports":[{{"name":"http","containerPort":8080}}]}}]}}}})",
                                 name, labels, spec));
    ASSERT_TRUE(made.ok()) << message(made);
    if (ip.empty()) return;
    const auto set =
        patch(fmt::format("{}/{}/status", path, name),
              fmt::format(R"({{"status":{{"phase":"Running","podIP":"{0}","podIPs":[{{"ip":"{0}"}}],
        "conditions":[{{"type":"Ready","status":"{1}"}}]}}}})",
                          ip, ready ? "True" : "False"));
    ASSERT_TRUE(set.ok()) << message(set);
  }
  std::vector<json::Value> slices() {
    std::vector<json::Value> found;
    store_.latest().scan("endpointslices.discovery.k8s.io/ns/", {}, [&](const auto& record) {
      found.push_back(record->body);
      return true;
    });
    return found;
  }
  // "10.0.0.1 ready serving", one for each endpoint of all slices, in order.
  Strings backends() {
    Strings all;
    for (const auto& slice : slices()) {
      for (const json::View endpoint : slice.get("endpoints").elements()) {
        std::string text{endpoint.get("addresses")[0].as_string()};
        for (const auto* condition : {"ready", "serving", "terminating"}) {
          if (endpoint.get("conditions", condition).as_bool())
            text += fmt::format(" {}", condition);
        }
        all.push_back(text);
      }
    }
    std::ranges::sort(all);
    return all;
  }
  std::string subsets(std::string_view name) {
    const auto found = get(fmt::format("/api/v1/namespaces/ns/endpoints/{}", name));
    if (!found.ok()) return reason(found);
    std::string all;
    for (const json::View subset : found.body.get("subsets").elements()) {
      for (const auto* member : {"addresses", "notReadyAddresses"}) {
        for (const json::View one : subset.get(member).elements()) {
          all += fmt::format("{}{} ", member[0] == 'n' ? "!" : "", one.get("ip").as_string());
        }
      }
      for (const json::View port : subset.get("ports").elements()) {
        all += fmt::format("{}:{} ", port.get("name").as_string(), port.get("port").as_int());
      }
    }
    return all;
  }
};

constexpr auto kWeb =
    R"("selector":{"app":"web"},"ports":[{"name":"http","port":80,"targetPort":"http"}])";

TEST_F(ServiceLoops, ReadyPodsAreBehindTheirServiceWithTheirNamedPorts) {
  service("web", kWeb, R"(,"labels":{"team":"x"})");
  pod("a", "10.0.0.1");
  pod("b", "10.0.0.2", false);
  settle();

  EXPECT_EQ(backends(), (Strings{"10.0.0.1 ready serving", "10.0.0.2"}));
  ASSERT_EQ(slices().size(), 1U);
  const auto slice = slices().front();
  EXPECT_TRUE(kube::name_of(slice).starts_with("web-"));
  EXPECT_EQ(kube::label_of(slice, "kubernetes.io/service-name"), "web");
  EXPECT_EQ(kube::label_of(slice, "endpointslice.kubernetes.io/managed-by"),
            "endpointslice-controller.k8s.io");
  EXPECT_EQ(kube::label_of(slice, "team"), "x");
  EXPECT_EQ(json::to_text(slice.get("ports")), R"([{"name":"http","port":8080,"protocol":"TCP"}])");
  EXPECT_EQ(slice.get("endpoints")[0].get("nodeName").as_string(), "n");
  EXPECT_EQ(subsets("web"), "10.0.0.1 !10.0.0.2 http:8080 ");
}

TEST_F(ServiceLoops, PodsOfThisMachineArePublishedThoughNobodyElseMayNameLoopback) {
  pod("a", "127.1.0.1");
  service("web", R"("selector":{"app":"web"},"ports":[{"port":80}])");
  settle();
  EXPECT_EQ(backends(), (Strings{"127.1.0.1 ready serving"}));

  auto request = ServiceLoops::request(apiserver::Verb::Create, "/api/v1/namespaces/ns/endpoints");
  request.user = {
      .name = "admin", .groups = {"system:masters", "system:authenticated"}
  };
  request.body = R"({"metadata":{"name":"mine"},"subsets":[{"addresses":[{"ip":"127.1.0.1"}],
      "ports":[{"port":80}]}]})";
  EXPECT_EQ(message(run(request)),
            "Endpoints \"mine\" is invalid: subsets[0].addresses[0].ip: Invalid value: "
            "\"127.1.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)");
}

TEST_F(ServiceLoops, AServiceWithoutPodsHasOneEmptySlice) {
  service("web", kWeb);
  settle();
  ASSERT_EQ(slices().size(), 1U);
  EXPECT_TRUE(slices().front().get("endpoints").empty());
  EXPECT_EQ(subsets("web"), "");
  pod("a", "10.0.0.1");
  settle();
  EXPECT_EQ(backends(), Strings{"10.0.0.1 ready serving"});
  const auto with_pod = slices().size();
  remove("/api/v1/namespaces/ns/pods/a", R"({"gracePeriodSeconds":0})");
  settle();

  EXPECT_EQ(with_pod, 1U);
  EXPECT_EQ(slices().size(), 1U);
  EXPECT_EQ(backends(), Strings{});
}

TEST_F(ServiceLoops, APodThatIsLeavingServesAndIsNotReady) {
  service("web", kWeb);
  pod("a", "10.0.0.1");
  settle();
  remove("/api/v1/namespaces/ns/pods/a");
  settle();

  EXPECT_EQ(backends(), Strings{"10.0.0.1 serving terminating"});
  EXPECT_EQ(subsets("web"), "");
}

TEST_F(ServiceLoops, AddressesThatAreNotReadyArePublishedOnRequest) {
  service("web", R"("clusterIP":"None","publishNotReadyAddresses":true,"selector":{"app":"web"})");
  pod("a", "10.0.0.1", false, R"("hostname":"a","subdomain":"web",)");
  settle();

  EXPECT_EQ(backends(), Strings{"10.0.0.1 ready"});
  EXPECT_EQ(subsets("web"), "10.0.0.1 ");
  const auto slice = slices().front();
  EXPECT_EQ(slice.get("endpoints")[0].get("hostname").as_string(), "a");
  EXPECT_TRUE(kube::labels_of(slice).contains("service.kubernetes.io/headless"));
}

TEST_F(ServiceLoops, EndpointsFollowLabelsAndSelectors) {
  service("web", kWeb);
  pod("a", "10.0.0.1");
  settle();
  patch("/api/v1/namespaces/ns/pods/a", R"({"metadata":{"labels":{"app":"other"}}})");
  settle();
  EXPECT_EQ(backends(), Strings{});
  patch("/api/v1/namespaces/ns/services/web", R"({"spec":{"selector":{"app":"other"}}})");
  settle();

  EXPECT_EQ(backends(), Strings{"10.0.0.1 ready serving"});
}

// Whatever comes, goes and changes, each service has the pods that have all the labels it asks for.
TEST_F(ServiceLoops, ManyServicesHaveThePodsTheyAskForAndNoOthers) {
  using Labels = std::map<std::string, std::string>;
  constexpr int kSteps = 300;
  Rng rng{7};
  const auto some_labels = [&](std::uint64_t least) {
    Labels labels;
    while (labels.size() < least || rng.below(2) == 0) {
      labels[fmt::format("l{}", rng.below(3))] = fmt::format("v{}", rng.below(2));
    }
    return labels;
  };
  const auto text_of = [](const Labels& labels) {
    Strings members;
    for (const auto& [key, value] : labels)
      members.push_back(fmt::format(R"("{}":"{}")", key, value));
    return fmt::format("{}", fmt::join(members, ","));
  };
  std::map<std::string, Labels> pods;
  std::map<std::string, Labels> services;

  for (int step = 0; step < kSteps; ++step) {
    const bool is_pod = rng.below(2) == 0;
    auto& known = is_pod ? pods : services;
    const auto name = fmt::format("{}{}", is_pod ? "p" : "s", rng.below(6));
    const auto path = fmt::format("/api/v1/namespaces/ns/{}", is_pod ? "pods" : "services");
    if (known.erase(name) > 0) {
      ASSERT_TRUE(remove(fmt::format("{}/{}", path, name), R"({"gracePeriodSeconds":0})").ok());
    }
    if (rng.below(3) > 0) {
      known[name] = some_labels(is_pod ? 0 : 1);
      if (is_pod) {
        pod(name, fmt::format("10.0.0.{}", name.back()), true, "", text_of(known[name]));
      } else {
        service(name,
                fmt::format(R"("selector":{{{}}},"ports":[{{"port":80}}])", text_of(known[name])));
      }
    }
    settle();
    for (const auto& [service, wanted] : services) {
      std::string expected;
      for (const auto& [pod, has] : pods) {
        const bool all = std::ranges::all_of(wanted, [&](const auto& label) {
          const auto found = has.find(label.first);
          return found != has.end() && found->second == label.second;
        });
        if (all) expected += fmt::format("10.0.0.{} ", pod.back());
      }
      ASSERT_EQ(subsets(service), expected.empty() ? "" : expected + ":80 ") << "step " << step;
    }
  }
}

TEST_F(ServiceLoops, SlicesHoldAHundredAndFewOfThemChange) {
  service("web", kWeb);
  for (int i = 0; i < 250; ++i) {
    pod(fmt::format("p{:03}", i), fmt::format("10.0.{}.{}", i / 250, i + 1));
  }
  settle();
  clock_.advance(std::chrono::seconds(1));
  settle();
  std::map<std::string, std::string> versions;
  std::vector<std::size_t> sizes;
  for (const auto& slice : slices()) {
    sizes.push_back(slice.get("endpoints").size());
    versions.emplace(kube::name_of(slice), kube::resource_version_of(slice));
  }
  std::ranges::sort(sizes);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{50, 100, 100}));

  remove("/api/v1/namespaces/ns/pods/p000", R"({"gracePeriodSeconds":0})");
  settle();
  clock_.advance(std::chrono::seconds(1));
  settle();
  EXPECT_EQ(backends().size(), 249U);
  std::size_t changed = 0;
  for (const auto& slice : slices()) {
    changed +=
        versions[std::string{kube::name_of(slice)}] == kube::resource_version_of(slice) ? 0 : 1;
  }
  EXPECT_EQ(changed, 1U);
}

TEST_F(ServiceLoops, WhatSomebodyChangedOrDeletedIsPutRight) {
  service("web", kWeb);
  pod("a", "10.0.0.1");
  settle();
  remove(fmt::format("/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices/{}",
                     kube::name_of(slices().front())));
  remove("/api/v1/namespaces/ns/endpoints/web");
  settle();

  EXPECT_EQ(backends(), Strings{"10.0.0.1 ready serving"});
  EXPECT_EQ(subsets("web"), "10.0.0.1 http:8080 ");
}

TEST_F(ServiceLoops, EverythingGoesWithTheService) {
  service("web", kWeb);
  pod("a", "10.0.0.1");
  settle();
  remove("/api/v1/namespaces/ns/services/web");
  settle();

  EXPECT_TRUE(slices().empty());
  EXPECT_EQ(subsets("web"), "NotFound");
}

TEST_F(ServiceLoops, AtRestNothingIsWritten) {
  service("web", kWeb);
  pod("a", "10.0.0.1");
  settle();
  const auto revision = store_.revision();
  patch("/api/v1/namespaces/ns/pods/a", R"({"metadata":{"annotations":{"x":"y"}}})");
  controllers_ = Controllers::of_cluster("authority");
  begun_ = false;
  settle();

  EXPECT_EQ(store_.revision().value, revision.value + 1);
}

TEST_F(ServiceLoops, EndpointsThatAPersonWroteAreMirrored) {
  service("db", R"("ports":[{"port":5432}])");
  const auto made = create("/api/v1/namespaces/ns/endpoints",
                           R"({"metadata":{"name":"db","labels":{"a":"b"}},"subsets":[{
    "addresses":[{"ip":"192.0.2.1"}],"notReadyAddresses":[{"ip":"192.0.2.2"}],
    "ports":[{"port":5432,"protocol":"TCP"}]}]})");
  ASSERT_TRUE(made.ok());
  settle();

  EXPECT_EQ(backends(), (Strings{"192.0.2.1 ready", "192.0.2.2"}));
  const auto slice = slices().front();
  EXPECT_EQ(kube::label_of(slice, "endpointslice.kubernetes.io/managed-by"),
            "endpointslicemirroring-controller.k8s.io");
  EXPECT_EQ(kube::controller_of(slice)->kind, "Endpoints");
  patch("/api/v1/namespaces/ns/endpoints/db", R"({"subsets":null})");
  settle();
  EXPECT_EQ(backends(), Strings{});
}

TEST_F(ServiceLoops, EndpointsThatAskNotToBeMirroredAreNot) {
  service("db", R"("ports":[{"port":5432}])");
  create("/api/v1/namespaces/ns/endpoints",
         R"({"metadata":{"name":"db","labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}},
    "subsets":[{"addresses":[{"ip":"192.0.2.1"}],"ports":[{"port":5432}]}]})");
  settle();

  EXPECT_TRUE(slices().empty());
}

}  // namespace
}  // namespace fixpoint::cluster::endpoints
