// SPDX-License-Identifier: Apache-2.0
//
// Process: one running operator: what its caches know, what is on its way to them, and the
// ControllerCore that ships. A value; World copies one before it changes it.
//
// Each watch has its own lag: `pending` is what the server has told and the cache has not yet
// heard, in order. A process that has just started is not connected: it knows nothing, and starts
// no pass.
#pragma once

#include "base/ref.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/controller_core.h"
#include "runtime/guard/object_guard.h"
#include "verify/world/digest.h"
#include "verify/world/fault.h"
#include "verify/world/server.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::verify::world {

struct News {
  client::EventType type = client::EventType::Added;
  json::Value object;

  bool same_as(const News& other) const {
    return type == other.type && object.view().same_as(other.object);
  }
};

struct Followed {
  runtime::Contents contents;
  std::vector<News> pending;
  std::optional<News> last;  // what was delivered last: it may come once more
  DigestRef digest;          // of all that; null until the process is complete
  bool served = true;        // false: the cluster does not have this kind

  // Surely: one is a copy of the other, and nothing happened to either since.
  bool untouched_since(const Followed& earlier) const;
};

// The rules of the runtime that this process lacks, and how its operator is driven.
struct ProcessSetup {
  const runtime::Operator* reconciler = nullptr;
  runtime::Rules rules;
  const std::optional<runtime::GuardSettings>& guard;
  apiserver::Weakness weakness = apiserver::Weakness::None;  // of the server
};

// What all processes of a world have in common.
class Blueprint {
 public:
  Blueprint(const ProcessSetup& setup, store::Store& store);

  const runtime::Declaration& declaration() const { return reconciler_->declaration(); }
  const runtime::Operator& reconciler() const { return *reconciler_; }
  const runtime::Rules& rules() const { return rules_; }
  apiserver::Weakness weakness() const { return weakness_; }
  const std::vector<runtime::Watch>& watches() const { return declaration().watches; }
  // The operator can do without the kind, which this cluster had at the beginning.
  bool may_go(std::size_t watch) const { return watches()[watch].optional && filters_[watch]; }
  // What the watch tells of a change, cut as the cache keeps it.
  std::optional<News> news(std::size_t watch, const store::Event& event) const;
  runtime::ControllerCore core() const { return core_; }
  std::vector<Followed> follows() const { return follows_; }
  // As a process has it that has just started: what the last one knew is lost, except for the marks
  // on the objects.
  const std::optional<runtime::ObjectGuard>& guard() const { return guard_; }
  client::ListCall list_call(std::size_t watch) const;
  // Among all of the program: processes of two blueprints have nothing in common.
  std::uint64_t serial() const { return serial_; }

 private:
  std::optional<News> news_afresh(std::size_t watch, const store::Event& event) const;

  std::uint64_t serial_;
  const runtime::Operator* reconciler_;
  runtime::Rules rules_;
  apiserver::Weakness weakness_;
  runtime::ControllerCore core_;
  std::vector<Followed> follows_;
  std::optional<runtime::ObjectGuard> guard_;
  std::vector<std::optional<apiserver::Watch>> filters_;  // nothing: the kind is not served
  std::vector<std::shared_ptr<const json::Shape>> shapes_;
};

struct Process final : RefCounted {
  explicit Process(const Blueprint& blueprint)
      : core(blueprint.core()),
        follows(blueprint.follows()),
        guard(blueprint.guard()),
        blueprint_serial(blueprint.serial()) {}

  runtime::ControllerCore core;
  std::vector<Followed> follows;
  std::optional<runtime::ObjectGuard> guard;
  std::uint64_t blueprint_serial;
  bool connected = false;
  // Of one that is part of a state, and never changes again (moves.h).
  DigestRef digest;
  std::uint64_t serial = 0;

  const runtime::Contents* find(const kube::GroupVersionKind& kind) const;
  // When a pass is due. As its core says, except that timers which nobody waits for any more do not
  // count: they are no part of what a process is.
  std::optional<MonotonicInstant> next_due() const;
  // A pass is due, and another may run: fewer than `passes` do, or than the operator declares.
  bool can_begin(MonotonicInstant now, std::uint8_t passes) const;
  // The pass of that number among those that run.
  const runtime::Pass* pass(std::size_t index) const;
};

// Drives a process that is being changed; `leads` is what its fence says meanwhile.
class Driver {
 public:
  Driver(const Blueprint& blueprint, Process& process, MonotonicInstant now, bool leads);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Lists every kind, each as its store has it, and follows it up to `now_store`.
  void connect(const std::vector<store::Store*>& stores, const store::Store& now_store);
  void deliver(std::size_t watch);
  void repeat(std::size_t watch);
  // The watch broke and its history is gone: everything is listed again.
  void relist(std::size_t watch, store::Store& store);
  // Whether the next of its news would tell the cache nothing.
  bool is_echo(std::size_t watch) const;

  using Ended = std::optional<runtime::ControllerCore::Ended>;
  Ended begin();
  Ended answer(std::size_t pass, runtime::EffectId effect, runtime::EffectReply reply);
  Ended abort(std::size_t pass, runtime::StepFailure why);

 private:
  void hear(std::size_t watch, const News& news);
  void list(std::size_t watch, store::Store& store);
  void tell(std::size_t watch, const std::vector<runtime::Change>& changes);
  void tell_own_changes();
  Ended drive(runtime::ControllerCore::PassId id);
  runtime::Times times() const { return {Server::moment(), now_}; }

  const Blueprint& blueprint_;
  Process& process_;
  MonotonicInstant now_;
};

// Everything about a cache and its news, and about a process whose caches have their digests, that
// decides about the future (digest.h).
Digest digest_of(const Followed& followed);
Digest digest_of(const Process& process);
// Everything about an answer that a process can tell, to the last digit.
Hash128 exact_hash_of(const runtime::EffectReply& reply);

}  // namespace fixpoint::verify::world
