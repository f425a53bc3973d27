// SPDX-License-Identifier: Apache-2.0
#include "front/bootstrap/bootstrap.h"

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

}  // namespace
}  // namespace fixpoint::front
