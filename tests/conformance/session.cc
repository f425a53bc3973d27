// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/session.h"

#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "tests/conformance/memory.h"
#include "tests/conformance/touched.h"

#include <algorithm>
#include <chrono>

namespace fixpoint::conformance {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kUserAgent = "conformance/1";
// How long a live watch is read after the last step when no closing watch takes that long anyway.
constexpr auto kLastWords = milliseconds(400);
// Our own server does at once what a real one does after a moment; its loop still needs a tick.
constexpr Duration kOwnSettle = milliseconds(20);
// How often a server is asked whether it has come to rest, how long at most, and how long it may
// take until what is gone is also served no more.
constexpr Duration kRestAsked = milliseconds(100);
constexpr Duration kRestMax = std::chrono::seconds(40);
constexpr Duration kUnserved = milliseconds(1500);

// A definition whose deletion nobody has begun with stays so for as long as a server is busy.
bool still_waits(const Answer& answer) {
  return answer.body.contains("\"InstanceDeletionPending\"");
}

// Ports of nodes are few, and no sequence may take them from the others for good.
void free_services(Server& server, const Recording& recording) {
  const auto is_service = [](const Observation& step) {
    return step.call.path.contains("/services");
  };
  if (server.in_process() || std::ranges::none_of(recording.steps, is_service)) return;
  Call call;
  call.method = "DELETE";
  call.path = "/api/v1/namespaces/" + recording.ns + "/services";
  server.call(call);
}

}  // namespace

struct Session::State {
  Server& server;
  const Sequence& sequence;
  Memory memory;
  Recording recording;
  struct Open {
    Observation* to;
    std::unique_ptr<Stream> stream;
  };
  std::vector<Open> live;
  std::vector<Open> closing;
  steady_clock::time_point listen_until{};

  State(Server& on, const Sequence& what, const std::string& id)
      : server(on), sequence(what), memory(id, id) {
    recording.ns = id;
    recording.id = id;
  }

  void make_namespace() {
    Call call{
        .method = "POST",
        .path = "/api/v1/namespaces",
        .query = {},
        .headers = {{"content-type", "application/json"}, {"user-agent", std::string{kUserAgent}}},
        .body =
            memory.fill(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"<<ns>>"}})")
    };
    memory.learn(call, server.call(call));
  }

  std::string body_of(const Step& step) const {
    const auto text = memory.fill(step.body);
    if (step.base.empty()) return text;
    const auto base = memory.newest(step.base);
    const auto change = json::parse(text.empty() ? "{}" : text);
    if (base.is_null() || !change) return text;
    const json::Value merged = json::apply_merge_patch(base, *change);
    return json::to_text(merged);
  }

  Call call_of(const Step& step) const {
    Call call;
    call.method = step.method == "WATCH" ? "GET" : step.method;
    call.path = memory.fill(step.path);
    call.query = memory.fill(step.query);
    if (step.method == "WATCH") call.query += call.query.empty() ? "watch=true" : "&watch=true";
    call.body = body_of(step);
    call.headers = step.headers;
    if (!call.headers.contains("user-agent")) {
      call.headers.add("user-agent", std::string{kUserAgent});
    }
    call.headers.add("accept", step.accept.empty() ? "application/json" : step.accept);
    if (!step.content_type.empty()) {
      call.headers.add("content-type", step.content_type);
    } else if (!call.body.empty()) {
      call.headers.add("content-type", "application/json");
    }
    return call;
  }

  void send(const Step& step) {
    auto& at = recording.steps.emplace_back(Observation{.call = call_of(step), .answer = {}});
    if (step.method == "WATCH") {
      live.push_back({&at, server.open(at.call)});
      return;
    }
    at.answer = server.call(at.call);
    memory.learn(at.call, at.answer);
    if (step.settle > Duration::zero() && !server.in_process()) settle(step);
  }

  void settle(const Step& step) {
    const auto quiet = server.name() == "real" ? step.settle : std::min(step.settle, kOwnSettle);
    if (step.rests_at.empty()) {
      server.wait(quiet);
      return;
    }
    Step read;
    read.path = step.rests_at;
    const auto give_up = steady_clock::now() + kRestMax;
    auto since = steady_clock::now();
    auto seen = server.call(call_of(read));
    while (seen.code != 404 && steady_clock::now() < std::min(since + quiet, give_up)) {
      server.wait(std::min(kRestAsked, quiet));
      auto next = server.call(call_of(read));
      if (next.body != seen.body || still_waits(next)) since = steady_clock::now();
      seen = std::move(next);
    }
    if (seen.code == 404) server.wait(std::min(quiet, kUnserved));
  }

  void open_closing() {
    const auto touched = touched_collections(sequence);
    recording.watches.reserve(touched.size());
    for (const auto& each : touched) {
      const auto question = each.find('?');
      Step step;
      step.method = "WATCH";
      step.path = each.substr(0, question);
      if (question != std::string::npos) step.query = each.substr(question + 1) + "&";
      step.query += "resourceVersion=<<rv>>&timeoutSeconds=1";
      auto& at = recording.watches.emplace_back(Observation{.call = call_of(step), .answer = {}});
      closing.push_back({&at, server.open(at.call)});
    }
    if (!live.empty() && !server.in_process()) listen_until = steady_clock::now() + kLastWords;
  }
};

Session::Session(Server& server, const Sequence& sequence, std::string id)
    : state_(std::make_unique<State>(server, sequence, id)) {}

Session::~Session() = default;

void Session::run() {
  auto& state = *state_;
  state.server.begin();
  state.make_namespace();
  state.recording.steps.reserve(state.sequence.steps.size());
  for (const auto& step : state.sequence.steps) state.send(step);
  state.open_closing();
}

void Session::listen(Duration quiet, Duration longest) {
  const auto give_up = steady_clock::now() + longest;
  auto rests = steady_clock::now() + quiet;
  std::size_t heard = 0;
  while (steady_clock::now() < std::min(rests, give_up)) {
    state_->server.wait(milliseconds(20));
    std::size_t now = 0;
    for (auto& open : state_->live) now += open.stream->take().body.size();
    if (now != heard) rests = steady_clock::now() + quiet;
    heard = now;
  }
}

bool Session::finished() const {
  for (const auto& open : state_->closing) {
    if (!open.stream->ended()) return false;
  }
  return steady_clock::now() >= state_->listen_until;
}

Recording Session::take() {
  for (auto& open : state_->live) open.to->answer = open.stream->take();
  for (auto& open : state_->closing) open.to->answer = open.stream->take();
  state_->live.clear();
  state_->closing.clear();
  free_services(state_->server, state_->recording);
  return std::move(state_->recording);
}

Recording record(Server& server, const Sequence& sequence, std::string id) {
  Session session(server, sequence, std::move(id));
  session.run();
  while (!session.finished()) server.wait(milliseconds(10));
  return session.take();
}

}  // namespace fixpoint::conformance
