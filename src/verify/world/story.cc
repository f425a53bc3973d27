// SPDX-License-Identifier: Apache-2.0
//
// Who acts in a world, and its steps in plain words.
#include "base/utf8.h"
#include "json/patch/diff.h"
#include "kube/meta/metadata.h"
#include "runtime/controller/pass_state.h"
#include "verify/world/turn.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

constexpr std::string_view kServerName = "API server";

// Before the watches, processes and deeds.
enum Fixed : ActorId { kNetwork, kTime, kCollector, kTrouble, kFixed };
// Actors of a process besides its watches: itself, and the first of its passes.
constexpr std::size_t kOfProcess = 2;

std::string process_name(std::uint8_t process) {
  return process == 0 ? "operator" : "operator 2";
}

std::string object_name(json::View object) {
  const auto ns = kube::namespace_of(object);
  return fmt::format("{} {}{}{}", object.get("kind").as_string(), ns, ns.empty() ? "" : "/",
                     kube::name_of(object));
}

std::string cut_to_line_length(std::string text) {
  constexpr std::size_t kMax = 120;
  if (text.size() <= kMax) return text;
  return std::string{utf8_prefix(text, kMax - 1)} + "…";
}

// What nobody wants to read in a story.
bool is_noise(std::string_view pointer) {
  return pointer.starts_with("/metadata/managedFields") || pointer == "/metadata/resourceVersion" ||
         pointer == "/metadata/generation";
}

void add_difference(json::View before, json::View after, std::vector<std::string>& lines) {
  for (const auto& change : json::diff(before, after)) {
    if (is_noise(change.path)) continue;
    lines.push_back(
        cut_to_line_length(fmt::format("{} {}", object_name(after), json::to_text(change))));
  }
}

void add_changes(const Live& before, const Live& after, std::vector<std::string>& lines) {
  const auto find = [](const Live& live, const std::string& key) -> const store::Record* {
    const auto found = std::ranges::find(live.records, key, [](const auto& r) { return r->key; });
    return found == live.records.end() ? nullptr : found->get();
  };
  for (const auto& record : before.records) {
    if (find(after, record->key) == nullptr) lines.push_back("− " + object_name(record->body));
  }
  for (const auto& record : after.records) {
    const auto* was = find(before, record->key);
    if (was == record.get()) continue;
    if (was == nullptr || kube::uid_of(was->body) != kube::uid_of(record->body)) {
      lines.push_back("+ " + object_name(record->body));
    } else {
      add_difference(was->body, record->body, lines);
    }
  }
}

std::string with_fault_of(const Action& action, std::string_view what) {
  if (action.fault == Fault::None) return std::string{what};
  return fmt::format("{} [{}]", what, to_string(action.fault));
}

std::string effect_in_words(const runtime::Effect& effect) {
  auto site = site_of(effect);
  const auto* api = std::get_if<runtime::ApiEffect>(&effect.what);
  if (api == nullptr) return site;
  const auto name = api->call.key.name.empty() ? api->call.body.get("metadata", "name").as_string()
                                               : std::string_view{api->call.key.name};
  return fmt::format("{} {}", site, name);
}

}  // namespace

void World::name_actors() {
  actors_ = {
      {.name = "network",           .fair = true },
      {.name = "time",              .fair = true },
      {.name = "garbage collector", .fair = true },
      {.name = "faults",            .fair = false},
  };
  for (std::uint8_t process = 0; process < scenario_.processes; ++process) {
    actors_.push_back({.name = process_name(process), .fair = true});
    // Passes are carried out side by side: one that looks at its object again and again does not
    // hold up another's. That the first of them goes on is enough, for each becomes the first.
    actors_.push_back({.name = fmt::format("a pass of {}", process_name(process)), .fair = true});
    for (const auto& watch : blueprint_.watches()) {
      actors_.push_back({.name = fmt::format("watch of {} by {}", watch.collection.resource.plural,
                                             process_name(process)),
                         .fair = true});
    }
  }
  for (const auto& loop : loops_) actors_.push_back({.name = loop.name, .fair = true});
  for (const auto& deed : scenario_.deeds) {
    actors_.push_back({.name = fmt::format("{}: {}", deed.who, deed.what), .fair = deed.fair});
  }
}

ActorId World::actor(const Action& action) const {
  const auto width = blueprint_.watches().size() + kOfProcess;
  const auto process = kFixed + action.process * width;
  const auto at = [](std::size_t id) { return static_cast<ActorId>(id); };
  if (action.fault != Fault::None || (action.step == Step::Connect && action.lag > 0)) {
    return kTrouble;
  }
  switch (action.step) {
    case Step::Connect:
    case Step::Begin: return at(process);
    case Step::Effect: return at(action.item == 0 ? process + 1 : process);
    case Step::Notice:
    case Step::Deliver: return at(process + kOfProcess + action.item);
    case Step::Land: return kNetwork;
    case Step::Wait: return kTime;
    case Step::Collect: return kCollector;
    case Step::Loop: return at(kFixed + scenario_.processes * width + action.item);
    case Step::Deed: return at(kFixed + scenario_.processes * width + loops_.size() + action.item);
    case Step::Repeat:
    case Step::Relist:
    case Step::Crash:
    case Step::MoveLease: return kTrouble;
  }
  return kTrouble;
}

std::string World::describe(const Action& action) const {
  const auto who = process_name(action.process);
  const auto kind = [&]() -> std::string {
    const auto& watches = blueprint_.watches();
    return action.item < watches.size() ? watches[action.item].collection.resource.plural : "all";
  };
  switch (action.step) {
    case Step::Connect:
      return action.lag == 0 ? fmt::format("{} lists everything", who)
                             : fmt::format("{} lists everything, {} as of {} changes ago", who,
                                           kind(), action.lag);
    case Step::Deliver: return fmt::format("{} hears of the next change of {}", who, kind());
    case Step::Repeat: return fmt::format("{} hears of the last change of {} again", who, kind());
    case Step::Relist: return fmt::format("the watch of {} by {} breaks: 410", kind(), who);
    case Step::Notice: return fmt::format("{} finds out whether {} are served", who, kind());
    case Step::Begin: return fmt::format("{} begins a pass", who);
    case Step::Effect: return with_fault_of(action, fmt::format("{} does its next effect", who));
    case Step::Land: return "a late request arrives";
    case Step::Wait: return "time passes";
    case Step::Collect: return "the garbage collector looks";
    case Step::Loop: return fmt::format("{} has work to do", loops_[action.item].name);
    case Step::Deed: {
      const auto& deed = scenario_.deeds[action.item];
      return fmt::format("{} {}", deed.who, deed.what);
    }
    case Step::Crash: return fmt::format("{} crashes and restarts", who);
    case Step::MoveLease: return "the lease changes hands";
  }
  return "something happens";
}

Telling World::tell(const State& before, const Action& action, const State& after) const {
  Telling telling{.from = actors_[actor(action)].name, .asks = describe(action)};
  switch (action.step) {
    case Step::Effect:
      telling.from = process_name(action.process);
      telling.to = kServerName;
      telling.asks = with_fault_of(action, effect_in_words(effect_of(before, action)));
      telling.answer = crashes(action.fault) ? "crashes" : after.witness->answer;
      break;
    case Step::Deliver:
    case Step::Connect:
    case Step::Relist:
    case Step::Notice:
    case Step::Repeat:
      telling.from = kServerName;
      telling.to = process_name(action.process);
      break;
    case Step::Deed:
      telling.from = scenario_.deeds[action.item].who;
      telling.asks = scenario_.deeds[action.item].what;
      telling.to = kServerName;
      break;
    case Step::Land: {
      telling.to = kServerName;
      telling.asks = "late: " + effect_in_words(before.in_flight[action.item].sent->effect);
      telling.answer = after.witness->answer;
      break;
    }
    case Step::Collect: telling.to = kServerName; break;
    default: break;
  }
  if (after.witness->ended) {
    const auto& end = after.witness->ended->end;
    telling.changes.push_back(
        fmt::format("the pass of {} is over{}{}", after.witness->ended->key.name,
                    end.failure.reason.empty() ? "" : ": ", end.failure.reason));
  }
  add_changes(*before.live, *after.live, telling.changes);
  return telling;
}

}  // namespace fixpoint::verify::world
