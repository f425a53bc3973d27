// SPDX-License-Identifier: Apache-2.0
#include "front/pages/discovery_text.h"

#include "json/parsed_for_tests.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

// The text is told in the order it shall have: reading it sorts the members.
std::string again(std::string_view text, Indent indent = Indent::None) {
  const json::Value tree = json::parsed(text);
  return discovery_text(tree, indent);
}

TEST(DiscoveryText, HasItsMembersInARealServersOrder) {
  for (
      const std::string_view text : {
          R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"a:1"}]})",
          R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]})",
          R"({"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}})",
          R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["get"],"shortNames":["deploy"],"categories":["all"],"storageVersionHash":"8="},{"name":"deployments/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get"]}]})",
          R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[{"resource":"r","responseKind":{"group":"","version":"","kind":"R"},"scope":"Namespaced","singularResource":"s","verbs":[],"shortNames":["x"],"categories":["all"],"subresources":[{"subresource":"scale","responseKind":{"group":"g","version":"v","kind":"K"},"verbs":["get"]}]}],"freshness":"Current"}]}]})",
          R"({"major":"1","minor":"34","gitVersion":"v1","gitCommit":"","buildDate":"","compiler":"c"})",
      }) {
    EXPECT_EQ(again(text), text);
  }
}

TEST(DiscoveryText, WhatNoTableNamesComesLastAndOtherDocumentsAsTheyAre) {
  EXPECT_EQ(again(R"({"kind":"APIGroup","also":1,"name":"<"})"),
            R"({"kind":"APIGroup","name":"\u003c","also":1})");
  EXPECT_EQ(again(R"({"paths":{"b":[],"a":{}}})"), R"({"paths":{"a":{},"b":[]}})");
}

TEST(DiscoveryText, IsIndentedAsGoDoes) {
  EXPECT_EQ(
      again(R"({"kind":"APIVersions","versions":["v1","v2"],"z":{},"y":[]})", Indent::TwoSpaces),
      "{\n  \"kind\": \"APIVersions\",\n  \"versions\": [\n    \"v1\",\n    \"v2\"\n  ],\n"
      "  \"y\": [],\n  \"z\": {}\n}");
}

}  // namespace
}  // namespace fixpoint::front
