// SPDX-License-Identifier: Apache-2.0
//
// The cache against the API-server core that ships, with everything between them failing at random.
// Others write, we write, answers are lost and late, the server forgets its history: every state
// that is cached existed, no object goes back, changes tell the whole story, and when the trouble
// is over the cache is what the server has, with hardly a request more.
#include "base/rng.h"
#include "base/thoroughness_for_tests.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "runtime/cache/cache.h"
#include "runtime/cache/faulty_client.h"
#include "runtime/cache/local_server.h"
#include "runtime/test_resources.h"
#include "runtime/virtual_scheduler.h"
#include "store/store.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

class FaultTrial {
 public:
  struct Following {
    client::Selector selector = {};
    std::set<std::string> namespaces = {};
    client::Streaming first_list = client::Streaming::No;
  };

  FaultTrial(std::uint64_t seed, const Following& following)
      : rng_(seed),
        server_(time_),
        faulty_(server_.client, time_, Rng{seed + 1}),
        cache_({.client = &faulty_,
                .scheduler = &time_,
                .rng = Rng{seed + 2},
                .namespaces = following.namespaces,
                .page_items = 3,
                .first_list = following.first_list}),
        session_(cache_.open(
            {.changed = [this](FollowId, const Change& c) { told(c); }, .synced = {}})) {
    watched_.role = WatchRole::Cached;
    watched_.collection = {.resource = kMaps, .selector = following.selector};
    session_->follow(watched_);
  }

  void run() {
    for (int i = 0; i < 120 && !testing::Test::HasFailure(); ++i) {
      step();
      remember();
      check();
    }
    faulty_.calm();
    for (int i = 0; i < 20; ++i) {
      time_.advance(30s);
      server_.client.changed();
    }
    time_.run_due();
    check();
    EXPECT_EQ(cached(), wanted());
    EXPECT_EQ(mirrored(), wanted());
  }

  const FaultyClient::Counts& counts() const { return faulty_.counts; }
  std::uint64_t from_the_past() const {
    return session_->find(kMaps.kind)->oddities().from_the_past;
  }

 private:
  using State = std::map<std::string, std::string>;  // uid@version by key

  void step() {
    switch (rng_.below(8)) {
      case 0:
      case 1: return others_write();
      case 2: return own_write();
      case 3: server_.client.changed(); return;
      case 4:
        if (rng_.below(6) == 0) server_.store().compact(server_.store().revision());
        return;
      default: time_.advance(std::chrono::milliseconds(rng_.below(3'000)));
    }
  }

  client::Call random_write() {
    client::Call call;
    call.resource = kMaps;
    call.key = {rng_.below(2) == 0 ? "one" : "two", "m" + std::to_string(rng_.below(6))};
    const auto app = rng_.below(2) == 0 ? "x" : "y";
    const auto body = R"({"metadata":{"name":")" + call.key.name + R"(","labels":{"app":")" + app +
                      R"("}},"data":{"n":")" + std::to_string(rng_.below(1'000)) + R"("}})";
    const auto what = rng_.below(3);
    call.verb = what == 0   ? client::Verb::Create
                : what == 1 ? client::Verb::Patch
                            : client::Verb::Delete;
    if (what != 2) call.body = json::parse(body).value();
    if (what == 0) call.key.name.clear();
    return call;
  }

  void others_write() {
    server_.client.call(random_write(), [](client::Reply) {});
  }

  void own_write() {
    auto call = random_write();
    const auto verb = call.verb;
    const auto key = call.key;
    faulty_.call(std::move(call), [this, verb, key](client::Reply reply) {
      if (!reply) return;
      remember();
      auto* contents = session_->find_to_change(kMaps.kind);
      if (verb != client::Verb::Delete) {
        contents->put(reply->body, Origin::OwnWrite);
        return;
      }
      // A Status with the uid of what was deleted.
      const auto uid = reply->body.get("details", "uid").as_string();
      EXPECT_FALSE(uid.empty());
      // Of what was never shown to it, a cache cannot tell the past from the present.
      if (contents->gone(key, uid)) gone_.insert(std::string{uid});
    });
    remember();
  }

  // Every state the server ever had.
  void remember() {
    for (const auto ns : {"one", "two"}) {
      server_.api.store().latest().scan(std::string{"configmaps/"} + ns + "/", "",
                                        [&](const store::RecordRef& record) {
                                          existed_.insert(text(record->body));
                                          return true;
                                        });
    }
  }

  static std::string key_text(json::View object) {
    return std::string{kube::namespace_of(object)} + "/" + std::string{kube::name_of(object)};
  }
  static std::string text(json::View object) {
    return std::string{kube::uid_of(object)} + "@" +
           std::string{kube::resource_version_of(object)} + " " + json::to_text(object.get("data"));
  }

  void told(const Change& change) {
    const auto object = change.after.is_null() ? change.before.view() : change.after.view();
    auto& known = mirror_[key_text(object)];
    EXPECT_EQ(known, change.before.is_null() ? "" : text(change.before));
    known = change.after.is_null() ? "" : text(change.after);
    if (known.empty()) mirror_.erase(key_text(object));
  }

  void check() {
    for (const auto object : session_->find(kMaps.kind)->list("")) {
      EXPECT_TRUE(existed_.contains(text(object))) << text(object) << " never was";
      EXPECT_FALSE(gone_.contains(std::string{kube::uid_of(object)})) << "it came back";
      auto& newest = newest_[key_text(object)];
      const auto version = std::stoull(std::string{kube::resource_version_of(object)});
      EXPECT_GE(version, newest) << "it went back";
      newest = version;
    }
  }

  State cached() const {
    State state;
    for (const auto object : session_->find(kMaps.kind)->list("")) {
      state[key_text(object)] = text(object);
    }
    return state;
  }
  State mirrored() const { return mirror_; }
  State wanted() const {
    State state;
    const bool selects = !watched_.collection.selector.labels.empty();
    for (const auto ns : {"one", "two"}) {
      server_.api.store().latest().scan(std::string{"configmaps/"} + ns + "/", "",
                                        [&](const store::RecordRef& record) {
                                          const json::View object = record->body;
                                          if (selects && kube::label_of(object, "app") != "x")
                                            return true;
                                          state[key_text(object)] = text(object);
                                          return true;
                                        });
    }
    return state;
  }

  Rng rng_;
  VirtualScheduler time_;
  LocalServer server_;
  FaultyClient faulty_;
  Cache cache_;
  Watch watched_;
  State mirror_;
  std::unique_ptr<CacheSession> session_;
  std::set<std::string> existed_;
  std::set<std::string> gone_;
  std::map<std::string, std::uint64_t> newest_;
};

constexpr std::uint64_t kFaultTrials = kSanitized ? 20 : 60;

void try_all_faults(const FaultTrial::Following& following) {
  FaultyClient::Counts sum;
  std::uint64_t past = 0;
  for (std::uint64_t seed = 0; seed < kFaultTrials && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FaultTrial trial{seed, following};
    trial.run();
    const auto& counts = trial.counts();
    sum.lost_calls += counts.lost_calls;
    sum.lost_answers += counts.lost_answers;
    sum.past_lists += counts.past_lists;
    sum.expired += counts.expired;
    sum.cut_watches += counts.cut_watches;
    sum.repeated_events += counts.repeated_events;
    past += trial.from_the_past();
  }
  for (const auto count : {sum.lost_calls, sum.lost_answers, sum.past_lists, sum.expired,
                           sum.cut_watches, sum.repeated_events}) {
    EXPECT_GT(count, 5) << "a fault that never happens tests nothing";
  }
  EXPECT_GT(past, 0U);
}

TEST(CacheFaults, AreSurvivedAndForgotten) {
  try_all_faults({});
}

TEST(CacheFaults, AreSurvivedWithASelector) {
  try_all_faults({
      .selector = {.labels = "app=x", .fields = ""}
  });
}

TEST(CacheFaults, AreSurvivedNamespaceByNamespace) {
  try_all_faults({
      .namespaces = {"one", "two"}
  });
}

TEST(CacheFaults, AreSurvivedWhenTheFirstListIsAStream) {
  try_all_faults({.first_list = client::Streaming::FromEmpty});
}

}  // namespace
}  // namespace fixpoint::runtime
