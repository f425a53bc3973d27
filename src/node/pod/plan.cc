// SPDX-License-Identifier: Apache-2.0
#include "node/pod/plan.h"

#include "base/rfc3339.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <utility>

namespace fixpoint::node {
namespace {

using std::chrono::seconds;

// Sidecars come last and get at least this, however long the others took.
constexpr Duration kSidecarGraceMin = seconds(2);
constexpr Duration kDefaultGrace = seconds(30);
// Whoever fills the node's disk has to go at once; a kubelet gives it as much.
constexpr Duration kEvictionGrace = seconds(1);

bool succeeded(const ContainerFacts& container) {
  return container.state == State::Exited && container.exit && container.exit->code == 0;
}

std::string_view policy_of(const PodFacts& facts) {
  return facts.pod.get("spec", "restartPolicy").as_string("Always");
}

bool regular_ever_ran(const PodFacts& facts) {
  return std::ranges::any_of(facts.containers, [](const ContainerFacts& container) {
    return container.role == Role::Regular &&
           (container.active() || container.exit || container.previous || container.restarts > 0);
  });
}

void sooner(std::optional<Instant>& again, Instant at) {
  if (!again || at < *again) again = at;
}

// An init container ended in a way that ends the pod.
bool init_failed(const PodFacts& facts) {
  return std::ranges::any_of(facts.containers, [&](const ContainerFacts& container) {
    return container.role == Role::Init && container.state == State::Exited &&
           !succeeded(container) && !restarts(facts, container);
  });
}

bool all_regular_done(const PodFacts& facts) {
  return std::ranges::all_of(facts.containers, [&](const ContainerFacts& container) {
    return container.role != Role::Regular ||
           (container.state == State::Exited && !restarts(facts, container));
  });
}

bool was_terminal(const PodFacts& facts) {
  const auto phase = facts.pod.get("status", "phase").as_string();
  return phase == "Failed" || phase == "Succeeded";
}

std::optional<Instant> deadline_of(const PodFacts& facts) {
  const json::View limit = facts.pod.get("spec", "activeDeadlineSeconds");
  if (!limit.is_int() || !facts.acknowledged) return std::nullopt;
  return *facts.acknowledged + seconds(limit.as_int());
}

Duration grace_of(const PodFacts& facts, const ContainerFacts& container) {
  // What a probe asks for when it has a container restarted.
  if (!container.unhealthy.empty()) {
    const json::View spec = container_spec(facts.pod, container.name);
    for (const std::string_view probe : {"livenessProbe", "startupProbe"}) {
      const json::View own = spec.get(probe, "terminationGracePeriodSeconds");
      if (own.is_int()) return seconds(own.as_int());
    }
  }
  if (!facts.over_storage.empty()) return kEvictionGrace;
  if (const auto deletion = kube::deletion_grace_seconds_of(facts.pod)) return seconds(*deletion);
  const json::View spec = facts.pod.get("spec", "terminationGracePeriodSeconds");
  return spec.is_int() ? seconds(spec.as_int()) : kDefaultGrace;
}

class Decider {
 public:
  Decider(const PodFacts& facts, Instant now) : facts_(facts), now_(now) {}

  PodPlan run() {
    const auto deadline = deadline_of(facts_);
    if (deadline && *deadline <= now_ && !was_terminal(facts_)) {
      plan_.failure = Waiting{"DeadlineExceeded",
                              "Pod was active on the node longer than the specified deadline"};
    } else if (deadline && !was_terminal(facts_)) {
      sooner(plan_.again, *deadline);
    }
    if (!facts_.over_storage.empty() && !was_terminal(facts_)) {
      plan_.failure = Waiting{"Evicted", facts_.over_storage};
    }
    plan_.ending = facts_.gone || kube::being_deleted(facts_.pod) || was_terminal(facts_) ||
                   plan_.failure || init_failed(facts_) || all_regular_done(facts_);
    if (plan_.ending) {
      end_all();
    } else {
      run_all();
    }
    return std::move(plan_);
  }

 private:
  void end_all() {
    const auto active = [](const ContainerFacts& container) { return container.active(); };
    plan_.ended = std::ranges::none_of(facts_.containers, active);
    bool others_run = false;
    for (std::size_t i = 0; i < facts_.containers.size(); ++i) {
      const auto& container = facts_.containers[i];
      if (!container.active() || container.role == Role::Sidecar) continue;
      others_run = true;
      stop(i, grace_of(facts_, container));
    }
    if (others_run) return;
    for (std::size_t i = facts_.containers.size(); i-- > 0;) {
      const auto& container = facts_.containers[i];
      if (!container.active()) continue;
      const Duration used = facts_.ending_since ? now_ - *facts_.ending_since : Duration{};
      return stop(i, std::max(grace_of(facts_, container) - used, kSidecarGraceMin));
    }
  }

  void stop(std::size_t index, Duration grace) {
    const auto& container = facts_.containers[index];
    if (container.stopping) return;
    const std::string message =
        container.unhealthy.empty() ? "Stopping container " + container.name : container.unhealthy;
    plan_.stop.push_back({.container = index, .message = message, .grace = grace});
  }

  void run_all() {
    for (std::size_t i = 0; i < facts_.containers.size(); ++i) {
      const auto& container = facts_.containers[i];
      if (container.active() && !container.unhealthy.empty()) stop(i, grace_of(facts_, container));
    }
    if (!facts_.prepared) return;
    const bool ran = regular_ever_ran(facts_);
    for (std::size_t i = 0; i < facts_.containers.size(); ++i) {
      const auto& container = facts_.containers[i];
      switch (container.role) {
        case Role::Init:
          if (ran || succeeded(container)) break;
          want(i);
          return;
        case Role::Sidecar:
          want(i);
          if (!ran && !container.started()) return;
          break;
        case Role::Regular: want(i); break;
      }
    }
  }

  // It should run: start it, or wait for its time.
  void want(std::size_t index) {
    const auto& container = facts_.containers[index];
    if (container.active()) return;
    if (container.state == State::Exited && !restarts(facts_, container)) return;
    if (const auto until = backing_off_until(facts_, container, now_)) {
      plan_.backing_off.push_back(index);
      return sooner(plan_.again, *until);
    }
    if (container.retry_at && *container.retry_at > now_) {
      return sooner(plan_.again, *container.retry_at);
    }
    plan_.start.push_back(index);
  }

  const PodFacts& facts_;
  Instant now_;
  PodPlan plan_;
};

}  // namespace

bool restarts(const PodFacts& facts, const ContainerFacts& container) {
  if (container.role == Role::Sidecar) return true;
  if (!container.exit) return true;
  const auto policy = policy_of(facts);
  if (policy == "Never") return false;
  const bool ok = container.exit->code == 0;
  return container.role == Role::Regular && policy == "Always" ? true : !ok;
}

std::optional<Instant> backing_off_until(const PodFacts& facts, const ContainerFacts& container,
                                         Instant now) {
  if (container.state != State::Exited || !container.exit || !container.exit->finished) return {};
  if (!restarts(facts, container)) return {};
  const Instant until =
      *container.exit->finished + container.backoff.wait_after(*container.exit->finished);
  if (until <= now) return {};
  return until;
}

bool initialized(const PodFacts& facts) {
  if (regular_ever_ran(facts)) return true;
  return std::ranges::all_of(facts.containers, [](const ContainerFacts& container) {
    if (container.role == Role::Init) return succeeded(container);
    return container.role != Role::Sidecar || container.started();
  });
}

PodPlan decide(const PodFacts& facts, Instant now) {
  return Decider(facts, now).run();
}

}  // namespace fixpoint::node
