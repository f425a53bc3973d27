// SPDX-License-Identifier: Apache-2.0
#include "front/router.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

using apiserver::Verb;

TEST(Router, LeavesOutPairsOfAQueryThatDoNotDecode) {
  const auto query = parse_query("limit=%zz&a=1;b=2&c=%41&c=later");

  ASSERT_EQ(query.size(), 2U);
  EXPECT_EQ(query[0].second, "A");
}

TEST(Router, RefusesAPathThatDoesNotDecode) {
  EXPECT_FALSE(route("GET", "/api/v1/namespaces/%zz", "").has_value());
}

TEST(Router, AnEmptyNamespaceIsAllOfThemAndNoOtherSegmentMayBeEmpty) {
  const auto all = route("GET", "/api/v1/namespaces//configmaps", "");
  ASSERT_TRUE(all && all->resource);
  EXPECT_EQ(all->request.ns, "");
  EXPECT_EQ(all->request.resource.resource, "configmaps");

  EXPECT_FALSE(route("GET", "/api/v1/namespaces/ns/configmaps//c", "")->resource);
  EXPECT_FALSE(route("GET", "/api//v1/namespaces", "")->resource);
  EXPECT_TRUE(route("GET", "/api/v1/namespaces/", "")->resource);
}

TEST(Router, WatchesCollectionsByItsMerePresenceAndObjectsNever) {
  EXPECT_EQ(route("GET", "/api/v1/pods", "watch")->request.verb, Verb::Watch);
  EXPECT_EQ(route("GET", "/api/v1/pods", "watch=yes")->request.verb, Verb::Watch);
  EXPECT_EQ(route("GET", "/api/v1/pods", "watch=False")->request.verb, Verb::List);
  EXPECT_EQ(route("GET", "/api/v1/namespaces/ns/pods/p", "watch=1")->request.verb, Verb::Get);
  EXPECT_EQ(route("GET", "/api/v1/namespaces/ns/pods/p/status", "watch=1")->request.verb,
            Verb::Get);
  EXPECT_EQ(route("GET", "/api/v1/watch/namespaces/ns/pods/p", "")->request.verb, Verb::Watch);
}

TEST(Router, TellsTheAuthorizerNoVerbForMethodsThatHaveNone) {
  EXPECT_EQ(route("HEAD", "/api/v1/pods", "")->verb("HEAD"), "list");
  EXPECT_EQ(route("OPTIONS", "/api/v1/pods", "")->verb("OPTIONS"), "");
  EXPECT_FALSE(route("HEAD", "/api/v1/pods", "")->has_verb);
}

TEST(Router, LeavesWhatFollowsAProxyToWhoeverIsBehindIt) {
  const auto pod = route("GET", "/api/v1/namespaces/ns/pods/https:p:443/proxy/a/b", "");
  const auto node = route("GET", "/api/v1/nodes/n/proxy/metrics", "");

  EXPECT_EQ(pod->request.subresource, "proxy");
  EXPECT_EQ(pod->request.name, "https:p:443");
  EXPECT_EQ(node->request.subresource, "proxy");
}

TEST(Router, CannotDetermineAPathThatEndsBeforeItsResource) {
  EXPECT_TRUE(route("GET", "/api/v1/watch", "")->undetermined);
  EXPECT_TRUE(route("POST", "/apis/apps/v1/proxy/", "")->undetermined);
  EXPECT_FALSE(route("GET", "/api/v1/watch/pods", "")->undetermined);
  EXPECT_FALSE(route("GET", "/apis/apps/watch", "")->undetermined);
}

TEST(Router, ATimeoutIsADuration) {
  const auto refusal = [](std::string_view path, std::string_view query) {
    const auto bad = bad_timeout(*route("GET", path, query));
    return bad ? bad->message : "";
  };
  constexpr std::string_view kMaps = "/api/v1/namespaces/n/configmaps";

  EXPECT_EQ(refusal(kMaps, "timeout=32s"), "");
  EXPECT_EQ(refusal(kMaps, "timeout="), "");
  EXPECT_EQ(refusal(kMaps, "timeout=invalid"),
            "invalid timeout specified in the request URL - time: invalid duration \"invalid\"");
  EXPECT_EQ(refusal("/version", "timeout=3"),
            "invalid timeout specified in the request URL - time: missing unit in duration \"3\"");
  EXPECT_EQ(refusal(kMaps, "watch=1&timeout=invalid"), "");
  EXPECT_EQ(refusal("/api/v1/namespaces/n/pods/p/log", "timeout=invalid"), "");
}

}  // namespace
}  // namespace fixpoint::front
