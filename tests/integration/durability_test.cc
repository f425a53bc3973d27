// SPDX-License-Identifier: Apache-2.0
//
// kill -9 under load, again and again: every acknowledged write is there afterwards, no half-write
// is, and revisions never go back. FIXPOINT_KILLS sets how often (`make torture`: 1000).
#include "base/rng.h"
#include "json/parsing/parse.h"
#include "kube/meta/metadata.h"
#include "net/loop.h"
#include "tests/integration/collections.h"
#include "tests/integration/running_server.h"

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

constexpr int kOutstanding = 16;
constexpr int kServerKillsDefault = 20;

// What the test knows of one object: the newest value it was promised, and what may have got
// through.
struct Promise {
  std::string acknowledged;
  std::set<std::string> attempted;
};

class Load {
 public:
  explicit Load(Rng& rng) : rng_(rng) {}

  // Writes with many requests in flight until `acks` were acknowledged, then kills the server in
  // the middle of the rest.
  void run(RunningServer& server, std::uint64_t acks) {
    net::Loop loop;
    auto connection = net::Connection::open(loop, server.client(net::HttpVersions::OnlyHttp2));
    const std::string bearer = "Bearer " + server.token();
    std::uint64_t answered = 0;
    bool killed = false;
    const std::function<void()> send_one = [&] {
      if (killed) return;
      write_one(*connection, bearer, [&](bool ok) {
        answered += ok ? 1 : 0;
        if (answered >= acks && !killed) {
          killed = true;
          server.kill();
        }
        if (ok) send_one();
      });
    };
    for (int i = 0; i < kOutstanding; ++i) send_one();
    const bool done =
        loop.run_until([&] { return killed && outstanding_ == 0; }, std::chrono::seconds(60));
    ASSERT_TRUE(done) << "the load did not end";
  }

  // Compares what the server says now with what it promised.
  void check(RunningServer& server) {
    auto listed = server.request("GET", kConfigMaps);
    ASSERT_TRUE(listed.has_value()) << listed.error().message;
    auto list = json::parse(listed->body);
    ASSERT_TRUE(list.has_value()) << list.error().message;
    std::map<std::string, std::string> found;
    for (const json::View item : list->get("items").elements()) {
      found[std::string{kube::name_of(item)}] = std::string{item.get("data", "value").as_string()};
    }
    const auto revision = std::strtoull(
        std::string{list->get("metadata", "resourceVersion").as_string()}.c_str(), nullptr, 10);
    EXPECT_GE(revision, highest_revision_);
    for (const auto& [name, promise] : promises_) {
      const auto there = found.find(name);
      if (!promise.acknowledged.empty()) {
        ASSERT_NE(there, found.end()) << name << " was acknowledged and is gone";
      }
      if (there == found.end()) continue;
      EXPECT_TRUE(there->second == promise.acknowledged ||
                  promise.attempted.contains(there->second))
          << name << " holds " << there->second << ", which nobody wrote last";
    }
    // What the disk kept is from now on what was promised.
    for (auto& [name, promise] : promises_) {
      promise.acknowledged = found.contains(name) ? found[name] : "";
      promise.attempted.clear();
    }
  }

 private:
  // One create or update of one of a few hundred objects, never two at once for the same one.
  void write_one(net::Connection& connection, const std::string& bearer,
                 std::function<void(bool)> done) {
    std::string name;
    do {
      name = "obj-" + std::to_string(rng_.below(300));
    } while (busy_.contains(name));
    busy_.insert(name);
    auto& promise = promises_[name];
    const std::string value = std::to_string(++counter_);
    const bool exists = !promise.acknowledged.empty();
    promise.attempted.insert(value);
    net::ClientRequest request;
    request.method = exists ? "PUT" : "POST";
    request.target = kConfigMaps + (exists ? "/" + name : "");
    request.headers = {
        {"authorization", bearer            },
        {"content-type",  "application/json"}
    };
    request.body = R"({"metadata":{"name":")" + name + R"("},"data":{"value":")" + value + R"("}})";
    ++outstanding_;
    auto answer = std::make_shared<std::pair<int, std::string>>();
    connection.send(
        std::move(request),
        {.on_headers = [answer](int status, const net::Headers&) { answer->first = status; },
         .on_body = [answer](std::string_view bytes) { answer->second += bytes; },
         .on_end =
             [this, name, value, answer, done](Result<void> outcome) {
               --outstanding_;
               busy_.erase(name);
               const bool ok = outcome.has_value() && answer->first < 300 && answer->first > 0;
               if (ok) {
                 promises_[name].acknowledged = value;
                 promises_[name].attempted.clear();
                 if (const auto object = json::parse(answer->second)) {
                   const std::string version{kube::resource_version_of(*object)};
                   highest_revision_ =
                       std::max(highest_revision_, std::strtoull(version.c_str(), nullptr, 10));
                 }
               }
               done(ok);
             }});
  }

  Rng& rng_;
  std::map<std::string, Promise> promises_;
  std::set<std::string> busy_;
  std::uint64_t counter_ = 0;
  unsigned long long highest_revision_ = 0;
  int outstanding_ = 0;
};

TEST(Torture, EveryAcknowledgedWriteSurvivesKillMinusNine) {
  const char* asked = std::getenv("FIXPOINT_KILLS");
  const int kills = asked == nullptr ? kServerKillsDefault : std::atoi(asked);
  const ScratchDirectory scratch;
  const std::vector<std::string> flags{"--data-dir", (scratch.path() / "data").string()};
  Rng rng{2026};
  Load load{rng};
  for (int kill = 0; kill < kills && !testing::Test::HasFatalFailure(); ++kill) {
    auto server = RunningServer::start(scratch.path(), flags);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    load.check(**server);
    load.run(**server, rng.below(120));
  }
  auto server = RunningServer::start(scratch.path(), flags);
  ASSERT_TRUE(server.has_value()) << server.error().message;
  load.check(**server);
}

}  // namespace
}  // namespace fixpoint
