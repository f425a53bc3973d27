// SPDX-License-Identifier: Apache-2.0
#include "front/bootstrap/bootstrap.h"

#include "base/rfc3339.h"
#include "net/loop.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

TEST(Bootstrap, MakesWhatANewClusterHasOnce) {
  net::Loop loop;
  Service service{loop, store::Store{}, nullptr};
  ASSERT_TRUE(bootstrap(service, VirtualClock{}.wall()).has_value());
  const auto first = service.store().revision();

  ASSERT_TRUE(bootstrap(service, VirtualClock{}.wall()).has_value());

  EXPECT_EQ(service.store().revision(), first);
  const auto schema =
      service.store().latest().find("flowschemas.flowcontrol.apiserver.k8s.io//catch-all");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->body.get("status", "conditions")[0].get("status").as_string(), "False");
}

TEST(Bootstrap, NotesSinceWhenTokensAreTracked) {
  net::Loop loop;
  Service service{loop, store::Store{}, nullptr};
  ASSERT_TRUE(bootstrap(service, *parse_rfc3339("2026-11-18T23:59:59Z")).has_value());

  const auto note = service.store().latest().find(
      "configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking");

  ASSERT_TRUE(note);
  EXPECT_EQ(note->body.get("data", "since").as_string(), "2026-11-18");
}

}  // namespace
}  // namespace fixpoint::front
