// SPDX-License-Identifier: Apache-2.0
//
// The published numbers, and replays that tell the same story again.
#include "verify/models/search.h"
#include "verify/models/shelf.h"
#include "verify/report/page.h"
#include "verify/report/story.h"

#include <gtest/gtest.h>

namespace fixpoint::verify {
namespace {

TEST(Ring, HasThePublishedNumbersOfEwd840) {
  const auto three = explore(Ring{3, Ring::Nodes::Free});
  const auto four = explore(Ring{4, Ring::Nodes::Free});

  // TLC counts the initial states as generated, too.
  EXPECT_EQ(three.distinct, 302U);
  EXPECT_EQ(three.transitions + 192, 2'001U);
  EXPECT_EQ(four.distinct, 1'566U);
  EXPECT_EQ(four.transitions + 1'024, 15'986U);
  EXPECT_EQ(four.depth, 12U);
  for (const auto& verdict : three.verdicts) EXPECT_EQ(verdict.outcome, Outcome::Holds);
}

TEST(CoffeeCan, HasThePublishedNumbers) {
  const auto hundred = explore(CoffeeCan{100});

  EXPECT_EQ(hundred.distinct, 5'150U);
  EXPECT_EQ(hundred.transitions + 5'150, 20'002U);
  EXPECT_EQ(hundred.depth, 1U);
  for (const auto& verdict : hundred.verdicts) EXPECT_EQ(verdict.outcome, Outcome::Holds);
}

TEST(Models, AreViolatedExactlyWhereTheySaySo) {
  for (const auto& subject : models()) {
    for (const auto& scenario : subject.scenarios) {
      const auto report = subject.run({.scenario = scenario.name});

      ASSERT_TRUE(report) << subject.name;
      EXPECT_EQ(report->conclusion(),
                scenario.false_on_purpose ? Conclusion::Violated : Conclusion::Proved)
          << subject.name << " " << scenario.name << "\n"
          << to_text(*report);
    }
  }
}

TEST(Models, AreReplayedWordForWord) {
  int replayed = 0;
  for (const auto& subject : models()) {
    for (const auto& scenario : subject.scenarios) {
      auto report = subject.run({.scenario = scenario.name});
      ASSERT_TRUE(report);
      report->subject = subject.name;
      for (const auto& verdict : report->exploration.verdicts) {
        if (!verdict.trace) continue;
        const auto text = replay_of(*report, verdict).to_text();

        const auto file = Replay::parse(text);
        ASSERT_TRUE(file) << file.error().message;
        const auto trace =
            subject.replay({.scenario = file->scenario, .parameters = file->parameters}, *file);
        ASSERT_TRUE(trace) << trace.error().message;

        Verdict again{.name = file->property, .kind = file->kind, .detail = file->detail};
        again.trace = *trace;
        EXPECT_EQ(file->to_text(), text);
        EXPECT_EQ(story(again), story(verdict));
        ++replayed;
      }
    }
  }
  EXPECT_EQ(replayed, 5);
}

TEST(Models, RefuseAReplayOfSomethingElse) {
  const auto all = models();
  const auto& ring = all.at(1);
  auto report = ring.run({.scenario = "idle-nodes"});
  ASSERT_TRUE(report);
  auto file = replay_of(*report, report->exploration.verdicts.at(0));
  file.initial.low ^= 1;

  const auto trace = ring.replay({.scenario = "idle-nodes"}, file);

  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message, "the initial state is no longer the one of the file");
}

TEST(Page, ShowsTheCounterexampleAndLoadsNothing) {
  const auto all = models();
  auto report = all.at(1).run({.scenario = "idle-nodes"});
  ASSERT_TRUE(report);
  report->subject = "a <b>";

  const auto page = to_page(std::vector{*report, *report});

  EXPECT_NE(page.find("role=\"img\""), std::string::npos);
  EXPECT_EQ(page.find("id=\"tip\""), page.rfind("id=\"tip\""));
  EXPECT_NE(page.find("a &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("href"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
}

}  // namespace
}  // namespace fixpoint::verify
