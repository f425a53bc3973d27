// SPDX-License-Identifier: Apache-2.0
//
// A counterexample of a world as a script for a real server and process (verify/report/live.h).
#include "verify/report/live.h"

#include "apiserver/resource.h"
#include "client/http/outgoing.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "verify/report/replay.h"
#include "verify/world/turn.h"

#include <set>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

using End = LiveStep::End;

std::unexpected<Error> impossible(const Telling& telling) {
  return fail(ErrorKind::Invalid, fmt::format("a real process cannot be made to do this: {} {}",
                                              telling.from, telling.asks));
}

std::optional<End> end_of(Fault fault) {
  switch (fault) {
    case Fault::None: return End::Answered;
    case Fault::LostBefore: return End::LostBefore;
    case Fault::LostAfter: return End::LostAfter;
    case Fault::CrashBefore: return End::CrashBefore;
    case Fault::CrashAfter: return End::CrashAfter;
    case Fault::ServerError:
    case Fault::Conflict:
    case Fault::NotFound:
    case Fault::Invalid:
    case Fault::Quota:
    case Fault::TooMany: return End::Refused;
    case Fault::NotSent:
    case Fault::Delayed:
    case Fault::CrashDelayed:
    case Fault::TimedOut:
    case Fault::Expired:
    case Fault::Stale: return std::nullopt;
  }
  return std::nullopt;
}

apiserver::Request creation_of(const client::Resource& resource, json::View object) {
  auto draft = json::Draft(json::Value(object));
  draft.erase("status");
  auto& metadata = draft.object_at("metadata");
  for (const auto* field :
       {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"}) {
    metadata.erase(field);
  }
  return client::request_of(client::Call{
      .verb = client::Verb::Create,
      .resource = resource,
      .key = {std::string{kube::namespace_of(object)}, ""},
      .body = draft.freeze(),
      .field_manager = "kubectl"
  });
}

}  // namespace

// How the request of an effect is to end. Reads that are answered need nobody's help.
Result<std::optional<LiveStep>> World::live_step(const State& before, const Action& action,
                                                 const Telling& telling) const {
  const auto& effect = effect_of(before, action);
  const auto* api = std::get_if<runtime::ApiEffect>(&effect.what);
  const auto end = end_of(action.fault);
  if (!end || (api == nullptr && action.fault != Fault::None)) return impossible(telling);
  if (api == nullptr && std::holds_alternative<runtime::OutsideEffect>(effect.what)) {
    return impossible(telling);
  }
  const bool read = api == nullptr || api->call.verb == client::Verb::Get;
  if (read && action.fault == Fault::None) return std::nullopt;
  const auto sent = client::outgoing(api->call);
  LiveStep step{.told = telling.asks,
                .method = sent.method,
                .path = sent.target.substr(0, sent.target.find('?')),
                .end = *end};
  if (step.end == End::Refused) {
    const auto reply = std::get<client::Reply>(instead(action.fault, effect));
    step.code = reply.error().status.code;
    const json::Value status = kube::to_json(reply.error().status);
    step.body = json::to_text(status);
  }
  return step;
}

Result<LiveScript> World::live_script(const Replay& replay) const {
  if (scenario_.processes > 1 || scenario_.outside) {
    return fail(ErrorKind::Invalid, "only one process, with nothing outside, is replayed live");
  }
  LiveScript script;
  State state = initial_;
  Stage stage{state.store};
  for (const auto& definition : trial_.definitions) {
    script.definitions.push_back(creation_of(
        *stage.server().resolve({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}),
        definition));
  }
  std::set<std::string> keys;
  for (const auto& record : state.live->records) {
    const auto kind = kube::gvk_of(record->body);
    script.objects.push_back(creation_of(*stage.server().resolve(kind), record->body));
  }
  for (const auto& taken : replay.steps) {
    std::vector<Action> actions_now;
    actions(state, actions_now);
    const auto number = static_cast<std::size_t>(&taken - replay.steps.data()) + 1;
    if (taken.action_index >= actions_now.size()) return replay_differs(number);
    const Action& action = actions_now[taken.action_index];
    auto after = next(state, action);
    if (!after || after->fingerprint != taken.fingerprint) {
      return replay_differs(number);
    }
    const Telling telling = tell(state, action, *after);
    switch (action.step) {
      case Step::Effect: {
        FP_TRY(step, live_step(state, action, telling));
        if (step) script.steps.push_back(*std::move(step));
        break;
      }
      case Step::Deed: {
        LiveStep step{.told = telling.asks};
        auto store = state.store;
        Stage acting{store, apiserver::Weakness::None, nullptr, &step.deeds};
        scenario_.deeds[action.item].act(acting);
        script.steps.push_back(std::move(step));
        break;
      }
      case Step::Crash: script.steps.push_back({.told = telling.asks, .crash = true}); break;
      case Step::Repeat:
      case Step::Relist:
      case Step::Notice:
      case Step::Land:
      case Step::MoveLease: return impossible(telling);
      case Step::Connect:
        if (action.lag > 0) return impossible(telling);
        break;
      case Step::Deliver:
      case Step::Begin:
      case Step::Wait:
      case Step::Collect:
      case Step::Loop: break;
    }
    for (const auto& record : after->live->records) keys.insert(record->key);
    state = *std::move(after);
  }
  for (const auto& key : keys) {
    const auto record = state.store.latest().find(key);
    script.end.push_back({key, record ? record->body : json::Value{}});
  }
  return script;
}

}  // namespace fixpoint::verify::world
