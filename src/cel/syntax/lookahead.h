// SPDX-License-Identifier: Apache-2.0
//
// Lookahead: which way a rule goes where the words to come decide it.
//
// All ways are followed at once, word by word, until only one is left: first without regard to who
// called the rule, and once more with it where that leaves several. This is how the generated
// parser of a real server decides, and it is followed to the letter: it also settles at which word
// a malformed expression is given up, and which way is taken then.
#pragma once

#include "cel/syntax/grammar.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace fixpoint::cel {

// Where a decision is made.
struct Junction {
  int state = 0;
  int precedence = 0;          // of the rule
  std::span<const int> stack;  // where its callers go on, outermost first
};

struct Decision {
  int alternative = 0;       // 0: none fits
  std::size_t offender = 0;  // then: the word that fits none, counted from the first
  std::size_t last = 0;      // the farthest word that was looked at
};

class Lookahead {
 public:
  // What was found out without regard to callers holds for every expression and is kept.
  static Lookahead& of_this_thread();

  // `words` are those to come; the last is End.
  Decision decide(const Junction& junction, std::span<const Lexeme> words);

 private:
  // Where rules return to: a tree of possible stacks, one object for each content.
  struct Stack {
    std::vector<std::pair<int, const Stack*>> tops;
    auto operator<=>(const Stack&) const = default;
  };
  struct Thread {
    int state = 0;
    int alternative = 0;
    const Stack* stack = nullptr;
    bool outside = false;  // it left the rule without knowing to where
    bool beyond_precedence = false;
    auto operator<=>(const Thread&) const = default;
  };
  using Threads = std::vector<Thread>;
  // What is being reached, and what was passed on the way.
  struct Closure {
    Threads threads;
    std::set<std::tuple<int, int, const Stack*, bool>> passed;
    bool from_start = false;
    bool at_end = false;
  };

  // What one more word leads to.
  enum class Outcome : std::uint8_t { Unknown, On, Decided, Conflict, Dead };
  struct Step {
    Outcome outcome = Outcome::Unknown;
    int value = 0;  // On: the place; Decided: the alternative
  };
  // Where all ways are after some words, without regard to callers.
  struct Place {
    Threads threads;
    std::array<Step, kTokens> steps;
  };

  int start_place();
  int place_of(Threads threads);
  Step step(int place, Token token);
  void forget_too_much();
  Decision decide_anywhere(std::span<const Lexeme> words);
  Decision decide_exactly(std::span<const Lexeme> words);

  Threads start();
  Threads within_precedence(const Threads& threads) const;
  Threads reach(const Threads& from, Token token);
  void close(const Thread& thread, int depth, Closure& into);
  void expand(const Thread& thread, int depth, Closure& into);
  bool repeats_outer_loop(const Thread& thread) const;
  void add(Threads& threads, const Thread& thread);
  bool stopped(const Thread& thread) const {
    return grammar_.state(thread.state).kind == StateKind::Stop;
  }
  bool conflict(const Threads& threads) const;
  int finished(const Threads& threads) const;

  const Stack* made(Stack stack) { return &*stacks_.insert(std::move(stack)).first; }
  const Stack* merged(const Stack* a, const Stack* b);

  const Grammar& grammar_ = Grammar::get();
  std::set<Stack> stacks_;
  const Stack* bottom_ = made({{{kBottom, nullptr}}});
  std::deque<Place> places_;
  std::map<std::pair<int, int>, int> starts_;  // by decision and precedence
  std::map<Threads, int> known_;
  Junction junction_;
  bool binds_ = false;  // whether one more operator belongs to the rule
  bool exact_ = false;  // with regard to the callers

  static constexpr int kBottom = -1;
};

}  // namespace fixpoint::cel
