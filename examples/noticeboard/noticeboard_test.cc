// SPDX-License-Identifier: Apache-2.0
//
// The example with branches: its tables and its plan. What it does on a cluster, and what becomes
// of a branch that fails there, is tests/integration/operator_scenarios.cc.
#include "base/file.h"
#include "json/parsing/parse.h"
#include "runtime/registry.h"
#include "types/kind.h"
#include "types/reference.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace noticeboard {
fixpoint::runtime::OperatorEntry entry();
}

namespace fixpoint::runtime {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string first_error(std::string_view object) {
  const auto parts = noticeboard::entry().make();
  const auto parsed = *json::parse(object);
  const auto errors = parts.front().reconciler->check(parsed);
  return errors.empty() ? std::string{} : errors.front().to_string();
}

TEST(Noticeboard, HasNoMistakesInItsTables) {
  EXPECT_THAT(types::mistakes(*noticeboard::entry().kinds().front()), IsEmpty());
}

TEST(Noticeboard, HasItsReferencePageInTheDocs) {
  EXPECT_EQ(read_file("docs/reference/noticeboard.md").value_or(""),
            "<!-- SPDX-License-Identifier: Apache-2.0 -->\n" +
                types::reference_page(*noticeboard::entry().kinds().front()));
}

TEST(Noticeboard, AnOrderThatIsNoneIsRefusedBeforeAnythingIsDone) {
  EXPECT_EQ(first_error(R"({"spec":{"notices":[{"name":"a"},{"name":"b","after":["a"]}]}})"), "");
  EXPECT_THAT(first_error(R"({"spec":{"notices":[{"name":"a","after":["b"]}]}})"),
              HasSubstr(R"(branch "a" is after "b", which is not there)"));
  EXPECT_THAT(first_error(R"({"spec":{"notices":[{"name":"a","after":["a"]}]}})"),
              HasSubstr("waits for itself"));
  EXPECT_THAT(first_error(R"({"spec":{"notices":[{"name":"a"},{"name":"a"}]}})"),
              HasSubstr("two branches"));
}

}  // namespace
}  // namespace fixpoint::runtime
