// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/recognizer.h"

#include "cel/evaluation/value.h"
#include "cel/syntax/lookahead.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

// All three are a real server's: mistakes that are told, mistakes that are mended, and words that
// are skipped to mend one.
constexpr std::size_t kMistakesMax = 100;
constexpr std::size_t kRecoveriesMax = 30;
constexpr std::size_t kSkippedMax = 256;

class Recognizer {
 public:
  Recognizer(std::string_view expression, std::size_t depth_max, Issues& issues)
      : expression_(expression), depth_max_(depth_max), issues_(issues), lexed_(lex(expression)) {}

  SyntaxTree run() {
    look(0);
    enter({.rule = Production::Start, .at = here().at, .children = {}}, Label::None, kNobody);
    while (!frames_.empty() && !halted_) step();
    if (halted_) tree_.root = nullptr;
    return std::move(tree_);
  }

 private:
  static constexpr int kNobody = -1;

  struct Frame {
    SyntaxNode* node = nullptr;
    Label label = Label::None;  // to its caller
    int caller = kNobody;       // the state that it was called from
    int precedence = 0;
  };
  // What stops a rule.
  struct Mistake {
    std::size_t first = 0;  // of the words that no way fitted; unused of a mismatch
    std::size_t last = 0;
    bool mismatch = false;
  };

  // --- words ---

  const Lexeme& word(std::size_t i) const { return lexed_.words[std::min(i, end())]; }
  const Lexeme& here() const { return word(at_); }
  std::size_t end() const { return lexed_.words.size() - 1; }
  // What is no word is told when the word after it is asked for.
  void look(std::size_t i) {
    while (!halted_ && told_ < lexed_.skipped.size() && lexed_.skipped[told_].before <= i) {
      const auto& skipped = lexed_.skipped[told_++];
      tell(skipped.at, fmt::format("token recognition error at: '{}'", skipped.text));
    }
  }
  Token ahead(std::size_t count) {
    look(std::min(at_ + count, end()));
    return word(at_ + count).token;
  }
  void consume() {
    if (at_ < end()) ++at_;
    look(at_);
  }

  // --- mistakes ---

  void tell(std::size_t at, const std::string& message) {
    if (mistakes_++ < kMistakesMax) {
      issues_.push_back({at, "Syntax error: " + message});
      return;
    }
    issues_.push_back({at, fmt::format("Syntax error: More than {} syntax errors", kMistakesMax)});
    halted_ = true;
  }
  void give_up(std::string message) {
    issues_.push_back({kNowhere, std::move(message)});
    halted_ = true;
  }
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '\t') {
        out += "\\t";
      } else if (c == '\n') {
        out += "\\n";
      } else if (c == '\r') {
        out += "\\r";
      } else {
        out += c;
      }
    }
    return out;
  }
  static std::string shown(const Lexeme& lexeme) {
    return lexeme.token == Token::End ? "<EOF>" : escaped(lexeme.text);
  }
  void tell_unwanted() {
    if (std::exchange(recovering_, true)) return;
    tell(here().at,
         fmt::format("extraneous input '{}' expecting {}", shown(here()), expected().shown()));
  }
  void tell_missing() {
    if (std::exchange(recovering_, true)) return;
    tell(here().at, fmt::format("missing {} at '{}'", expected().shown(), shown(here())));
  }
  void tell(const Mistake& mistake) {
    if (std::exchange(recovering_, true)) return;
    const auto& last = word(mistake.last);
    if (mistake.mismatch) {
      tell(last.at,
           fmt::format("mismatched input '{}' expecting {}", shown(last), expected().shown()));
      return;
    }
    const auto input = between(word(mistake.first), last);
    // A word that only looks like a name gets a better message.
    for (const std::string_view each : {"true", "false", "null"}) {
      if (code_points(input) == each.size() + 1 && input.ends_with(each)) {
        tell(last.at, fmt::format("mismatched input '{}' expecting IDENTIFIER", each));
        return;
      }
    }
    tell(last.at, fmt::format("no viable alternative at input '{}'", escaped(input)));
  }
  // The text from one word to another, both included, without what is no word.
  std::string between(const Lexeme& first, const Lexeme& last) const {
    if (first.token == Token::End) return "<EOF>";
    std::string out;
    auto byte = first.byte;
    const auto stop = last.byte + last.text.size();
    for (const auto& skipped : lexed_.skipped) {
      if (skipped.byte < byte || skipped.byte >= stop) continue;
      out += expression_.substr(byte, skipped.byte - byte);
      byte = skipped.byte + skipped.text.size();
    }
    return out + std::string{expression_.substr(byte, stop - byte)};
  }

  // --- what may come ---

  // What may follow the call of each open rule, innermost first, as long as `more` says so.
  template <class More>
  void each_follow(More more) const {
    for (auto back = returns_.rbegin(); back != returns_.rend(); ++back) {
      if (!more(grammar_.next(*back))) return;
    }
  }
  Tokens expected_at(int state) const {
    const auto& next = grammar_.next(state);
    if (!next.end) return next.words;
    Tokens out = next.words;
    bool open = true;
    each_follow([&](const Next& follow) {
      out = out | follow.words;
      open = follow.end;
      return open;
    });
    return open ? out | Tokens{Token::End} : out;
  }
  Tokens expected() const { return expected_at(state_); }
  // What any open rule could go on with.
  Tokens resumable() const {
    Tokens out;
    each_follow([&](const Next& follow) {
      out = out | follow.words;
      return true;
    });
    return out;
  }

  // --- recovery ---

  void matched() {
    recovering_ = false;
    failed_at_ = kNowhere;
    failed_states_.clear();
  }
  // False when there were too many already.
  bool may_recover() {
    if (recoveries_++ < kRecoveriesMax) return true;
    tell(here().at, fmt::format("error recovery attempt limit exceeded: {}", kRecoveriesMax));
    halted_ = true;
    return false;
  }
  void skip_to(const Tokens& stop) {
    while (!halted_ && ahead(0) != Token::End && !stop.has(ahead(0))) consume();
  }
  void skip_counted(std::size_t& skipped) {
    if (skipped++ < kSkippedMax) {
      consume();
    } else {
      give_up(fmt::format("error recovery token lookahead limit exceeded: {}", kSkippedMax));
    }
  }
  void recover() {
    if (halted_ || !may_recover()) return;
    std::size_t skipped = 0;
    // Without a step forward since the same mistake at the same place there would be no end.
    if (failed_at_ == at_ && failed_states_.contains(state_)) skip_counted(skipped);
    failed_at_ = at_;
    failed_states_.insert(state_);
    const auto stop = resumable();
    while (!halted_ && ahead(0) != Token::End && !stop.has(ahead(0))) skip_counted(skipped);
  }
  bool drop_one() {
    const auto next = ahead(1);
    if (!expected().has(next)) return false;
    tell_unwanted();
    consume();
    matched();
    return true;
  }
  // Before a decision: whether what comes is what may come.
  void sync(int state) {
    state_ = state;
    if (recovering_) return;
    const auto& next = grammar_.next(state);
    if (next.end || next.words.has(ahead(0))) return;
    const auto kind = grammar_.state(state).kind;
    if (kind == StateKind::StarBack || kind == StateKind::PlusBack) {
      tell_unwanted();
      skip_to(expected() | resumable());
    } else if (!drop_one()) {
      mistake_ = Mistake{.last = at_, .mismatch = true};
    }
  }

  // --- steps ---

  bool failed() {
    if (!mistake_) return false;
    const auto mistake = *std::exchange(mistake_, std::nullopt);
    tell(mistake);
    recover();
    if (!halted_) leave();
    return true;
  }

  void step() {
    const auto& state = grammar_.state(place_);
    switch (state.kind) {
      case StateKind::Stop: leave(); return;
      case StateKind::StarEntry:
      case StateKind::Block:
        if (!state.decision) {
          if (state.recursive) grow(1);
          place_ = state.edges[0].target;
          return;
        }
        if (!std::exchange(looped_, false)) sync(place_);
        if (!failed()) choose(state);
        return;
      case StateKind::PlusBlock:
        sync(place_);
        if (!failed()) place_ = state.edges[0].target;
        return;
      case StateKind::PlusBack:
        sync(place_);
        choose(state);
        return;
      case StateKind::StarBack:
        sync(place_);
        if (failed()) return;
        looped_ = true;
        place_ = state.edges[0].target;
        return;
      case StateKind::BlockEnd:
      case StateKind::Plain: pass(state.edges[0]); return;
    }
  }

  void choose(const State& state) {
    const auto alternative = state.one_word ? by_one_word(state) : by_more();
    if (failed()) return;
    if (state.recursive && state.kind == StateKind::StarEntry && alternative == 1) {
      shallower(state.rule);
    }
    if (state.recursive && state.kind == StateKind::Block) grow(alternative);
    if (state.outer) frames_.back().node->alternative = alternative;
    place_ = state.edges[static_cast<std::size_t>(alternative) - 1].target;
  }
  int by_one_word(const State& state) {
    const auto token = ahead(0);
    // All but the last choice of a loop or of what may be missing begin with a word of their own.
    const auto last = state.outer ? state.edges.size() : state.edges.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      if (grammar_.next(state.edges[i].target).words.has(token)) return static_cast<int>(i) + 1;
    }
    if (!state.outer) return static_cast<int>(state.edges.size());
    mistake_ = Mistake{.first = at_, .last = at_};
    return 0;
  }
  int by_more() {
    const Junction junction{
        .state = place_, .precedence = frames_.back().precedence, .stack = returns_};
    const auto decision = lookahead_.decide(junction, std::span{lexed_.words}.subspan(at_));
    look(at_ + decision.last);
    if (decision.alternative == 0) {
      mistake_ = Mistake{.first = at_, .last = at_ + decision.offender};
    }
    return decision.alternative;
  }

  void pass(const Edge& edge) {
    switch (edge.kind) {
      case EdgeKind::Empty:
      case EdgeKind::Precedence: place_ = edge.target; return;
      case EdgeKind::Word: match(edge); return;
      case EdgeKind::Call:
        state_ = place_;
        enter({.rule = edge.rule, .at = here().at, .children = {}}, edge.label, place_,
              edge.precedence);
        return;
    }
  }

  void match(const Edge& edge) {
    state_ = place_;
    if (edge.words.has(ahead(0))) {
      matched();
      keep(edge.label, here());
      consume();
    } else if (may_recover()) {
      mend(edge);
    }
    if (!halted_ && !failed()) place_ = edge.target;
  }
  // The wanted word after the next, or none where what follows it is there already.
  void mend(const Edge& edge) {
    if (drop_one()) {
      keep(edge.label, here());
      consume();
    } else if (expected_at(edge.target).has(ahead(0))) {
      tell_missing();
      const auto& near = here().token == Token::End && at_ > 0 ? word(at_ - 1) : here();
      keep(edge.label, {.token = Token::End, .text = {}, .at = near.at});
    } else {
      mistake_ = Mistake{.last = at_, .mismatch = true};
    }
  }

  // --- rules and the tree ---

  void keep(Label label, const Lexeme& lexeme) {
    if (label == Label::None) return;
    frames_.back().node->children.push_back(
        {.label = label, .text = lexeme.text, .token = lexeme.token, .at = lexeme.at});
  }
  void deeper(Production rule) {
    if (++depths_[static_cast<std::size_t>(rule)] <= depth_max_) return;
    give_up(fmt::format("expression recursion limit exceeded: {}", depth_max_));
  }
  void shallower(Production rule) {
    auto& depth = depths_[static_cast<std::size_t>(rule)];
    if (depth > 0) --depth;
  }
  void enter(SyntaxNode node, Label label, int caller, int precedence = 0) {
    const auto rule = node.rule;
    frames_.push_back({&tree_.nodes.emplace_back(std::move(node)), label, caller, precedence});
    if (caller != kNobody) returns_.push_back(grammar_.state(caller).edges[0].follow);
    place_ = state_ = grammar_.start_of(rule);
    deeper(rule);
  }
  // What a left-recursive rule has read so far becomes the first part of more of it.
  void grow(int alternative) {
    auto& frame = frames_.back();
    auto* before = frame.node;
    frame.node = &tree_.nodes.emplace_back(SyntaxNode{
        .rule = before->rule, .alternative = alternative, .at = before->at, .children = {}});
    frame.node->children.push_back(
        {.label = Label::Operand, .node = before, .text = {}, .at = before->at});
    deeper(before->rule);
  }
  void leave() {
    const auto frame = frames_.back();
    frames_.pop_back();
    shallower(frame.node->rule);
    if (frames_.empty()) {
      tree_.root = frame.node;
      return;
    }
    state_ = frame.caller;
    place_ = returns_.back();
    returns_.pop_back();
    frames_.back().node->children.push_back(
        {.label = frame.label, .node = frame.node, .text = {}, .at = frame.node->at});
  }

  std::string_view expression_;
  std::size_t depth_max_;
  Issues& issues_;
  Lexed lexed_;
  const Grammar& grammar_ = Grammar::get();
  Lookahead& lookahead_ = Lookahead::of_this_thread();
  SyntaxTree tree_;
  std::vector<Frame> frames_;
  std::vector<int> returns_;  // where the callers of all frames but the first go on
  std::array<std::size_t, kProductions> depths_{};
  std::size_t at_ = 0;       // the next word
  std::size_t told_ = 0;     // of what is no word
  int place_ = 0;            // in the grammar
  int state_ = 0;            // what expectations are counted from
  bool looped_ = false;      // a loop is back at its entry
  bool recovering_ = false;  // nothing is told until a word fits again
  std::optional<Mistake> mistake_;
  std::size_t failed_at_ = kNowhere;
  std::set<int> failed_states_;
  std::size_t mistakes_ = 0;
  std::size_t recoveries_ = 0;
  bool halted_ = false;
};

}  // namespace

const SyntaxChild* SyntaxNode::find(Label label) const {
  const auto found = std::ranges::find(children, label, &SyntaxChild::label);
  return found == children.end() ? nullptr : &*found;
}

SyntaxTree recognize(std::string_view expression, std::size_t depth_max, Issues& issues) {
  return Recognizer{expression, depth_max, issues}.run();
}

}  // namespace fixpoint::cel
