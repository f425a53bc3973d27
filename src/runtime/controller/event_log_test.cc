// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller/event_log.h"

#include "json/parsing/parse.h"
#include "runtime/cache/fake_client.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

class EventLogTest : public testing::Test {
 protected:
  static json::Value object(std::string_view uid) {
    return json::parse(R"({"apiVersion":"sea.example.com/v1","kind":"Boat",
        "metadata":{"name":"a","namespace":"ns","uid":")" +
                       std::string{uid} + "\"}}")
        .value();
  }
  std::size_t say(std::string note, std::string_view uid = "u1", std::string reason = "Storm") {
    const json::Value regarding = object(uid);
    log_.say(regarding,
             {.type = EventType::Warning, .reason = std::move(reason), .note = std::move(note)},
             now_);
    last_ = log_.take();
    return last_.size();
  }

  Instant now_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  EventLog log_{
      {.controller = "boats", .instance = "host-1"}
  };
  std::vector<EventLog::Outgoing> last_;
};

TEST_F(EventLogTest, WritesWhatARealRecorderWrites) {
  ASSERT_EQ(say("it is stormy"), 1U);

  const client::Call& call = last_[0].call;
  EXPECT_EQ(call.verb, client::Verb::Create);
  EXPECT_EQ(call.key.ns, "ns");
  EXPECT_EQ(call.body.get("apiVersion").as_string(), "events.k8s.io/v1");
  EXPECT_EQ(call.body.get("type").as_string(), "Warning");
  EXPECT_EQ(call.body.get("reportingController").as_string(), "boats");
  EXPECT_EQ(call.body.get("regarding", "uid").as_string(), "u1");
  EXPECT_EQ(call.body.get("eventTime").as_string(), "2026-01-01T00:00:00.000000Z");
  EXPECT_TRUE(call.body.get("metadata", "name").as_string().starts_with("a."));
}

TEST_F(EventLogTest, RepetitionsAreOneSeriesWrittenWhenTheCountDoubles) {
  std::size_t written = 0;
  for (int i = 0; i < 100; ++i) {
    written += say("it is stormy");
    now_ += 100ms;
  }

  EXPECT_EQ(written, 7U);  // 1, 2, 4, 8, 16, 32, 64
  EXPECT_EQ(log_.size(), 1U);
}

TEST_F(EventLogTest, ASeriesIsAPatchWithItsCount) {
  say("it is stormy");
  ASSERT_EQ(say("it is stormy"), 1U);

  EXPECT_EQ(last_[0].call.verb, client::Verb::Patch);
  EXPECT_EQ(last_[0].call.body.get("series", "count").as_int(), 2);
  EXPECT_FALSE(last_[0].call.key.name.empty());
}

TEST_F(EventLogTest, AfterSixQuietMinutesItIsANewEvent) {
  say("it is stormy");
  now_ += 7min;

  ASSERT_EQ(say("it is stormy"), 1U);

  EXPECT_EQ(last_[0].call.verb, client::Verb::Create);
  EXPECT_EQ(log_.size(), 1U);
}

TEST_F(EventLogTest, AnObjectThatSaysManyDifferentThingsIsCutShort) {
  std::size_t written = 0;
  for (int i = 0; i < 1'000; ++i) written += say("wave " + std::to_string(i));

  EXPECT_LT(written, 40U);
  EXPECT_EQ(say("wave", "u2"), 1U);
}

TEST_F(EventLogTest, IsBounded) {
  for (std::size_t i = 0; i < EventLog::kSeriesMax + 10; ++i) say("x", "u" + std::to_string(i));

  EXPECT_EQ(log_.size(), EventLog::kSeriesMax);
  EXPECT_EQ(log_.statistics().dropped, 10U);
}

TEST_F(EventLogTest, ASeriesThatCouldNotBeWrittenStartsOver) {
  say("it is stormy");
  log_.answered(last_[0].series, std::unexpected(lost()));

  ASSERT_EQ(say("it is stormy"), 1U);

  EXPECT_EQ(last_[0].call.verb, client::Verb::Create);
  EXPECT_EQ(log_.statistics().failed, 1U);
}

TEST_F(EventLogTest, CutsLongNotesBetweenCharacters) {
  std::string note(1'023, 'x');
  note += "ä";
  say(note);

  EXPECT_EQ(last_[0].call.body.get("note").as_string().size(), 1'023U);
}

}  // namespace
}  // namespace fixpoint::runtime
