// SPDX-License-Identifier: Apache-2.0
//
// locks: a program with an operator that repeats a published mistake (K8SPSMDB-578): a Lock needs
// two ConfigMaps, and whoever finds the first takes it that the second is there as well. A crash
// between the two leaves a lock without its key for ever. With LOCKS_REPAIRED in its environment
// the process has learned better, and the one that is verified has not.
#include "cli/program.h"
#include "kube/meta/metadata.h"
#include "runtime/typed.h"
#include "verify/world/scenario.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace locks {
namespace {

using namespace fixpoint;
using namespace fixpoint::runtime;

struct Spec {
  std::string word = "sesame";

  static types::Table table() {
    return types::describe<Spec>("What opens it.", {
                                                       {"word", &Spec::word, "The word."},
    });
  }
};

struct Status {
  std::string phase;

  static types::Table table() {
    return types::describe<Status>("What is so.", {
                                                      {"phase", &Status::phase, "Locked."},
    });
  }
};

bool is_verified = false;  // by this process

bool knows_better() {
  return !is_verified && std::getenv("LOCKS_REPAIRED") != nullptr;
}

struct Locksmith {
  using Spec = locks::Spec;
  using Status = locks::Status;
  using Facts = bool;  // there is a lock

  static types::Kind kind() {
    return {.group = "example.fixpoint.dev",
            .name = "Lock",
            .plural = "locks",
            .doc = "A lock and its key.",
            .versions = {{.spec = &types::table_of<Spec>(), .status = &types::table_of<Status>()}}};
  }
  static Declaration declare() {
    return {
        .name = "locks",
        .watches = {reconciles(kind()), owns("v1", "ConfigMap")},
        .finalizer = "example.fixpoint.dev/locks"
    };
  }
  Result<Facts> observe(const Primary<Spec>& lock, const Reader& reader, Probes&) const {
    return !reader.get({"", "v1", "ConfigMap"}, {lock.key.ns, lock.key.name + "-lock"}).is_null();
  }
  Plan decide(const Primary<Spec>& lock, Facts there, Instant) const {
    if (there && !knows_better()) return {};
    const auto data = object({
        {"word", lock.spec.word}
    });
    const auto named = [&](const std::string& what) {
      return child(
          {
              lock.key.ns, lock.key.name + what
      },
          "v1", "ConfigMap", {{"data", data}});
    };
    return Plan{}.apply(named("-lock")).apply(named("-key"));
  }
  Verdict<Status> conclude(const Primary<Spec>&, Facts, const Outcomes& done) const {
    return {{done.problem() ? "Broken" : "Locked"}, {ready(done, "")}};
  }
};

OperatorEntry entry() {
  return entry_of<Locksmith>("locks", "A lock and its key (with a mistake)");
}

verify::world::Trial trial() {
  using namespace fixpoint::verify::world;
  is_verified = true;
  auto parts = entry().make();
  return {
      .name = "locks",
      .summary = "a lock and its key (with a mistake)",
      .reconciler = std::shared_ptr<const Operator>(std::move(parts.front().reconciler)),
      .definitions = {types::crd(*entry().kinds().front())},
      .scenarios = {{.name = "crash",
                     .summary = "the process dies once",
                     .budget = Budget{}.with("crash=1").value(),
                     .objects = {"{apiVersion: example.fixpoint.dev/v1, kind: Lock,"
                                 " metadata: {name: door}, spec: {word: sesame}}"},
                     .deeds = {},
                     .match =
                         [](const Look& look, json::View) {
                           return look.list(builtin("v1", "ConfigMap")).size() == 2;
                         }}},
  };
}

}  // namespace
}  // namespace locks

int main(int argc, char** argv) {
  const std::array operators{locks::entry()};
  const std::array trials{fixpoint::cli::MakeTrial{locks::trial}};
  return fixpoint::cli::run_program(argc, argv, operators, trials);
}
