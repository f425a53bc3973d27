// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/log.h"

#include "json/parsing/parse.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

class LogTest : public testing::Test {
 protected:
  Log log(LogFormat format, LogLevel least = LogLevel::Info) {
    return Log(format, least, clock_, [this](std::string_view line) { lines_ += line; });
  }
  VirtualClock clock_;
  std::string lines_;
};

TEST_F(LogTest, WritesTextForPeople) {
  log(LogFormat::Text)
      .info("created", {
                           {"object", "ConfigMap ns/a"},
                           {"pass",   "7"             },
                           {"empty",  ""              }
  });

  EXPECT_EQ(lines_, "00:00:00.000 INFO  created object=\"ConfigMap ns/a\" pass=7\n");
}

TEST_F(LogTest, WritesJsonForMachines) {
  log(LogFormat::Json)
      .warn("a \"quote\"\nand a line", {
                                           {"pass", "7"}
  });

  const auto parsed = json::parse(lines_);
  ASSERT_TRUE(parsed) << lines_;
  EXPECT_EQ(parsed->get("level").as_string(), "warning");
  EXPECT_EQ(parsed->get("msg").as_string(), "a \"quote\"\nand a line");
  EXPECT_EQ(parsed->get("pass").as_string(), "7");
  EXPECT_EQ(parsed->get("time").as_string(), "2026-01-01T00:00:00.000000Z");
}

TEST_F(LogTest, NobodyCanForgeALineOrFillTheDisk) {
  log(LogFormat::Text)
      .info("one\ntwo " + std::string(100'000, 'x'), {
                                                         {"v", "a\nb"}
  });

  EXPECT_EQ(std::ranges::count(lines_, '\n'), 1);
  EXPECT_LT(lines_.size(), 3'000U);
  EXPECT_NE(lines_.find("v=\"a\\nb\""), std::string::npos);
}

TEST_F(LogTest, ManyWarningsBecomeFewAndSayHowManyWereLeftOut) {
  const auto writer = log(LogFormat::Text);
  for (int i = 0; i < 10'000; ++i) writer.warn("the server is away");
  EXPECT_EQ(std::ranges::count(lines_, '\n'), 100);
  lines_.clear();

  writer.error("this is something else");
  EXPECT_EQ(std::ranges::count(lines_, '\n'), 1);
  clock_.advance(std::chrono::seconds(1));
  writer.warn("the server is away");

  EXPECT_NE(lines_.find("the server is away left_out=9900\n"), std::string::npos) << lines_;
}

TEST_F(LogTest, LeavesOutWhatNobodyWants) {
  log(LogFormat::Text, LogLevel::Warning).info("quiet");

  EXPECT_EQ(lines_, "");
}

}  // namespace
}  // namespace fixpoint::runtime
