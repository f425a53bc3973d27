// SPDX-License-Identifier: Apache-2.0
#include "verify/models/ring.h"

#include "base/error.h"

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

bool has(std::uint8_t set, unsigned node) {
  return (set >> node & 1U) != 0;
}

void add(std::uint8_t& set, unsigned node) {
  set = static_cast<std::uint8_t>(set | 1U << node);
}

void remove(std::uint8_t& set, unsigned node) {
  set = static_cast<std::uint8_t>(set & ~(1U << node));
}

std::string node_name(unsigned node) {
  return fmt::format("node {}", node);
}

bool terminated(const Ring::State& state) {
  return state.active == 0;
}

bool detected(const Ring::State& state) {
  return state.token == 0 && !state.token_black && !has(state.black, 0) && !has(state.active, 0);
}

}  // namespace

Ring::Ring(unsigned size, Nodes nodes) : size_(size), nodes_(nodes) {
  FP_CHECK(size >= 1 && size <= kSizeMax);
}

std::vector<Ring::State> Ring::initial() const {
  std::vector<State> all;
  for (unsigned active = 0; active < 1U << size_; ++active) {
    for (unsigned black = 0; black < 1U << size_; ++black) {
      for (unsigned token = 0; token < size_; ++token) {
        all.push_back({.active = static_cast<std::uint8_t>(active),
                       .black = static_cast<std::uint8_t>(black),
                       .token = static_cast<std::uint8_t>(token)});
      }
    }
  }
  return all;
}

void Ring::actions(const State& state, std::vector<Action>& out) const {
  const Kind moves = state.token == 0 ? Kind::Probes : Kind::Passes;
  if (state.token_black) out.push_back({moves, state.token, 0});
  if (has(state.black, state.token)) out.push_back({moves, state.token, 1});
  if (state.token != 0 && !has(state.active, state.token)) out.push_back({moves, state.token, 2});
  for (unsigned i = 0; i < size_; ++i) {
    if (!has(state.active, i)) continue;
    const auto who = static_cast<std::uint8_t>(i);
    for (unsigned to = 0; to < size_ && nodes_ == Nodes::Free; ++to) {
      if (to != i) out.push_back({Kind::Sends, who, static_cast<std::uint8_t>(to)});
    }
    out.push_back({Kind::Rests, who});
  }
}

std::optional<Ring::State> Ring::next(State state, Action action) const {
  switch (action.kind) {
    case Kind::Probes:
      state.token = static_cast<std::uint8_t>(size_ - 1);
      state.token_black = false;
      remove(state.black, 0);
      break;
    case Kind::Passes:
      state.token_black = state.token_black || has(state.black, action.who);
      state.token = static_cast<std::uint8_t>(action.who - 1);
      remove(state.black, action.who);
      break;
    case Kind::Sends:
      add(state.active, action.to);
      if (action.to > action.who) add(state.black, action.who);
      break;
    case Kind::Rests: remove(state.active, action.who); break;
  }
  return state;
}

std::string Ring::describe(Action action) const {
  switch (action.kind) {
    case Kind::Probes: return "starts a round with a white token";
    case Kind::Passes: return "passes the token on";
    case Kind::Sends: return "sends a message, which wakes the other";
    case Kind::Rests: return "has no more work and rests";
  }
  return "?";
}

std::string Ring::introduce(const State& state) const {
  std::string text;
  for (unsigned i = 0; i < size_; ++i) {
    text +=
        fmt::format("{} is {} and {}, ", node_name(i), has(state.active, i) ? "active" : "at rest",
                    has(state.black, i) ? "black" : "white");
  }
  return text + fmt::format("{} has the token, which is {}", node_name(state.token),
                            state.token_black ? "black" : "white");
}

Telling Ring::tell(const State& before, Action action, const State& after) const {
  Telling told{.from = node_name(action.who), .asks = describe(action)};
  if (action.kind == Kind::Sends) told.to = node_name(action.to);
  if (before.token != after.token) told.to = node_name(after.token);
  const auto color = [](bool black) { return black ? "black" : "white"; };
  if (before.token_black != after.token_black) {
    told.changes.push_back(
        fmt::format("token: {} -> {}", color(before.token_black), color(after.token_black)));
  }
  for (unsigned i = 0; i < size_; ++i) {
    if (has(before.active, i) != has(after.active, i)) {
      told.changes.push_back(
          fmt::format("{}: {}", node_name(i), has(after.active, i) ? "active" : "at rest"));
    }
    if (has(before.black, i) != has(after.black, i)) {
      told.changes.push_back(fmt::format("{}: {}", node_name(i), color(has(after.black, i))));
    }
  }
  return told;
}

Properties<Ring> Ring::properties() const {
  Properties<Ring> all;
  if (nodes_ != Nodes::Free) {
    // Holds only where resting is bound to happen: nobody else can make a node rest.
    all.leads_to("work-ends", [](const State&) { return true; }, terminated);
    return all;
  }
  all.always("detects-only-the-end", terminated, detected);
  all.always("invariant", [size = size_](const State& state) {
    bool all_passive_behind = true;
    bool black_ahead = false;
    for (unsigned i = 0; i < size; ++i) {
      if (i > state.token) all_passive_behind &= !has(state.active, i);
      if (i <= state.token) black_ahead |= has(state.black, i);
    }
    return all_passive_behind || black_ahead || state.token_black;
  });
  all.leads_to("detects-the-end", terminated, detected);
  return all;
}

}  // namespace fixpoint::verify
