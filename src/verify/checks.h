// SPDX-License-Identifier: Apache-2.0
//
// Checks: a model's properties, sorted by when they are asked: of states, of steps, or of the
// graph.
//
// Findings are what one piece of the exploration learned about them; pieces are put together in
// their order, so that the first violation is the same whoever found it.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "verify/liveness/graph.h"
#include "verify/liveness/judge.h"
#include "verify/property.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::verify {

inline constexpr std::uint32_t kNotKnown = ~std::uint32_t{0};

// Where a safety property broke: a state that was reached from another one, or an initial one.
struct Breach {
  std::optional<Hash128> before;
  Node before_node = kNoNode;  // when the graph is kept
  Hash128 after;
  std::uint32_t steps_before = kNotKnown;  // from the initial state to `before`
};

struct Findings {
  // By property.
  std::vector<std::uint8_t> premise;  // `when` came true
  std::vector<std::uint8_t> met;      // a `sometimes` happened
  std::vector<std::optional<Breach>> breach;
  std::vector<std::vector<std::uint8_t>> rows;  // phase changes that happened, from * phases + to

  void reset(std::size_t properties);
  // Adds what was found later in order.
  void absorb(const Findings& later);
};

// "never taken: Ready -> Failed": the lines of the table that nothing has tested.
std::string rows_not_taken(const PhaseTable& table, const std::vector<std::uint8_t>& taken);

template <class M>
class Checks {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;
  explicit Checks(Properties<M> properties) : properties_(std::move(properties)) {
    for (std::size_t i = 0; i < size(); ++i) sort(i);
    FP_CHECK(node_bits_.size() <= kNodeBitsMax);
    FP_CHECK(marks_.size() <= kEdgeMarksMax);
  }

  std::size_t size() const { return properties_.all().size(); }
  const Property<M>& operator[](std::size_t index) const { return properties_.all()[index]; }
  bool wants_graph() const { return !questions_.empty(); }
  bool asks_steps() const { return !of_steps_.empty(); }
  const std::vector<Question>& questions() const { return questions_; }
  std::size_t works() const { return works_.size(); }

  // `breach` is asked for only when there is one.
  template <class MakeBreach>
  void ask_state(const State& state, Findings& into, const MakeBreach& breach) const {
    for (const std::size_t i : of_states_) {
      const Property<M>& property = (*this)[i];
      if (property.kind == PropertyKind::Sometimes) {
        if (into.met[i] == 0 && property.holds(state)) into.met[i] = 1;
        continue;
      }
      if (property.when && !property.when(state)) continue;
      into.premise[i] = 1;
      const bool bad = property.holds(state) == (property.kind == PropertyKind::Never);
      if (bad && !into.breach[i]) into.breach[i] = breach();
    }
  }

  template <class MakeBreach>
  void ask_step(const State& before, const Action& action, const State& after, Findings& into,
                const MakeBreach& breach) const {
    for (const std::size_t i : of_steps_) {
      const Property<M>& property = (*this)[i];
      bool bad = false;
      if (property.kind == PropertyKind::Sometimes) {
        if (into.met[i] == 0 && property.step_holds(before, action, after)) into.met[i] = 1;
      } else if (property.kind == PropertyKind::OnlyTransitions) {
        bad = !allows(i, property.phase(before), property.phase(after), into);
      } else if (!property.step_when || property.step_when(before, action, after)) {
        into.premise[i] = 1;
        bad = !property.step_holds(before, action, after);
      }
      if (bad && !into.breach[i]) into.breach[i] = breach();
    }
  }

  std::uint64_t node_bits(const State& state) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < node_bits_.size(); ++i) {
      if ((*node_bits_[i])(state)) bits |= std::uint64_t{1} << i;
    }
    return bits;
  }
  std::uint8_t edge_marks(const State& before, const Action& action, const State& after) const {
    std::uint8_t marks = 0;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if ((*marks_[i])(before, action, after)) marks = static_cast<std::uint8_t>(marks | 1U << i);
    }
    return marks;
  }
  Work work(std::size_t index, const State& before, const Action& action,
            const State& after) const {
    return (*works_[index])(before, action, after);
  }

 private:
  using OnState = typename Property<M>::OnState;
  using OnStep = typename Property<M>::OnStep;
  using WorkOf = typename Property<M>::WorkOf;

  void sort(std::size_t index) {
    const Property<M>& property = (*this)[index];
    tables_.emplace_back();
    if (needs_graph(property.kind)) return sort_question(index);
    if (property.kind == PropertyKind::OnlyTransitions) tables_.back() = matrix(property.table);
    (property.holds ? of_states_ : of_steps_).push_back(index);
  }

  void sort_question(std::size_t index) {
    const Property<M>& property = (*this)[index];
    Question question{.property = index, .kind = property.kind, .limit = property.limit};
    question.when = bit_of(property.when);
    question.holds = bit_of(property.holds);
    if (property.step_holds) {
      question.mark = static_cast<std::uint8_t>(1U << marks_.size());
      marks_.push_back(&property.step_holds);
    }
    if (property.work) {
      question.work = works_.size();
      works_.push_back(&property.work);
    }
    questions_.push_back(question);
  }

  // No predicate is one that always holds, and needs no bit.
  std::uint64_t bit_of(const OnState& predicate) {
    if (!predicate) return 0;
    node_bits_.push_back(&predicate);
    return std::uint64_t{1} << (node_bits_.size() - 1);
  }

  static std::vector<std::uint8_t> matrix(const PhaseTable& table) {
    const std::size_t phases = table.names.size();
    std::vector<std::uint8_t> allowed(phases * phases, 0);
    for (std::size_t i = 0; i < phases; ++i) allowed[i * phases + i] = 1;
    for (const auto& [from, to] : table.allowed) {
      allowed[static_cast<std::size_t>(from) * phases + static_cast<std::size_t>(to)] = 1;
    }
    return allowed;
  }

  bool allows(std::size_t index, std::optional<int> from, std::optional<int> to,
              Findings& into) const {
    if (!to || from == to) return true;
    const PhaseTable& table = (*this)[index].table;
    into.premise[index] = 1;
    if (!from) return std::ranges::find(table.first, *to) != table.first.end();
    const std::size_t row =
        static_cast<std::size_t>(*from) * table.names.size() + static_cast<std::size_t>(*to);
    auto& rows = into.rows[index];
    if (rows.size() < tables_[index].size()) rows.resize(tables_[index].size(), 0);
    rows[row] = 1;
    return tables_[index][row] != 0;
  }

  Properties<M> properties_;
  std::vector<std::size_t> of_states_;
  std::vector<std::size_t> of_steps_;
  std::vector<std::vector<std::uint8_t>> tables_;  // by property
  std::vector<Question> questions_;
  std::vector<const OnState*> node_bits_;
  std::vector<const OnStep*> marks_;
  std::vector<const WorkOf*> works_;
};

}  // namespace fixpoint::verify
