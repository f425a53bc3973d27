// SPDX-License-Identifier: Apache-2.0
//
// A counterexample, gone through by the real process of the operator on a real server.
#include "store/scratch_directory.h"
#include "tests/shipped_program.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using testing::HasSubstr;
using testing::Not;

class VerifyCommand : public testing::Test {
 protected:
  // `locks-operator verify …`, beside the shipped program.
  Ran verify(const std::string& words) const {
    const auto program = shipped_program().parent_path() / "locks-operator";
    return run_line(program.string() + " verify " + words + " 2>&1");
  }
  std::string file() const {
    return (scratch_.path() / "locks-crash-reconciled--it-gets-done-and-stays-so.json").string();
  }

  store::ScratchDirectory scratch_;
};

TEST_F(VerifyCommand, ReplaysLiveAndGoesTheSameWayAsTheCounterexample) {
  const auto found = verify("locks --out " + scratch_.path().string());
  ASSERT_EQ(found.status, 1) << found.text;
  ASSERT_THAT(found.text, HasSubstr("reconciled: it gets done and stays so"));

  const auto live = verify("--live --replay " + file());

  EXPECT_EQ(live.status, 1) << live.text;
  EXPECT_THAT(live.text, HasSubstr("create configmaps door-lock [crash after]"));
  EXPECT_THAT(live.text, Not(HasSubstr("door-key")));
  EXPECT_THAT(live.text,
              HasSubstr("the process did the same, and the cluster is as the story ends"));
}

TEST_F(VerifyCommand, SaysWhenTheProcessGoesAnotherWay) {
  ASSERT_EQ(verify("locks --out " + scratch_.path().string()).status, 1);
  ::setenv("LOCKS_REPAIRED", "1", 1);

  const auto live = verify("--live --replay " + file());

  ::unsetenv("LOCKS_REPAIRED");
  EXPECT_EQ(live.status, 0) << live.text;
  EXPECT_THAT(live.text, HasSubstr("the process asked for something else: POST"));
}

TEST_F(VerifyCommand, ReplaysLiveNothingThatIsNoOperator) {
  const auto model = verify("model:traps --scenario cycle --out " + scratch_.path().string());
  ASSERT_EQ(model.status, 1) << model.text;

  const auto live =
      verify("--live --replay " + (scratch_.path() / "model-traps-cycle-reaches-1.json").string());

  EXPECT_EQ(live.status, 2);
  EXPECT_THAT(live.text, HasSubstr("is no operator"));
}

// Only this program knows its operators.
TEST_F(VerifyCommand, SaysHowToReplayWithTheProgramThatItIs) {
  const auto found = verify("locks --out " + scratch_.path().string());

  EXPECT_THAT(found.text, HasSubstr("locks-operator verify locks --scenario crash"));
  EXPECT_THAT(found.text, HasSubstr("replay: locks-operator verify --replay " + file()));
}

TEST_F(VerifyCommand, RefusesFlagsThatWouldDoNothing) {
  EXPECT_EQ(verify("locks --live").status, 2);
  EXPECT_EQ(verify("locks --group plan").status, 2);
  EXPECT_EQ(verify("locks --mutants --html page.html").status, 2);
  EXPECT_EQ(verify("--mutants").status, 2);
}

// Never a silent cut: what does not fit is said to be missing.
TEST_F(VerifyCommand, SaysWhenMemoryEndedIt) {
  const auto cut = verify("model:2pc --size 7 --memory 1Mi");

  EXPECT_EQ(cut.status, 3) << cut.text;
  EXPECT_THAT(cut.text, HasSubstr("memory bound: 1 MiB"));
}

}  // namespace
}  // namespace fixpoint
