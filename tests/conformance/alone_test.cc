// SPDX-License-Identifier: Apache-2.0
//
// Kinds that no two sequences can use at once on one server, so that no area has them: addresses,
// from which all services would take theirs, and API services, whose status a real server writes
// when it likes (so their requests are dry). What is asked is in
// tests/testdata/conformance/alone.txt.
#include "base/file.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/real_cluster.h"
#include "tests/conformance/script.h"

#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

TEST(KindsOfTheWholeCluster, AnswerAlike) {
  auto cluster = RealCluster::start("none");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::OnlyDefinitions};
  const auto real = make_http_server((*cluster)->endpoint());
  const auto ours = make_http_server(local.endpoint());
  const auto text = read_file("tests/testdata/conformance/alone.txt");
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const auto sequences = parse_script(*text);
  ASSERT_TRUE(sequences.has_value()) << sequences.error().message;
  ASSERT_GT(sequences->size(), 30U);

  for (const auto& sequence : *sequences) {
    const auto id = fresh_id();
    const auto found = compare(sequence, normalise(record(*real, sequence, id)),
                               normalise(record(*ours, sequence, id)));
    EXPECT_FALSE(found.has_value()) << sequence.area << "\n" << found->signature;
  }
}

}  // namespace
}  // namespace fixpoint::conformance
