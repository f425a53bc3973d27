// SPDX-License-Identifier: Apache-2.0
//
// Properties: what is asked of a model.
//
//   Properties<Elevator> all;
//   all.never("moves-open", [](const auto& s) { return s.moving && s.open; });
//   all.leads_to("arrives", called_to<3>, is_at<3>);
//
// Safety (always, never, on_transition, only_transitions) is checked on every state and transition
// and breaks with a shortest path. Liveness (leads_to, eventually_stable, quiescent) is about runs
// that go on for ever under the fairness of the model's actors, and breaks with a path and a loop;
// bounded is about all of them, fair or not. A run that stops is one that does nothing for ever. A
// `when` that never came true makes the verdict vacuous, which counts as a failure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::verify {

enum class PropertyKind : std::uint8_t {
  Always,
  Never,
  OnTransition,
  OnlyTransitions,
  Sometimes,
  LeadsTo,
  EventuallyStable,
  Quiescent,
  Bounded,
};

std::string_view to_string(PropertyKind kind);
// Whether the whole graph must be kept to answer it.
bool needs_graph(PropertyKind kind);

// A life cycle: phases by index. Anything not listed must not happen; staying is always allowed,
// and so is vanishing.
struct PhaseTable {
  std::vector<std::string> names;
  std::vector<int> first;                    // the phases in which a life may begin
  std::vector<std::pair<int, int>> allowed;  // from, to
};

// What a step costs, for `bounded`.
struct Work {
  std::uint8_t rounds = 0;
  std::uint8_t writes = 0;
};

// The largest sums that are allowed on any path.
struct WorkLimit {
  std::uint32_t rounds = 0;
  std::uint32_t writes = 0;
};

template <class M>
struct Property {
  using State = typename M::State;
  using Action = typename M::Action;
  using OnState = std::function<bool(const State&)>;
  using OnStep = std::function<bool(const State& before, const Action&, const State& after)>;
  using PhaseOf = std::function<std::optional<int>(const State&)>;
  using WorkOf = std::function<Work(const State& before, const Action&, const State& after)>;

  PropertyKind kind = PropertyKind::Always;
  std::string name;
  // Which of these are set depends on the kind; Properties' functions say how they are read.
  OnState when = {};
  OnState holds = {};
  OnStep step_when = {};
  OnStep step_holds = {};
  PhaseTable table = {};
  PhaseOf phase = {};
  WorkOf work = {};
  WorkLimit limit = {};
};

template <class M>
class Properties {
 public:
  using OnState = typename Property<M>::OnState;
  using OnStep = typename Property<M>::OnStep;

  // `holds` in every state (in which `when`).
  void always(std::string_view name, OnState holds, OnState when = {}) {
    all_.push_back({.kind = PropertyKind::Always,
                    .name = std::string{name},
                    .when = std::move(when),
                    .holds = std::move(holds)});
  }
  // In no state.
  void never(std::string_view name, OnState holds) {
    all_.push_back(
        {.kind = PropertyKind::Never, .name = std::string{name}, .holds = std::move(holds)});
  }
  // `holds` for every transition (for which `when`).
  void on_transition(std::string_view name, OnStep holds, OnStep when = {}) {
    all_.push_back({.kind = PropertyKind::OnTransition,
                    .name = std::string{name},
                    .step_when = std::move(when),
                    .step_holds = std::move(holds)});
  }
  // `phase` moves only as the table says; no phase means that there is nothing to have one.
  void only_transitions(std::string_view name, const PhaseTable& table,
                        typename Property<M>::PhaseOf phase) {
    all_.push_back({.kind = PropertyKind::OnlyTransitions,
                    .name = std::string{name},
                    .table = table,
                    .phase = std::move(phase)});
  }
  // In at least one reachable state. Coverage: what never happens has not been tested.
  void sometimes(std::string_view name, OnState holds) {
    all_.push_back(
        {.kind = PropertyKind::Sometimes, .name = std::string{name}, .holds = std::move(holds)});
  }
  // On at least one transition.
  void sometimes_step(std::string_view name, OnStep holds) {
    all_.push_back({.kind = PropertyKind::Sometimes,
                    .name = std::string{name},
                    .step_holds = std::move(holds)});
  }
  // After each state in which `when` there comes (or it already is) one in which `holds`.
  void leads_to(std::string_view name, OnState when, OnState holds) {
    all_.push_back({.kind = PropertyKind::LeadsTo,
                    .name = std::string{name},
                    .when = std::move(when),
                    .holds = std::move(holds)});
  }
  // If from some moment on `when` for ever, then from some moment on `holds` for ever.
  void eventually_stable(std::string_view name, OnState when, OnState holds) {
    all_.push_back({.kind = PropertyKind::EventuallyStable,
                    .name = std::string{name},
                    .when = std::move(when),
                    .holds = std::move(holds)});
  }
  // If from some moment on `when` for ever, then from some moment on no step is `busy` any more.
  void quiescent(std::string_view name, OnState when, OnStep busy) {
    all_.push_back({.kind = PropertyKind::Quiescent,
                    .name = std::string{name},
                    .when = std::move(when),
                    .step_holds = std::move(busy)});
  }
  // The work of the steps taken between states in which `when` never sums up to more than the
  // limit, however the run is scheduled. A loop with work in it exceeds every limit: also a fair
  // run may go round it any number of times before it leaves.
  void bounded(std::string_view name, OnState when, typename Property<M>::WorkOf work,
               WorkLimit limit) {
    all_.push_back({.kind = PropertyKind::Bounded,
                    .name = std::string{name},
                    .when = std::move(when),
                    .work = std::move(work),
                    .limit = limit});
  }

  const std::vector<Property<M>>& all() const { return all_; }

 private:
  std::vector<Property<M>> all_;
};

}  // namespace fixpoint::verify
