// SPDX-License-Identifier: Apache-2.0
//
// A meddler between the shipped operator and its server: whatever it does, the operator neither
// ends nor spins, nothing is made twice, and all is well soon after it stops.
#include "base/rng.h"
#include "json/parsing/parse.h"
#include "tests/integration/meddler.h"
#include "tests/integration/operator_scenarios.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

namespace fixpoint {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Deed = Meddler::Deed;
using What = Deed::What;
using Seen = Meddler::Seen;

const net::Headers kJson{
    {"content-type", "application/json"}
};

Deed refusal(int code, std::string reason, net::Headers headers = kJson) {
  return {.what = What::Answer,
          .code = code,
          .body = fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure",)"
                              R"("message":"meddled","reason":"{}","code":{}}})",
                              reason, code),
          .headers = std::move(headers)};
}

// An event that ends a watch, as a server whose history is gone sends it.
Deed expired_watch() {
  auto deed = refusal(200, "Expired");
  deed.body = R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",)"
              R"("message":"too old","reason":"Expired","code":410}})"
              "\n";
  return deed;
}

enum class Whom { Everything, Writes, Reads, Watches };

bool concerns(Whom whom, const Seen& seen) {
  switch (whom) {
    case Whom::Everything: return true;
    case Whom::Writes: return seen.is_write();
    case Whom::Reads: return !seen.is_write() && !seen.is_watch();
    case Whom::Watches: return seen.is_watch();
  }
  return false;
}

struct Line {
  std::string name;
  Whom whom = Whom::Everything;
  Deed deed;
  int times = 4;  // lists and watches wait longer after each: two are enough to see that they do
};

// Every line of what may go wrong, and to whom.
std::vector<Line> lines() {
  const net::Headers soon{
      {"content-type", "application/json"},
      {"retry-after",  "1"               }
  };
  const Deed garbage{
      .what = What::Answer, .code = 200, .body = "<html>\xff\xfe{", .headers = kJson};
  return {
      {"reset", Whom::Everything, {.what = What::Abort}},
      {"lost-after-commit", Whom::Writes, {.what = What::LoseAnswer}},
      {"garbled-commit", Whom::Writes, {.what = What::Garble}},
      {"cut-commit", Whom::Writes, {.what = What::Cut, .bytes = 40}},
      {"cut-list", Whom::Reads, {.what = What::Cut, .bytes = 40}, 2},
      {"cut-watch", Whom::Watches, {.what = What::Cut, .bytes = 60}, 2},
      {"garbage-read", Whom::Reads, garbage, 2},
      {"garbage-watch", Whom::Watches, garbage, 2},
      {"storm-429", Whom::Everything, refusal(429, "TooManyRequests", soon)},
      {"storm-503", Whom::Everything, refusal(503, "ServiceUnavailable", soon)},
      {"error-500", Whom::Everything, refusal(500, "InternalError")},
      {"timeout-504", Whom::Writes, refusal(504, "Timeout")},
      {"expired-watch", Whom::Watches, expired_watch(), 2},
      {"conflict", Whom::Writes, refusal(409, "Conflict")},
      {"slow", Whom::Everything, {.what = What::Delay, .delay = 700ms}, 8},
  };
}

Meddler::Script script_of(const Line& line) {
  auto left = std::make_shared<std::atomic<int>>(line.times);
  return [line, left](const Seen& seen) {
    return concerns(line.whom, seen) && left->fetch_sub(1) > 0 ? line.deed : Deed{};
  };
}

// How often the server said 201 to a POST of each collection.
std::map<std::string, int> made(const Meddler& meddler) {
  std::map<std::string, int> made;
  for (const auto& entry : meddler.log()) {
    if (entry.seen.method == "POST" && entry.code == 201) ++made[entry.seen.path];
  }
  return made;
}

std::unique_ptr<RunningOperator> run_behind(const OperatorStage& stage, const Meddler& meddler,
                                            std::vector<std::string> flags = {}) {
  return stage.run({.kubeconfig = meddler.kubeconfig(),
                    .log = stage.scratch() / "meddled.log",
                    .flags = std::move(flags)});
}

void pass_time(std::chrono::milliseconds time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

}  // namespace

void survives_every_fault(const OperatorStage& stage) {
  const auto meddler = stage.meddle("meddler");
  int greetings = 0;
  for (const auto& line : lines()) {
    SCOPED_TRACE(line.name);
    meddler->play({});
    // A process of its own for each: pauses grow while things go wrong again and again.
    const auto process = run_behind(stage, *meddler);
    ASSERT_TRUE(eventually([&] { return process->page("/readyz").status == 200; }))
        << process->log() << process->page("/readyz").body;
    const auto before = meddler->count();
    meddler->play(script_of(line));
    // Watches are long: without this they would not be meddled with.
    if (line.whom == Whom::Watches || line.whom == Whom::Reads) meddler->cut_connections();
    stage.greet(line.name);
    ++greetings;
    ASSERT_TRUE(eventually([&] { return stage.greeted(line.name); })) << process->log();
    EXPECT_LT(meddler->count() - before, 200U) << "it spins";
    EXPECT_EQ(process->stop(), 0) << process->log();
  }
  EXPECT_EQ(made(*meddler)[kConfigMaps], greetings) << "made twice, or not at all";
  EXPECT_EQ(made(*meddler)[kDeployments], greetings);
}

void survives_random_faults(const OperatorStage& stage) {
  constexpr int kGreetingsMade = 25;
  const auto meddler = stage.meddle("meddler");
  const auto process = run_behind(stage, *meddler, kElected);
  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*process); }));
  // One request in four meets one of the faults.
  meddler->play([all = lines(), rng = std::make_shared<Rng>(7)](const Seen& seen) {
    const auto& line = all[rng->below(all.size())];
    return concerns(line.whom, seen) && rng->below(4) == 0 ? line.deed : Deed{};
  });
  for (int i = 0; i < kGreetingsMade; ++i) {
    stage.greet(fmt::format("r{}", i));
    if (i % 5 == 4) meddler->cut_connections();
    if (i % 7 == 6) stage.call("DELETE", fmt::format("{}/r{}", kGreetings, i - 3));
  }
  pass_time(3s);
  meddler->play({});

  for (int i = 0; i < kGreetingsMade; ++i) {
    const bool deleted = i % 7 == 3 && i + 3 < kGreetingsMade;
    const auto name = fmt::format("r{}", i);
    EXPECT_TRUE(eventually([&] {
      return deleted ? stage.call("GET", kGreetings + "/" + name).status == 404 &&
                           stage.call("GET", kConfigMaps + "/" + name).status == 404
                     : stage.greeted(name);
    })) << name
        << "\n"
        << process->log();
  }
  EXPECT_LE(made(*meddler)[kConfigMaps], kGreetingsMade) << "made twice";
  EXPECT_EQ(process->stop(), 0);
}

void is_quiet_while_the_server_is_away(const OperatorStage& stage) {
  constexpr int kGreetingsMade = 60;
  const auto meddler = stage.meddle("meddler");
  const auto process = run_behind(stage, *meddler, kElected);
  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*process); }));
  // What many objects want to write has nowhere to go; then the whole server is away.
  meddler->play([](const Seen& seen) {
    return seen.is_write() && seen.path.find("/leases") == std::string::npos
               ? Deed{.what = What::Abort}
               : Deed{};
  });
  for (int i = 0; i < kGreetingsMade; ++i) stage.greet(fmt::format("q{}", i));
  pass_time(2s);
  const auto before = meddler->count();
  const auto lines_before = std::ranges::count(process->log(), '\n');
  meddler->play([](const Seen&) { return Deed{.what = What::Abort}; });
  meddler->cut_connections();
  pass_time(3s);

  EXPECT_LT(meddler->count() - before, 500U) << "requests of three seconds";
  EXPECT_LT(std::ranges::count(process->log(), '\n') - lines_before, 120) << process->log();
  EXPECT_LT(std::ranges::count(process->log(), '\n'), 400) << "and of the time before";
  EXPECT_EQ(process->page("/healthz").status, 200);
  meddler->play({});
  for (int i = 0; i < kGreetingsMade; ++i) {
    ASSERT_TRUE(eventually([&] { return stage.greeted(fmt::format("q{}", i)); })) << process->log();
  }
}

void reads_rotated_tokens_and_certificates(const OperatorStage& stage) {
  const auto meddler = stage.meddle("meddler");
  const auto valid = std::make_shared<std::string>("first");
  const auto only = [](std::string token) {
    return [token = std::move(token)](const Seen& seen) {
      return seen.token == token ? Deed{} : refusal(401, "Unauthorized");
    };
  };
  meddler->play(only("first"));
  const auto process = run_behind(stage, *meddler);
  stage.greet("first");
  ASSERT_TRUE(eventually([&] { return stage.greeted("first"); })) << process->log();

  meddler->write_token("second");
  meddler->play(only("second"));
  meddler->cut_connections();
  stage.greet("second");
  EXPECT_TRUE(eventually([&] { return stage.greeted("second"); })) << process->log();

  meddler->rotate_certificates();
  stage.greet("third");
  EXPECT_TRUE(eventually([&] { return stage.greeted("third"); })) << process->log();
}

void waits_for_a_kind_that_is_gone(const OperatorStage& stage) {
  const auto process = stage.run("gone");
  stage.greet("hi");
  ASSERT_TRUE(eventually([&] { return stage.greeted("hi"); }));
  const auto definition = kDefinitions + "/greetings.example.fixpoint.dev";

  stage.call("DELETE", definition);
  stage.call("PATCH", kGreetings + "/hi", R"({"metadata":{"finalizers":null}})");
  ASSERT_TRUE(eventually([&] {
    // Where no controller empties it, nobody else takes this finalizer off.
    stage.call("PATCH", definition, R"({"metadata":{"finalizers":null}})");
    return stage.call("GET", definition).status == 404;
  }));
  EXPECT_TRUE(eventually([&] {
    return process->page("/debug/cache").body.find("NotServed") != std::string::npos;
  })) << process->page("/debug/cache").body;
  EXPECT_EQ(process->page("/healthz").status, 200);

  stage.call("DELETE", kConfigMaps + "/hi");
  stage.call("DELETE", kDeployments + "/hi");
  stage.install();
  stage.greet("hi");
  EXPECT_TRUE(eventually([&] { return stage.greeted("hi"); })) << process->log();
  EXPECT_EQ(process->stop(), 0);
}

void stands_by_while_its_lease_is_stolen(const OperatorStage& stage) {
  const auto process = stage.run("stolen", kElected);
  ASSERT_TRUE(eventually([&] { return OperatorStage::leads(*process); }));

  stage.call("PATCH", kLease,
             R"({"spec":{"holderIdentity":"a-thief","leaseDurationSeconds":3,)"
             R"("renewTime":"2026-01-01T00:00:00.000000Z"}})");
  ASSERT_TRUE(eventually([&] { return !OperatorStage::leads(*process); })) << process->log();
  stage.greet("hi");
  EXPECT_EQ(stage.page_of("hi"), "");

  EXPECT_TRUE(eventually([&] { return OperatorStage::leads(*process); })) << process->log();
  EXPECT_TRUE(eventually([&] { return stage.greeted("hi"); }));
}

void gives_up_on_an_answer_that_never_comes(const OperatorStage& stage) {
  const auto meddler = stage.meddle("meddler");
  const auto process = run_behind(stage, *meddler, {"--request-timeout=4s"});
  meddler->play(script_of({"stall", Whom::Writes, {.what = What::Stall}, 1}));

  stage.greet("stalled");
  stage.greet("beside");
  EXPECT_TRUE(eventually([&] { return stage.greeted("beside") || stage.greeted("stalled"); }))
      << "one answer that does not come holds up nobody else";
  EXPECT_TRUE(eventually([&] { return stage.greeted("beside") && stage.greeted("stalled"); }))
      << process->log();
}

void follows_a_server_that_went_back_in_time(const OperatorStage& stage,
                                             const std::function<OperatorStage()>& go_back) {
  const auto meddler = stage.meddle("meddler");
  const auto process = run_behind(stage, *meddler);
  stage.greet("late");
  ASSERT_TRUE(eventually([&] { return stage.greeted("late"); })) << process->log();

  const auto past = go_back();
  past.greet("early");
  meddler->redirect(past.cluster());

  EXPECT_TRUE(eventually([&] { return past.greeted("early"); })) << process->log();
  EXPECT_THAT(process->log(), HasSubstr("the server went back in time"));
  EXPECT_THAT(process->page("/debug/cache").body, HasSubstr(R"("rewinds": 1)"));
  past.call("DELETE", kConfigMaps + "/early");
  EXPECT_TRUE(eventually([&] { return past.greeted("early"); })) << "and it goes on from there";
  EXPECT_EQ(process->stop(), 0);
}

}  // namespace fixpoint
