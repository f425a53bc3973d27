// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/shadow_store.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "runtime/cache/fake_client.h"
#include "runtime/guard/guard_metrics.h"
#include "runtime/metrics/page_check.h"
#include "runtime/virtual_scheduler.h"

#include <optional>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using client::Verb;
using std::chrono::seconds;

class ShadowStoreTest : public testing::Test {
 protected:
  static GuardSettings settings() {
    GuardSettings settings;
    settings.by = "web";
    return settings;
  }
  void make_store() {
    store_.emplace(
        client_, time_, guard_,
        ShadowOptions{
            .config_map = {"ops", "web-guard"}
    },
        ShadowStore::Handlers{.may_write = [this] { return leads_; },
                              .on_problem = [this](std::string_view text) { problem_ = text; }});
  }
  void load(client::Reply reply) {
    make_store();
    bool done = false;
    store_->load([&] { done = true; });
    client_.answer(std::move(reply));
    EXPECT_TRUE(done);
  }
  // The object is there as wanted, then deleted `times`, and made again each time.
  void delete_war(int times) {
    const auto desired =
        json::parse(
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"y"}})")
            .value();
    const ObjectRef object{
        {"", "v1", "ConfigMap"},
        {"ns", "a"}
    };
    const WriteAttempt attempt{.object = object,
                               .desired = desired,
                               .desired_hash = desired.hash(),
                               .field_manager = "web",
                               .cause = WriteCause::Absent};
    for (int i = 0; i <= times; ++i) {
      const auto verdict = guard_.may_write(attempt, time_.wall());
      paused_ = verdict.kind == WriteVerdict::Kind::Paused;
      if (verdict.kind == WriteVerdict::Kind::Allowed) {
        auto made = json::Draft(desired);
        made.object_at("metadata")["resourceVersion"] = std::to_string(++version_);
        guard_.wrote(attempt, answered(made.freeze()), time_.wall());
      }
      time_.advance(std::chrono::milliseconds(100));
    }
  }
  json::Value stored(const client::Call& call) {
    auto object = json::Draft(call.body);
    object.object_at("metadata")["resourceVersion"] = std::to_string(++version_);
    return object.freeze();
  }

  FakeClient client_;
  VirtualScheduler time_;
  std::map<std::string, int> told_;
  MetricsRegistry registry_;
  GuardMetrics metrics_{registry_, "fixpoint_"};
  ObjectGuard guard_{settings(), time_, [this](const GuardNotice& notice) {
                       ++told_[notice.reason];
                       metrics_.notice(notice);
                     }};
  std::optional<ShadowStore> store_;
  bool leads_ = true;
  bool paused_ = false;
  std::string problem_;
  int version_ = 0;
};

TEST_F(ShadowStoreTest, MakesNoConfigMapWhileThereIsNothingToRemember) {
  load(std::unexpected(refused(404, "NotFound")));

  time_.advance(seconds(60));

  EXPECT_TRUE(client_.calls.empty());
}

TEST_F(ShadowStoreTest, WritesAtOnceWhenAWarBeginsAndOtherwiseRarely) {
  load(std::unexpected(refused(404, "NotFound")));

  delete_war(1);
  EXPECT_EQ(client_.calls.size(), 1U) << "the first write, ten seconds since the last are over";
  EXPECT_EQ(client_.calls[0].request.verb, Verb::Create);
  client_.answer(answered(stored(client_.calls[0].request)));
  delete_war(0);
  EXPECT_TRUE(client_.calls.empty()) << "not again so soon";
  delete_war(2);
  ASSERT_EQ(client_.calls.size(), 1U) << "now it is contested";

  EXPECT_EQ(client_.calls[0].request.verb, Verb::Update);
  EXPECT_EQ(client_.calls[0].request.body.get("metadata", "resourceVersion").as_string().empty(),
            false);
  EXPECT_EQ(client_.calls[0].request.body.get("data").size(), 1U);
}

TEST_F(ShadowStoreTest, APauseWithoutAnObjectIsToldOnlyWhenItIsStored) {
  load(std::unexpected(refused(404, "NotFound")));
  leads_ = false;
  delete_war(12);
  ASSERT_TRUE(paused_);
  EXPECT_EQ(told_["ThrashingDetected"], 0);
  EXPECT_TRUE(client_.calls.empty()) << "not without the lease";

  leads_ = true;
  time_.advance(seconds(10));
  ASSERT_EQ(client_.calls.size(), 1U);
  EXPECT_EQ(told_["ThrashingDetected"], 0);
  const auto call = client_.calls[0].request;
  client_.answer(answered(stored(call)));

  EXPECT_EQ(told_["ThrashingDetected"], 1);
  const auto page = check_page(registry_.page()).samples;
  EXPECT_EQ(
      page.at(R"(fixpoint_thrashing_total{group="",kind="ConfigMap",namespace="ns",name="a"})"), 1);
}

TEST_F(ShadowStoreTest, ARestartedProcessKnowsThePauseBeforeTheFirstPass) {
  load(std::unexpected(refused(404, "NotFound")));
  delete_war(12);
  const auto call = client_.calls[0].request;
  client_.answer(answered(stored(call)));
  time_.advance(seconds(11));
  std::optional<json::Value> last;
  while (!client_.calls.empty()) {
    last = stored(client_.calls[0].request);
    client_.answer(answered(*last));
    time_.advance(seconds(11));
  }
  ASSERT_TRUE(last);

  store_.reset();
  MetricsRegistry registry;
  GuardMetrics metrics(registry, "fixpoint_");
  ObjectGuard again(settings(), time_, [&](const GuardNotice& notice) { metrics.notice(notice); });
  metrics.add(again);
  ShadowStore store(client_, time_, again,
                    {
                        .config_map = {"ops", "web-guard"}
  },
                    {.may_write = [] { return true; }, .on_problem = [](std::string_view) {}});
  store.load([] {});
  client_.answer(answered(*last));

  const auto page = check_page(registry.page());
  EXPECT_EQ(page.problem, "");
  const auto labels = R"(group="",kind="ConfigMap",namespace="ns",name="a")";
  EXPECT_EQ(page.samples.at(std::string{"fixpoint_paused_resources{"} + labels + "}"), 1);
  EXPECT_EQ(page.samples.at(std::string{"fixpoint_thrashing_total{"} + labels + "}"), 0);
  EXPECT_TRUE(page.samples.contains(std::string{"fixpoint_pause_info{"} + labels +
                                    R"(,reason="ThrashingDetected",rule="S1",actor="unknown"})"));
}

TEST_F(ShadowStoreTest, GoesOnFromWhatIsThereAfterAConflict) {
  load(answered(json::parse(R"({"metadata":{"name":"web-guard","resourceVersion":"5"}})").value()));
  delete_war(1);
  client_.answer(std::unexpected(refused(409, "Conflict")));
  ASSERT_EQ(client_.calls.size(), 1U);
  EXPECT_EQ(client_.calls[0].request.verb, Verb::Get);
  client_.answer(
      answered(json::parse(R"({"metadata":{"name":"web-guard","resourceVersion":"9"}})").value()));
  EXPECT_EQ(problem_, "");

  time_.advance(seconds(2));

  ASSERT_EQ(client_.calls.size(), 1U);
  EXPECT_EQ(client_.calls[0].request.body.get("metadata", "resourceVersion").as_string(), "9");
}

TEST_F(ShadowStoreTest, SaysWhatWentWrongAndTriesAgainWithoutSpinning) {
  load(std::unexpected(refused(404, "NotFound")));
  delete_war(1);

  int calls = 0;
  for (int i = 0; i < 100; ++i) {
    while (!client_.calls.empty()) {
      ++calls;
      client_.answer(std::unexpected(refused(403, "Forbidden", "no rights")));
    }
    time_.advance(std::chrono::milliseconds(100));
  }

  EXPECT_NE(problem_.find("no rights"), std::string::npos);
  EXPECT_LE(calls, 14) << "two every two seconds";
  EXPECT_GE(calls, 8);
}

TEST_F(ShadowStoreTest, FlushesAtTheEnd) {
  load(std::unexpected(refused(404, "NotFound")));
  delete_war(1);
  client_.answer(answered(stored(client_.calls[0].request)));
  delete_war(0);
  ASSERT_TRUE(client_.calls.empty());

  bool flushed = false;
  store_->flush([&] { flushed = true; });
  ASSERT_EQ(client_.calls.size(), 1U);
  EXPECT_FALSE(flushed);
  client_.answer(std::unexpected(lost()));
  client_.answer(std::unexpected(lost()));

  EXPECT_TRUE(flushed) << "an end that waits for ever is none";
}

TEST_F(ShadowStoreTest, ADamagedRecordIsLeftOut) {
  load(answered(
      json::parse(
          R"({"data":{"a":"no json","b":"[]","c":"{\"kind\":\"X\",\"name\":\"y\",\"war\":{}}"}})")
          .value()));

  EXPECT_EQ(guard_.core().states(guard_.time()).size(), 1U);
}

}  // namespace
}  // namespace fixpoint::runtime
