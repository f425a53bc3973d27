// SPDX-License-Identifier: Apache-2.0
#include "node/pod/probe.h"

#include "node/pod/pod_for_tests.h"

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

TEST(Probe, ReadinessFailsUntilEnoughSuccessesInARow) {
  ProbeTrack track({.kind = ProbeKind::Readiness, .success_threshold = 2, .failure_threshold = 2});
  EXPECT_FALSE(track.passing());

  EXPECT_FALSE(track.answered(true));
  EXPECT_FALSE(track.answered(false));
  EXPECT_FALSE(track.answered(true));
  EXPECT_TRUE(track.answered(true));
  EXPECT_TRUE(track.passing());

  EXPECT_FALSE(track.answered(false));
  EXPECT_TRUE(track.passing());
  EXPECT_TRUE(track.answered(false));
  EXPECT_FALSE(track.passing());
  EXPECT_FALSE(track.given_up());
}

TEST(Probe, LivenessPassesUntilItIsGivenUp) {
  ProbeTrack track({.kind = ProbeKind::Liveness, .failure_threshold = 2});
  EXPECT_TRUE(track.passing());

  EXPECT_FALSE(track.answered(false));
  EXPECT_TRUE(track.answered(false));

  EXPECT_TRUE(track.given_up());
}

TEST(Probe, StartupGivesUpAlthoughItNeverPassed) {
  ProbeTrack track({.kind = ProbeKind::Startup, .failure_threshold = 1});

  EXPECT_TRUE(track.answered(false));
  EXPECT_TRUE(track.given_up());
}

TEST(Probe, ReadsItsFieldsAndLooksUpPortsByName) {
  const auto container = parsed(R"({"ports":[{"name":"web","containerPort":8080}],
      "readinessProbe":{"httpGet":{"path":"healthz","port":"web","scheme":"HTTPS",
      "httpHeaders":[{"name":"X","value":"1"}]},"periodSeconds":3,"timeoutSeconds":2,
      "initialDelaySeconds":5,"successThreshold":2,"failureThreshold":4}})");

  const auto spec = ProbeSpec::of(container, ProbeKind::Readiness);
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->period, std::chrono::seconds(3));
  EXPECT_EQ(spec->failure_threshold, 4);
  const auto action = action_of(container.get("readinessProbe"), container, "127.1.0.1");
  ASSERT_TRUE(action.has_value());
  EXPECT_EQ(action->kind, Action::Kind::Http);
  EXPECT_TRUE(action->http.tls);
  EXPECT_EQ(action->http.host, "127.1.0.1");
  EXPECT_EQ(action->http.port, 8080);
  EXPECT_EQ(action->http.path, "/healthz");
  EXPECT_FALSE(ProbeSpec::of(container, ProbeKind::Liveness).has_value());
}

TEST(Probe, SaysWhichPortIsNotThere) {
  const auto handler = parsed(R"({"tcpSocket":{"port":"nope"}})");

  EXPECT_EQ(action_of(handler, {}, "127.1.0.1").error().message,
            "strconv.Atoi: parsing \"nope\": invalid syntax");
}

}  // namespace
}  // namespace fixpoint::node
