// SPDX-License-Identifier: Apache-2.0
#include "node/process/action_run.h"

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(5);

class ActionRunTest : public testing::Test {
 protected:
  // A pause of no length, counted when it answers.
  std::unique_ptr<ActionRun> pause() {
    return std::make_unique<ActionRun>(ActionRun::Setup{loop_, "", ""},
                                       Action{.kind = Action::Kind::Sleep}, kTimeout,
                                       [this](const ActionResult&) { ++answers_; });
  }
  // Until all that is due now is done, and what that posted: no time may pass first.
  void run() {
    loop_.after(Duration{}, [this] { loop_.post([this] { loop_.stop(); }); });
    loop_.run();
  }

  net::Loop loop_;
  int answers_ = 0;
};

TEST_F(ActionRunTest, AnswersOnce) {
  const auto action = pause();

  run();

  EXPECT_EQ(answers_, 1);
}

TEST_F(ActionRunTest, ForgottenItKeepsEvenTheAnswerThatIsOnItsWay) {
  const auto action = pause();
  loop_.after(Duration{}, [&] { action->forget(); });

  run();

  EXPECT_EQ(answers_, 0);
}

TEST_F(ActionRunTest, DestroyedItAnswersNobody) {
  auto action = pause();
  loop_.after(Duration{}, [&] { action.reset(); });

  run();

  EXPECT_EQ(answers_, 0);
}

}  // namespace
}  // namespace fixpoint::node
