// SPDX-License-Identifier: Apache-2.0
//
// Wars, fought out against the real API semantics on virtual time: an opponent edits, the operator
// reacts at once, and what is counted is what the cluster saw.
#pragma once

#include "apiserver/api_fixture.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "runtime/guard/guard.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace fixpoint::runtime {

inline constexpr std::string_view kPath = "/api/v1/namespaces/ns/configmaps/web";
inline constexpr std::string_view kDaemonPath = "/apis/apps/v1/namespaces/ns/daemonsets/web";
inline constexpr std::string_view kManager = "fixpoint-web";

class GuardWarTest : public apiserver::ApiFixture {
 protected:
  GuardWarTest() { settings_.by = "web"; }

  GuardTime now() const { return {.steady = clock_.monotonic(), .wall = clock_.wall() + wall_}; }
  Duration elapsed() const { return clock_.monotonic() - began_; }

  json::Value live() {
    auto answer = get(path_);
    return answer.code == 200 ? answer.body : json::Value{};
  }

  PauseMarks marks() {
    const auto object = live();
    return pause_marks(object, settings_.names);
  }
  void unmark() {
    const auto body = unmark_patch(settings_.names, "");
    patch(path_, json::to_text(body));
  }
  bool converged() {
    const auto object = live();
    return as_wanted(object);
  }

  // The operator's pass over its one object, as the executor does it.
  void react() {
    ++passes_;
    again_.reset();
    auto object = live();
    Sighting sighting = Sighting::Cached;
    for (int asked = 0; asked < 8; ++asked) {
      const bool drift = object.is_null() || !as_wanted(object);
      const Sight sight{.key = key_,
                        .primary = primary_,
                        .live = object,
                        .desired = desired_,
                        .desired_hash = desired_.hash(),
                        .sighting = sighting};
      const auto verdict = drift ? guard_->judge(sight, now()) : guard_->unchanged(sight, now());
      paused_ = verdict.kind == GuardVerdict::Kind::Paused;
      if (verdict.wait > Duration::zero()) again_ = clock_.monotonic() + verdict.wait;
      if (verdict.kind == GuardVerdict::Kind::Paused ||
          verdict.kind == GuardVerdict::Kind::Throttled)
        return drain();
      if (verdict.kind == GuardVerdict::Kind::Allowed) {
        if (drift) write(sight);
        return drain();
      }
      if (verdict.kind == GuardVerdict::Kind::Mark && !mark(verdict)) return drain();
      object = live();
      sighting = Sighting::Fresh;
    }
    FAIL() << "the guard never comes to an end";
  }
  bool mark(const GuardVerdict& verdict) {
    if (marks_fail_) return false;
    const auto answer = patch(path_, json::to_text(verdict.patch), "application/merge-patch+json",
                              "fieldManager=fixpoint-guard");
    EXPECT_EQ(answer.code, 200) << message(answer);
    ++marks_;
    guard_->marked(key_, answer.body, now());
    return true;
  }
  void write(const Sight& sight) {
    const auto answer = apply(path_, json::to_text(desired_), kManager, true);
    EXPECT_LE(answer.code, 201) << message(answer);
    ++applies_;
    auto returned = answer.body;
    if (mutate_) returned = mutate_();
    guard_->applied(sight, returned, now());
  }
  bool as_wanted(json::View object) const {
    for (const auto [key, value] : desired_.get("data").members()) {
      if (!(object.get("data", key) == value)) return false;
    }
    return desired_.get("kind").as_string() != "DaemonSet" ||
           object.get("metadata", "labels", "color") == desired_.get("metadata", "labels", "color");
  }
  void drain() {
    for (auto& notice : guard_->take_notices()) {
      if (notice.only_counted) continue;
      ++notices_[notice.reason];
      last_[notice.reason] = notice.note;
      if (notice.reason == "ThrashingDetected" || notice.reason == "NonConvergent") {
        paused_at_ = elapsed();
      }
    }
  }

  // Edits at these times until `until`, the operator reacting to each and to its own timers.
  void fight(Duration period, const std::function<void(int)>& edit, Duration until) {
    const auto start = clock_.monotonic();
    const auto end = start + until;
    for (int i = 0; start + period * i <= end && !paused_at_; ++i) {
      wait_until(start + period * i);
      edit(i);
      react();
    }
    if (!paused_at_) wait_until(end);
  }
  void wait_until(MonotonicInstant at) {
    while (again_ && *again_ <= at) {
      clock_.advance(*again_ - clock_.monotonic());
      react();
    }
    clock_.advance(at - clock_.monotonic());
  }
  void wait(Duration by) { wait_until(clock_.monotonic() + by); }

  void edit(std::string_view value, std::string_view manager = "kubectl-edit") {
    patch(path_, R"({"data":{"color":")" + std::string{value} + R"("}})",
          "application/merge-patch+json", "fieldManager=" + std::string{manager});
  }
  void want(std::string_view color) {
    desired_ = *json::parse(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"ns"},
            "data":{"color":")" +
        std::string{color} + R"(","size":"3"}})");
  }
  void begin() {
    react();
    applies_ = 0;
    began_ = clock_.monotonic();
    // The first apply took a token; wars are described with a full bucket.
    wait(std::chrono::minutes(30));
    began_ = clock_.monotonic();
  }
  const std::function<void(int)> same_ = [this](int) { edit("red"); };
  const std::function<void(int)> varied_ = [this](int i) { edit("red-" + std::to_string(i)); };

  GuardSettings settings_;
  std::unique_ptr<Guard> guard_ = std::make_unique<Guard>([this] {
    settings_.by = "web";
    return settings_;
  }());
  ManagedKey key_{
      .kind = {"", "ConfigMap"},
        .key = {"ns", "web"},
        .manager = std::string{kManager}
  };
  std::string_view path_ = kPath;
  json::Value primary_;
  json::Value desired_ = *json::parse(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"ns"},
          "data":{"color":"blue","size":"3"}})");
  std::function<json::Value()> mutate_;
  MonotonicInstant began_{};
  Duration wall_{};
  std::optional<MonotonicInstant> again_;
  std::optional<Duration> paused_at_;
  bool paused_ = false;
  bool marks_fail_ = false;
  int applies_ = 0;
  int marks_ = 0;
  int passes_ = 0;
  std::map<std::string, int> notices_;
  std::map<std::string, std::string> last_;
};

}  // namespace fixpoint::runtime
