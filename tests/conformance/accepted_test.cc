// SPDX-License-Identifier: Apache-2.0
//
// Every difference that we accept still exists: one that went away leaves the list.
#include "tests/conformance/accepted.h"

#include "tests/conformance/campaign.h"
#include "tests/conformance/real_cluster.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

TEST(AcceptedDifferences, EachIsStillOne) {
  auto cluster = RealCluster::start("none");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::OnlyDefinitions};
  const auto real = make_http_server((*cluster)->endpoint());
  const auto ours = make_http_server(local.endpoint());

  for (const auto& accepted : accepted_differences()) {
    const auto id = fresh_id();
    const auto found = compare(accepted.shown_by, normalise(record(*real, accepted.shown_by, id)),
                               normalise(record(*ours, accepted.shown_by, id)));

    ASSERT_TRUE(found.has_value())
        << accepted.name << " is no difference any more: take it off the list and off "
        << "docs/CONFORMANCE.md, and let the generators go there";
    // It differs where it says so, and not before.
    EXPECT_EQ(found->step + 1, accepted.shown_by.steps.size()) << accepted.name;
    fmt::print("{}: {}\n  {}\n", accepted.name, accepted.differs, found->signature.substr(0, 200));
  }
}

}  // namespace
}  // namespace fixpoint::conformance
