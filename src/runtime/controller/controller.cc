// SPDX-License-Identifier: Apache-2.0
//
// Turns of the loop: start what is due, carry out what is wanted, come back when answered.
#include "runtime/controller/controller.h"

#include "base/error.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

// Passes of one turn; between turns the loop reads sockets. A pass that does nothing takes about a
// microsecond.
constexpr int kPassesPerTurn = 512;

ControllerCore::Setup core_setup(const Controller::Setup& setup) {
  FP_CHECK(setup.reconciler != nullptr && setup.client != nullptr && setup.cache != nullptr &&
           setup.scheduler != nullptr && setup.workers != nullptr);
  const std::string& name = setup.reconciler->declaration().name;
  ControllerCore::Setup made{
      .settings = {},
      .queue = setup.queue,
      .source = {.controller = name, .instance = setup.identity},
      .rng = setup.rng
  };
  if (made.source.instance.empty()) made.source.instance = name;
  made.queue.one_pass_per_key = setup.rules.on(Rule::OnePassPerKey);
  made.settings.reconciler = setup.reconciler;
  made.settings.field_manager =
      setup.field_manager.empty() ? "fixpoint-" + name : setup.field_manager;
  made.settings.rules = setup.rules;
  made.settings.guard = setup.guard;
  made.settings.fence = setup.fence;
  return made;
}

Result<json::Value> no_outside() {
  return fail(ErrorKind::Internal, "the operator was given no access to the world outside");
}

}  // namespace

Controller::Controller(Setup setup) : setup_(std::move(setup)), core_(core_setup(setup_)) {}

Controller::~Controller() {
  *alive_ = false;
  setup_.scheduler->cancel(turn_timer_);
  setup_.scheduler->cancel(due_timer_);
  for (const auto& [id, timer] : deadlines_) setup_.scheduler->cancel(timer);
}

// Callbacks that outlive the controller find it dead and do nothing.
template <class Argument, class Handle>
auto Controller::guarded(Handle handle) {
  return [alive = alive_, handle = std::move(handle)](Argument argument) mutable {
    if (*alive) handle(std::move(argument));
  };
}

void Controller::changed(const kube::GroupVersionKind& kind, std::span<const Change> changes) {
  const MonotonicInstant at = setup_.scheduler->now();
  for (const Watch& watch : declaration().watches) {
    if (watch.collection.resource.kind != kind) continue;
    for (const Change& change : changes) core_.changed(watch, change, *setup_.cache, at);
  }
  wake();
}

void Controller::look_at(const kube::Key& key) {
  core_.add(key, kFreshPriority, setup_.scheduler->now());
  wake();
}

void Controller::look_at_all() {
  core_.add_all(*setup_.cache, setup_.scheduler->now());
  wake();
}

void Controller::start_over() {
  core_.forget_versions();
  look_at_all();
}

void Controller::start() {
  started_ = true;
  wake();
}

void Controller::stop(std::move_only_function<void()> done) {
  started_ = false;
  if (core_.running() == 0) return done();
  stopped_ = std::move(done);
}

void Controller::wake() {
  if (!started_ || turn_timer_ != 0) return;
  turn_timer_ = setup_.scheduler->after(Duration::zero(), [this, alive = alive_] {
    if (!*alive) return;
    turn_timer_ = 0;
    turn();
  });
}

void Controller::arm() {
  const auto due = core_.next_due();
  if (!started_ || !due) return;
  const MonotonicInstant at = setup_.scheduler->now();
  if (*due <= at) return wake();
  if (due_timer_ != 0 && due_at_ <= *due) return;
  setup_.scheduler->cancel(due_timer_);
  due_at_ = *due;
  due_timer_ = setup_.scheduler->after(*due - at, [this, alive = alive_] {
    if (!*alive) return;
    due_timer_ = 0;
    turn();
  });
}

void Controller::turn() {
  for (int pass = 0; pass < kPassesPerTurn && started_; ++pass) {
    const auto started = core_.start(*setup_.cache, now());
    if (!started) {
      // Full: whoever ends a pass wakes us. Nothing due: a timer or a change does.
      if (core_.running() < static_cast<std::size_t>(std::max(declaration().concurrency, 1))) arm();
      return;
    }
    if (setup_.listener != nullptr) {
      setup_.listener->pass_began(*started, core_.key_of(started->id));
    }
    drive(started->id);
  }
  wake();
}

void Controller::drive(PassId id) {
  auto effects = core_.take_effects(id);
  if (effects.empty()) {
    if (const auto over = core_.settle(id, now())) ended(*over);
    return;
  }
  watch_deadline(id);
  for (Effect& effect : effects) carry_out(id, std::move(effect));
}

void Controller::carry_out(PassId id, Effect effect) {
  const EffectId number = effect.id;
  const auto back = [this, id, number](auto reply) {
    answered(id, number, EffectReply{std::move(reply)});
  };
  if (auto* api = std::get_if<ApiEffect>(&effect.what)) {
    setup_.client->call(std::move(api->call), guarded<client::Reply>(back));
  } else if (auto* list = std::get_if<ListEffect>(&effect.what)) {
    setup_.client->list(std::move(list->call), guarded<client::PageReply>(back));
  } else if (auto* resolve = std::get_if<ResolveEffect>(&effect.what)) {
    setup_.client->resolve(std::move(resolve->kind),
                           guarded<std::expected<client::Resource, client::CallError>>(back));
  } else if (auto* probe = std::get_if<ProbeEffect>(&effect.what)) {
    ask(id, number, std::move(probe->probe));
  } else {
    auto& step = std::get<OutsideEffect>(effect.what).step;
    const Duration deadline = step.deadline;
    setup_.workers->run(
        deadline,
        [outside = setup_.outside, done = std::move(step)] {
          return outside == nullptr ? no_outside() : outside->perform(done);
        },
        guarded<Result<json::Value>>(back));
  }
}

void Controller::ask(PassId id, EffectId effect, Probe probe) {
  const auto now = setup_.scheduler->now();
  if (const auto* known = carried_.find(core_.key_of(id), probe, now)) {
    // Later on the loop, as every answer comes.
    setup_.scheduler->after(Duration::zero(), [this, id, effect, answer = *known, alive = alive_] {
      if (*alive) answered(id, effect, EffectReply{answer});
    });
    return;
  }
  const Duration deadline = probe.deadline;
  auto work = [outside = setup_.outside, probe] {
    return outside == nullptr ? no_outside() : outside->probe(probe);
  };
  auto done = [this, id, effect, probe = std::move(probe)](Result<json::Value> answer) {
    if (core_.is_running(id)) carried_.told(id, probe, answer, setup_.scheduler->now());
    answered(id, effect, EffectReply{std::move(answer)});
  };
  setup_.workers->run(deadline, std::move(work), guarded<Result<json::Value>>(std::move(done)));
}

void Controller::answered(PassId id, EffectId effect, EffectReply reply) {
  if (!core_.is_running(id)) return;
  core_.answer(id, effect, std::move(reply), *setup_.cache, now());
  drive(id);
}

void Controller::watch_deadline(PassId id) {
  if (deadlines_.contains(id)) return;
  deadlines_[id] = setup_.scheduler->after(declaration().deadline, [this, id, alive = alive_] {
    if (!*alive || !core_.is_running(id)) return;
    core_.abort(id, {.reason = std::string{kDeadlineExceeded},
                     .message = fmt::format(
                         "the pass did not end within {} s",
                         std::chrono::duration<double>(declaration().deadline).count())});
    drive(id);
  });
}

void Controller::ended(const ControllerCore::Ended& over) {
  if (const auto found = deadlines_.find(over.id); found != deadlines_.end()) {
    setup_.scheduler->cancel(found->second);
    deadlines_.erase(found);
    // It was waited for: another may start in its place, and this one may be due again.
    wake();
  }
  carried_.ended(over);
  if (setup_.listener != nullptr) setup_.listener->pass_ended(over);
  send_events();
  if (!started_ && stopped_ && core_.running() == 0) std::exchange(stopped_, nullptr)();
}

void Controller::send_events() {
  if (setup_.fence != nullptr && !setup_.fence->held()) return;
  for (auto& outgoing : core_.events().take()) {
    setup_.client->call(
        std::move(outgoing.call),
        guarded<client::Reply>([this, series = outgoing.series](client::Reply reply) {
          core_.events().answered(series, reply);
        }));
  }
}

}  // namespace fixpoint::runtime
