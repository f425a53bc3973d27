// SPDX-License-Identifier: Apache-2.0
//
// PassFixture: one pass at a time over a TestWorld, with every effect in the test's hands.
#pragma once

#include "runtime/cache/fake_client.h"
#include "runtime/controller/pass.h"
#include "runtime/controller/test_world.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {

enum class Fault : std::uint8_t {
  None,
  Before,       // refused with 500, nothing happened
  NotSent,      // never reached the server
  LostBefore,   // unknown fate; it was not acted upon
  LostAfter,    // unknown fate; it was acted upon
  CrashBefore,  // the process dies before it is acted upon
  CrashAfter,   // the process dies after it was acted upon
};

class PassFixture : public testing::Test {
 protected:
  PassFixture() {
    settings_.reconciler = &operator_;
    settings_.field_manager = "fixpoint-boats";
  }

  // What the world answers.
  EffectReply carry_out(const Effect& effect) {
    if (const auto* api = std::get_if<ApiEffect>(&effect.what)) {
      calls_.push_back(api->call);
      return world_.call(api->call);
    }
    if (const auto* list = std::get_if<ListEffect>(&effect.what)) return world_.list(list->call);
    if (const auto* resolve = std::get_if<ResolveEffect>(&effect.what)) {
      ++resolved_;
      if (resolve->kind == kBoatKind)
        return std::expected<client::Resource, client::CallError>{kBoats};
      return std::expected<client::Resource, client::CallError>{
          std::unexpected(refused(404, "NotFound", "no such kind"))};
    }
    if (const auto* probe = std::get_if<ProbeEffect>(&effect.what)) return on_probe_(probe->probe);
    return on_effect_(std::get<OutsideEffect>(effect.what).step);
  }

  Pass start(std::string_view name = "a") {
    return Pass(
        {
            .settings = &settings_,
            .key = {"ns", std::string{name}},
            .id = ++passes_,
            .memory = memory_
    },
        world_, world_.clock.wall());
  }
  // Runs to the end; `between` may do anything before each effect is carried out.
  PassEnd finish(Pass pass) {
    while (!pass.end()) {
      auto effects = pass.take_effects();
      if (effects.empty() && !pass.end()) {
        ADD_FAILURE() << "neither an effect nor an end";
        return {};
      }
      for (const Effect& effect : effects) {
        if (between_) between_(effect);
        pass.answer(effect.id, answer_with(effect), world_, world_.clock.wall());
      }
    }
    PassEnd end = pass.take_end();
    memory_ = end.memory;
    return end;
  }
  PassEnd run(std::string_view name = "a") { return finish(start(name)); }
  // Synced before each: passes until one changes nothing and wants nothing.
  PassEnd settle(std::string_view name = "a", int passes_max = 20) {
    PassEnd end;
    for (int pass = 0; pass < passes_max; ++pass) {
      world_.sync();
      end = run(name);
      if (end.writes == 0 && end.result == PassEnd::Result::Success) return end;
    }
    ADD_FAILURE() << "did not settle: " << end.failure.reason << " " << end.failure.message;
    return end;
  }
  std::vector<std::string> verbs() const {
    std::vector<std::string> verbs;
    for (const auto& call : calls_) {
      static constexpr const char* kNames[] = {"get",   "create", "update",          "patch",
                                               "apply", "delete", "deletecollection"};
      verbs.push_back(std::string{kNames[static_cast<int>(call.verb)]} + " " +
                      call.resource.plural +
                      (call.subresource.empty() ? "" : "/" + call.subresource));
    }
    return verbs;
  }
  EffectReply answer_with(const Effect& effect) {
    if (on_call_) {
      if (const auto* api = std::get_if<ApiEffect>(&effect.what)) {
        if (auto instead = on_call_(api->call)) return *std::move(instead);
      }
    }
    return carry_out(effect);
  }
  json::View cached(const client::Resource& resource, std::string_view name) const {
    return world_.contents.at(resource.kind)
        .get({resource.scope == client::Scope::Cluster ? "" : "ns", std::string{name}});
  }

  TestWorld world_;
  TestOperator operator_;
  Pass::Settings settings_;
  KeyMemory memory_;
  std::vector<client::Call> calls_;
  std::uint64_t passes_ = 0;
  int resolved_ = 0;
  std::function<void(const Effect&)> between_;
  std::function<std::optional<client::Reply>(const client::Call&)> on_call_;
  std::function<Result<json::Value>(const Probe&)> on_probe_ = [](const Probe&) {
    return Result<json::Value>{json::Value::integer(1)};
  };
  std::function<Result<json::Value>(const EffectStep&)> on_effect_ = [](const EffectStep&) {
    return Result<json::Value>{json::Value::boolean(true)};
  };
};

}  // namespace fixpoint::runtime
