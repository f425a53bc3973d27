// SPDX-License-Identifier: Apache-2.0
//
// The reading half of a pass: observe() run again and again until nothing it asks is unanswered.
#include "runtime/cache/contents.h"
#include "runtime/controller/executor.h"
#include "runtime/controller/pass_state.h"
#include "runtime/reader.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

class PassReader final : public Reader, public Probes {
 public:
  explicit PassReader(PassState& state) : state_(state) {}

  json::View primary() const override { return state_.primary; }
  Facts decoded() const override { return state_.decoded; }
  json::View get(const kube::GroupVersionKind& kind, const kube::Key& key) const override {
    const Contents* contents = state_.cache->find(kind);
    return kept(contents == nullptr ? json::View{} : contents->get(key));
  }
  std::vector<json::View> owned(const kube::GroupVersionKind& kind) const override {
    const Contents* contents = state_.cache->find(kind);
    if (contents == nullptr) return {};
    return kept(contents->owned_by(state_.primary.get("metadata", "uid").as_string()));
  }
  std::vector<json::View> list(const kube::GroupVersionKind& kind,
                               std::string_view ns) const override {
    const Contents* contents = state_.cache->find(kind);
    return kept(contents == nullptr ? std::vector<json::View>{} : contents->list(ns));
  }
  bool serves(const kube::GroupVersionKind& kind) const override {
    const bool served = state_.cache->find(kind) != nullptr;
    if (state_.settings->keep_reads) state_.reads.push_back(json::Value::boolean(served));
    return served;
  }
  std::vector<json::View> indexed(const kube::GroupVersionKind& kind, std::string_view index,
                                  std::string_view value) const override {
    const Contents* contents = state_.cache->find(kind);
    return kept(contents == nullptr ? std::vector<json::View>{} : contents->indexed(index, value));
  }
  Result<json::Value> live(const ObjectRef& object) const override {
    return answer_to(
        [&](const Ask& ask) {
          const auto* asked = std::get_if<ObjectRef>(&ask.question);
          return asked != nullptr && *asked == object;
        },
        object);
  }
  Result<json::Value> ask(const Probe& probe) override {
    return answer_to(
        [&](const Ask& asked) {
          const auto* earlier = std::get_if<Probe>(&asked.question);
          return earlier != nullptr && same_question(*earlier, probe);
        },
        probe);
  }

 private:
  json::View kept(json::View read) const {
    if (state_.settings->keep_reads) state_.reads.emplace_back(read);
    return read;
  }
  std::vector<json::View> kept(std::vector<json::View> read) const {
    for (const json::View one : read) (void)kept(one);
    // Two reads of one object each are not one read of two.
    (void)kept(json::View{});
    return read;
  }
  template <class Same, class Question>
  Result<json::Value> answer_to(Same is_same, const Question& question) const {
    const auto found = std::ranges::find_if(state_.asks, is_same);
    if (found == state_.asks.end()) {
      state_.asks.push_back({.question = question});
    } else if (found->answer) {
      return *found->answer;
    }
    return std::unexpected(not_answered_yet());
  }

  PassState& state_;
};

// Sends every question that has not been answered; false when there is none.
bool want_answers(PassState& state) {
  bool wanted = false;
  for (std::size_t at = 0; at < state.asks.size(); ++at) {
    const Ask& ask = state.asks[at];
    if (ask.answer) continue;
    wanted = true;
    if (const auto* probe = std::get_if<Probe>(&ask.question)) {
      state.want(ProbeEffect{*probe}, at);
      continue;
    }
    const auto& object = std::get<ObjectRef>(ask.question);
    if (const auto resource = state.known_resource(object.kind)) {
      state.want(ApiEffect{get_call(*resource, object.key)}, at);
    } else {
      state.want(ResolveEffect{object.kind}, at);
    }
  }
  return wanted;
}

Result<json::Value> answer_of(const client::Reply& reply) {
  if (reply) return reply->body;
  if (reply.error().not_found()) return json::Value{};
  const StepFailure failure = classify(reply.error());
  const auto kind =
      failure.error_class == ErrorClass::Permanent ? ErrorKind::Internal : ErrorKind::Unavailable;
  return fail(kind, failure.message);
}

}  // namespace

bool run_observe(PassState& state) {
  // A question whose kind had to be looked up first is still open: ask it now.
  if (want_answers(state)) return false;
  if (++state.rounds > kObserveRoundsMax) {
    state.fail_pass({.error_class = ErrorClass::Permanent,
                     .reason = "ObserveNeverEnds",
                     .message = fmt::format("observe() asked something new {} times in one pass",
                                            kObserveRoundsMax)});
    return false;
  }
  state.reads.clear();
  if (state.settings->keep_reads) state.reads.push_back(state.primary);
  PassReader reader{state};
  auto facts = state.reconciler().observe(reader, reader, state.start.key);
  if (facts) {
    state.facts = *std::move(facts);
    return true;
  }
  if (still_asking(facts.error())) {
    // Nothing new was asked and nothing is open: it kept an old error, and no answer will change
    // it.
    if (!want_answers(state)) {
      state.fail_pass({.error_class = ErrorClass::Permanent,
                       .reason = "ObserveNeverEnds",
                       .message = "observe() waits for an answer that it did not ask for"});
    }
    return false;
  }
  state.fail_pass(classify(facts.error()));
  return false;
}

void take_ask_answer(PassState& state, std::size_t at, EffectReply reply) {
  Ask& ask = state.asks[at];
  if (auto* outside = std::get_if<Result<json::Value>>(&reply)) {
    ask.answer = std::move(*outside);
  } else if (const auto* live = std::get_if<client::Reply>(&reply)) {
    ask.answer = answer_of(*live);
  } else if (auto* resolved =
                 std::get_if<std::expected<client::Resource, client::CallError>>(&reply)) {
    // Found: the question itself is asked next. A kind that is not served has no objects.
    if (!*resolved) ask.answer = answer_of(std::unexpected(resolved->error()));
  }
}

}  // namespace fixpoint::runtime
