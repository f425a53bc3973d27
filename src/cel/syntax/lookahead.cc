// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/lookahead.h"

#include <algorithm>
#include <map>

namespace fixpoint::cel {
namespace {

template <class Threads>
int only_alternative(const Threads& threads) {
  const auto first = threads[0].alternative;
  return std::ranges::all_of(threads, [&](const auto& each) { return each.alternative == first; })
             ? first
             : 0;
}

// The alternatives at each place: threads at the same one cannot be told apart any more.
template <class Threads>
auto by_place(const Threads& threads) {
  std::map<std::pair<int, const void*>, std::set<int>> places;
  for (const auto& each : threads) places[{each.state, each.stack}].insert(each.alternative);
  return places;
}

}  // namespace

Lookahead& Lookahead::of_this_thread() {
  thread_local Lookahead lookahead;
  return lookahead;
}

Decision Lookahead::decide(const Junction& junction, std::span<const Lexeme> words) {
  forget_too_much();
  junction_ = junction;
  const auto& state = grammar_.state(junction.state);
  binds_ = state.recursive && state.kind == StateKind::StarEntry;
  return decide_anywhere(words);
}

// Usual expressions need some hundred of either.
void Lookahead::forget_too_much() {
  constexpr std::size_t kKeptMax = 5'000;
  if (places_.size() < kKeptMax && stacks_.size() < kKeptMax) return;
  places_.clear();
  starts_.clear();
  known_.clear();
  stacks_.clear();
  bottom_ = made({{{kBottom, nullptr}}});
}

int Lookahead::start_place() {
  const auto [at, fresh] =
      starts_.try_emplace({junction_.state, binds_ ? junction_.precedence : 0}, 0);
  if (fresh) {
    auto threads = start();
    if (binds_) threads = within_precedence(threads);
    at->second = place_of(std::move(threads));
  }
  return at->second;
}

int Lookahead::place_of(Threads threads) {
  const auto [at, fresh] = known_.try_emplace(threads, static_cast<int>(places_.size()));
  if (fresh) places_.push_back({.threads = std::move(threads), .steps = {}});
  return at->second;
}

Lookahead::Step Lookahead::step(int place, Token token) {
  auto& known = places_[static_cast<std::size_t>(place)].steps[static_cast<std::size_t>(token)];
  if (known.outcome != Outcome::Unknown) return known;
  auto reached = reach(places_[static_cast<std::size_t>(place)].threads, token);
  Step made{.outcome = Outcome::Dead};
  if (!reached.empty()) {
    if (const auto only = only_alternative(reached); only != 0) {
      made = {.outcome = Outcome::Decided, .value = only};
    } else if (conflict(reached)) {
      made = {.outcome = Outcome::Conflict};
    } else {
      made = {.outcome = Outcome::On, .value = place_of(std::move(reached))};
    }
  }
  known = made;
  return made;
}

Decision Lookahead::decide_anywhere(std::span<const Lexeme> words) {
  exact_ = false;
  auto place = start_place();
  for (std::size_t i = 0;;) {
    const auto token = words[i].token;
    const auto next = step(place, token);
    switch (next.outcome) {
      case Outcome::Decided: return {.alternative = next.value, .last = i};
      case Outcome::Conflict: {
        auto decision = decide_exactly(words);
        decision.last = std::max(decision.last, i);
        return decision;
      }
      case Outcome::On: place = next.value; break;
      default:
        return {.alternative = finished(places_[static_cast<std::size_t>(place)].threads),
                .offender = i,
                .last = i};
    }
    if (token != Token::End) ++i;
  }
}

Decision Lookahead::decide_exactly(std::span<const Lexeme> words) {
  exact_ = true;
  auto threads = start();
  for (std::size_t i = 0;;) {
    const auto token = words[i].token;
    auto reached = reach(threads, token);
    // Whoever gives up here points at the word it began with.
    if (reached.empty()) return {.alternative = finished(threads), .offender = 0, .last = i};
    if (const auto only = only_alternative(reached); only != 0) {
      return {.alternative = only, .last = i};
    }
    std::set<int> viable;
    for (const auto& [place, alternatives] : by_place(reached)) {
      viable.insert(*alternatives.begin());
    }
    if (viable.size() == 1) return {.alternative = *viable.begin(), .last = i};
    threads = std::move(reached);
    if (token != Token::End) ++i;
  }
}

Lookahead::Threads Lookahead::start() {
  const auto* stack = bottom_;
  if (exact_) {
    for (const auto top : junction_.stack) stack = made({{{top, stack}}});
  }
  Threads threads;
  int alternative = 0;
  for (const auto& edge : grammar_.state(junction_.state).edges) {
    Closure closure{.threads = std::move(threads), .passed = {}, .from_start = true};
    close({.state = edge.target, .alternative = ++alternative, .stack = stack}, 0, closure);
    threads = std::move(closure.threads);
  }
  return threads;
}

// What an operator to come may bind to is settled here: a thread that leaves the loop only to meet
// the same operator in a caller's is none of its own.
Lookahead::Threads Lookahead::within_precedence(const Threads& threads) const {
  Threads kept;
  std::map<int, const Stack*> inside;
  for (const auto& each : threads) {
    if (each.alternative != 1) continue;
    inside[each.state] = each.stack;
    kept.push_back(each);
  }
  for (const auto& each : threads) {
    if (each.alternative == 1) continue;
    const auto twin = inside.find(each.state);
    if (!each.beyond_precedence && twin != inside.end() && twin->second == each.stack) continue;
    kept.push_back(each);
  }
  return kept;
}

Lookahead::Threads Lookahead::reach(const Threads& from, Token token) {
  Threads next;
  Threads ended;
  for (const auto& thread : from) {
    if (stopped(thread)) {
      if (exact_ || token == Token::End) ended.push_back(thread);
      continue;
    }
    for (const auto& edge : grammar_.state(thread.state).edges) {
      if (edge.kind != EdgeKind::Word || !edge.words.has(token)) continue;
      auto moved = thread;
      moved.state = edge.target;
      add(next, moved);
    }
  }
  if (ended.empty() && token != Token::End && !next.empty() && only_alternative(next) != 0) {
    return next;
  }
  Closure closure{.threads = {}, .passed = {}, .at_end = token == Token::End};
  for (const auto& thread : next) close(thread, 0, closure);
  auto reached = std::move(closure.threads);
  if (token == Token::End) std::erase_if(reached, [&](const auto& each) { return !stopped(each); });
  if (!exact_ || std::ranges::none_of(reached, [&](const auto& each) { return stopped(each); })) {
    for (const auto& thread : ended) add(reached, thread);
  }
  return reached;
}

void Lookahead::close(const Thread& thread, int depth, Closure& into) {
  if (!stopped(thread)) return expand(thread, depth, into);
  for (const auto& [top, below] : thread.stack->tops) {
    if (top != kBottom) {
      auto back = thread;
      back.state = top;
      back.stack = below;
      back.beyond_precedence = false;
      close(back, depth, into);
    } else if (exact_) {
      auto last = thread;
      last.stack = bottom_;
      add(into.threads, last);
    } else {
      expand(thread, depth, into);
    }
  }
}

void Lookahead::expand(const Thread& thread, int depth, Closure& into) {
  const auto& state = grammar_.state(thread.state);
  if (state.edges.empty() || state.edges[0].kind == EdgeKind::Word) add(into.threads, thread);
  for (std::size_t i = 0; i < state.edges.size(); ++i) {
    const auto& edge = state.edges[i];
    if (i == 0 && repeats_outer_loop(thread)) continue;
    if (edge.kind == EdgeKind::Word && !(into.at_end && edge.words.has(Token::End))) continue;
    if (edge.kind == EdgeKind::Precedence && into.from_start && depth == 0 &&
        edge.precedence < junction_.precedence) {
      continue;
    }
    auto moved = thread;
    moved.state = edge.target;
    auto deeper = depth;
    if (stopped(thread)) {
      moved.outside = true;
      if (binds_ && edge.outermost_precedence &&
          grammar_.state(junction_.state).rule == state.rule) {
        moved.beyond_precedence = true;
      }
      if (!into.passed
               .insert({moved.state, moved.alternative, moved.stack, moved.beyond_precedence})
               .second) {
        continue;
      }
      --deeper;
    } else if (edge.kind == EdgeKind::Call) {
      moved.stack = made({{{edge.follow, thread.stack}}});
      if (deeper >= 0) ++deeper;
    }
    close(moved, deeper, into);
  }
}

// Whatever the loop of an operand takes, the loop around it takes as well.
bool Lookahead::repeats_outer_loop(const Thread& thread) const {
  const auto& state = grammar_.state(thread.state);
  return state.kind == StateKind::StarEntry && state.recursive &&
         std::ranges::all_of(thread.stack->tops, [&](const auto& top) {
           return top.first != kBottom && grammar_.state(top.first).rule == state.rule;
         });
}

void Lookahead::add(Threads& threads, const Thread& thread) {
  const auto twin = std::ranges::find_if(threads, [&](const Thread& each) {
    return each.state == thread.state && each.alternative == thread.alternative;
  });
  if (twin == threads.end()) {
    threads.push_back(thread);
    return;
  }
  twin->stack = merged(twin->stack, thread.stack);
  twin->outside = twin->outside || thread.outside;
  twin->beyond_precedence = twin->beyond_precedence || thread.beyond_precedence;
}

const Lookahead::Stack* Lookahead::merged(const Stack* a, const Stack* b) {
  if (a == b) return a;
  // Not knowing the caller takes in every caller.
  if (!exact_ && (a == bottom_ || b == bottom_)) return bottom_;
  Stack both = *a;
  for (const auto& [top, below] : b->tops) {
    const auto at =
        std::ranges::lower_bound(both.tops, top, {}, [](const auto& each) { return each.first; });
    if (at == both.tops.end() || at->first != top) {
      both.tops.insert(at, {top, below});
    } else if (top != kBottom) {
      at->second = merged(at->second, below);
    }
  }
  return made(std::move(both));
}

bool Lookahead::conflict(const Threads& threads) const {
  if (std::ranges::all_of(threads, [&](const auto& each) { return stopped(each); })) return true;
  const auto places = by_place(threads);
  if (std::ranges::none_of(places, [](const auto& each) { return each.second.size() > 1; })) {
    return false;
  }
  std::map<int, std::set<int>> states;
  for (const auto& each : threads) states[each.state].insert(each.alternative);
  return std::ranges::none_of(states, [](const auto& each) { return each.second.size() == 1; });
}

// The first alternative that got to the end of its rule before no word fitted any more.
int Lookahead::finished(const Threads& threads) const {
  int first = 0;
  for (const auto& each : threads) {
    const bool bottom =
        std::ranges::any_of(each.stack->tops, [](const auto& top) { return top.first == kBottom; });
    if (!each.outside && !(stopped(each) && bottom)) continue;
    if (first == 0 || each.alternative < first) first = each.alternative;
  }
  return first;
}

}  // namespace fixpoint::cel
