// SPDX-License-Identifier: Apache-2.0
//
// What an update of a service keeps, follows and gives up on its author's behalf.
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

constexpr auto kWeb = "/api/v1/namespaces/ns/services/web";

class ServiceUpdate : public ApiFixture {
 protected:
  void make(std::string_view spec) {
    const auto made =
        create(kServices, R"({"metadata":{"name":"web"},"spec":)" + std::string{spec} + "}");
    ASSERT_EQ(made.code, 201) << message(made);
  }
};

TEST_F(ServiceUpdate, ATrafficPolicyGoesWithTheExternalAddresses) {
  make(R"({"ports":[{"port":80}],"externalIPs":["1.2.3.4"]})");

  const auto updated = patch(kWeb, R"({"spec":{"externalIPs":null}})");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_FALSE(updated.body.get("spec").contains("externalTrafficPolicy"));
}

TEST_F(ServiceUpdate, AnExternalNameHasNoInternalPolicy) {
  make(R"({"ports":[{"port":80}]})");

  const auto updated = patch(kWeb, R"({"spec":{"type":"ExternalName","externalName":"a.b"}})");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_FALSE(updated.body.get("spec").contains("internalTrafficPolicy"));
}

TEST_F(ServiceUpdate, WhatItsTypeIgnoresIsSaid) {
  const auto made = create(kServices, R"({"metadata":{"name":"web"},"spec":{"type":"ExternalName",
      "externalName":"a.b","ports":[{"port":80}],"externalIPs":["1.2.3.4"]}})");

  EXPECT_EQ(made.warnings, std::vector<std::string>{
                               "spec.externalIPs is ignored when spec.type is \"ExternalName\""});
}

TEST_F(ServiceUpdate, OneAddressMeansBothFields) {
  make(R"({"ports":[{"port":80}]})");

  const auto refused = patch(kWeb, R"({"spec":{"clusterIP":"10.0.0.250"}})");

  EXPECT_EQ(message(refused),
            "Service \"web\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.0.250\"]: may "
            "not change once set");
}

TEST_F(ServiceUpdate, APortKeepsItsNodePortByName) {
  make(R"({"type":"NodePort","ports":[{"port":80,"name":"p"}]})");
  const auto made = get(kWeb);
  const auto before = made.body.get("spec", "ports")[0].get("nodePort").as_int();

  const auto updated = patch(kWeb, R"({"spec":{"ports":[{"port":81,"name":"p"}]}})");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_EQ(updated.body.get("spec", "ports")[0].get("nodePort").as_int(), before);
}

TEST_F(ServiceUpdate, APortOfAnotherNameGetsANodePortOfItsOwn) {
  make(R"({"type":"NodePort","ports":[{"port":80,"name":"p"}]})");
  const auto made = get(kWeb);
  const auto before = made.body.get("spec", "ports")[0].get("nodePort").as_int();

  const auto updated = put(kWeb, R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
      "spec":{"type":"NodePort","ports":[{"port":80,"name":"q"}]}})");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_NE(updated.body.get("spec", "ports")[0].get("nodePort").as_int(), before);
}

TEST_F(ServiceUpdate, PortsOfOneNumberShareANodePort) {
  make(R"({"type":"NodePort","ports":[{"port":53,"name":"t"},
      {"port":53,"name":"u","protocol":"UDP"}]})");

  const auto made = get(kWeb);

  const auto ports = made.body.get("spec", "ports");
  EXPECT_EQ(ports[0].get("nodePort").as_int(), ports[1].get("nodePort").as_int());
}

TEST_F(ServiceUpdate, NodePortsGoWithTheTypeThoughThePortsChange) {
  make(R"({"type":"NodePort","ports":[{"port":80,"name":"p"},{"port":81,"name":"q"}]})");

  const auto updated = patch(kWeb, R"({"spec":{"type":"ClusterIP","ports":[
      {"$patch":"delete","port":80}]}})",
                             "application/strategic-merge-patch+json");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_FALSE(updated.body.get("spec", "ports")[0].contains("nodePort"));
}

TEST_F(ServiceUpdate, ABalancerClassThatChangesIsRefusedOnce) {
  make(R"({"type":"LoadBalancer","loadBalancerClass":"a.example/one","ports":[{"port":80}]})");

  const auto refused = patch(kWeb, R"({"spec":{"loadBalancerClass":"a.example/two"}})");

  EXPECT_EQ(refused.body.get("details", "causes").size(), 1U) << message(refused);
}

TEST_F(ServiceUpdate, AnExternalNameKeepsItsInternalPolicyOutOfSight) {
  make(R"({"ports":[{"port":80}]})");
  patch(kWeb, R"({"spec":{"type":"ExternalName","externalName":"a.b"}})");

  const auto status = get(std::string{kWeb} + "/status");
  const auto whole = get(kWeb);

  EXPECT_EQ(text(status, "spec", "internalTrafficPolicy"), "Cluster");
  EXPECT_FALSE(whole.body.get("spec").contains("internalTrafficPolicy"));
}

TEST_F(ServiceUpdate, FamiliesThatTheClusterLacksAreNamedWithThePolicy) {
  make(R"({"clusterIP":"None"})");

  const auto refused = patch(kWeb, R"({"spec":{"selector":{"a":"b"}}})");

  EXPECT_EQ(message(refused),
            "Service \"web\" is invalid: [spec.ipFamilyPolicy: Invalid value: "
            "\"RequireDualStack\": this cluster is not configured for dual-stack services, "
            "spec.ipFamilies[1]: Invalid value: \"IPv6\": not configured on this cluster]");
}

TEST_F(ServiceUpdate, WhatIsHandedOutIsSettledBeforeTheRestIsLookedAt) {
  const auto refused = create(kServices, R"({"metadata":{"name":"web"},"spec":{
      "clusterIP":"192.0.2.1","ports":[{"port":0}]}})");

  EXPECT_EQ(message(refused),
            "Service \"web\" is invalid: spec.clusterIPs: Invalid value: [\"192.0.2.1\"]: failed "
            "to allocate IP 192.0.2.1: the provided network does not match the current range");
}

TEST_F(ServiceUpdate, ADryRunHandsOutNumbersThatNobodyHas) {
  const auto dry = create(kServices, R"({"metadata":{"name":"web"},"spec":{"type":"NodePort",
      "ports":[{"name":"a","port":80,"nodePort":80},{"name":"b","port":81}]}})",
                          "dryRun=All");

  ASSERT_EQ(dry.code, 201) << message(dry);
  EXPECT_EQ(dry.body.get("spec", "ports")[1].get("nodePort").as_int(), 81);
}

TEST_F(ServiceUpdate, AHealthPortThatIsTakenCannotBeHad) {
  make(R"({"type":"NodePort","ports":[{"port":80,"nodePort":30123}]})");

  const auto refused = create(kServices, R"({"metadata":{"name":"b"},"spec":{"type":"LoadBalancer",
      "externalTrafficPolicy":"Local","healthCheckNodePort":30123,"ports":[{"port":80}]}})");

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(message(refused),
            "Internal error occurred: failed to allocate requested HealthCheck NodePort 30123: "
            "provided port is already allocated");
}

TEST_F(ServiceUpdate, TheHealthPortGoesWithTheLocalPolicy) {
  make(R"({"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]})");

  const auto updated = patch(kWeb, R"({"spec":{"externalTrafficPolicy":"Cluster"}})");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_FALSE(updated.body.get("spec").contains("healthCheckNodePort"));
}

TEST_F(ServiceUpdate, TheBalancerGoesFromTheStatusWithTheType) {
  make(R"({"type":"LoadBalancer","ports":[{"port":80}]})");
  const auto balanced = patch(std::string{kWeb} + "/status",
                              R"({"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}})");
  ASSERT_EQ(balanced.code, 200) << message(balanced);

  const auto updated = patch(kWeb, R"({"spec":{"type":"ExternalName","externalName":"a.b"}})");

  ASSERT_EQ(updated.code, 200) << message(updated);
  EXPECT_TRUE(updated.body.get("status", "loadBalancer").empty());
}

TEST_F(ServiceUpdate, AnAddressOfASliceIsOneOfItsType) {
  const auto slice = [&](std::string_view type, std::string_view address) {
    return message(create("/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices",
                          R"({"metadata":{"name":"s"},"addressType":")" + std::string{type} +
                              R"(","endpoints":[{"addresses":[")" + std::string{address} +
                              R"("]}],"ports":[]})"));
  };

  EXPECT_EQ(slice("IPv4", "x"),
            "EndpointSlice.discovery.k8s.io \"s\" is invalid: endpoints[0].addresses[0]: Invalid "
            "value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  EXPECT_EQ(slice("FQDN", "plain"),
            "EndpointSlice.discovery.k8s.io \"s\" is invalid: endpoints[0].addresses[0]: Invalid "
            "value: \"plain\": should be a domain with at least two segments separated by dots");
}

TEST_F(ServiceUpdate, TrafficMayPreferItsOwnZoneOrNode) {
  make(R"({"ports":[{"port":80}],"trafficDistribution":"PreferSameZone"})");

  const auto refused = patch(kWeb, R"({"spec":{"trafficDistribution":"Nearest"}})");

  EXPECT_TRUE(message(refused).ends_with(
      R"(supported values: "PreferClose", "PreferSameZone", "PreferSameNode")"));
}

}  // namespace
}  // namespace fixpoint::apiserver
