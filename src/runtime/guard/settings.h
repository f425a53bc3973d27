// SPDX-License-Identifier: Apache-2.0
//
// The numbers of the edit-war guard. A rule fires at the N-th contested drift inside its window;
// that drift is not corrected any more. The defaults: a person who edits a few times, a rollout and
// an upgrade never meet a limit; whoever changes the same thing back again and again does, whether
// every second or every hour.
#pragma once

#include "base/clock.h"
#include "kube/meta/gvk.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace fixpoint::runtime {

struct GuardLimit {
  std::size_t count = 0;  // 0: the rule is off
  Duration window{};
};

struct TokenRate {
  double capacity = 0;
  Duration each{};  // the time one token takes to come back
};

// The names of the annotations that hold a pause.
struct GuardNames {
  std::string paused = "fixpoint.dev/reconcile-paused";  // paused when exactly "true"
  std::string info = "fixpoint.dev/pause-info";          // who paused it and why, as JSON
  std::string resume = "fixpoint.dev/resume";            // on the primary: ids to resume, by comma
  std::string manager = "fixpoint-guard";                // the field manager of the two above
};

struct GuardSettings {
  // Who we are in pause records: the operator's name, the same in every process that runs it.
  std::string by;
  GuardNames names;

  GuardLimit warn_strict{3, std::chrono::hours(24)};
  GuardLimit warn_loose{8, std::chrono::hours(24)};
  GuardLimit burst{16, std::chrono::seconds(60)};
  GuardLimit strict_short{9, std::chrono::minutes(15)};
  GuardLimit strict_day{13, std::chrono::hours(24)};
  GuardLimit loose_hour{25, std::chrono::minutes(60)};
  GuardLimit loose_day{61, std::chrono::hours(24)};
  // Whoever changes its name or its paths every time stays below all of the above.
  GuardLimit any_day{200, std::chrono::hours(24)};
  GuardLimit expensive_strict{3, std::chrono::hours(24)};
  // After a person resumed, the same fingerprint again.
  GuardLimit probation{3, std::chrono::minutes(15)};
  std::size_t unconverged_max = 3;  // drifts in a row with nobody else writing
  GuardLimit strips{3, std::chrono::minutes(10)};
  Duration quiet = std::chrono::hours(24);  // no contested drift for this long: all is forgotten

  TokenRate tokens{10, std::chrono::seconds(6)};
  TokenRate expensive_tokens{2, std::chrono::minutes(10)};
  // Of all contested objects together; the rest of the work is not slowed down by wars.
  TokenRate global_tokens{100, std::chrono::milliseconds(50)};

  // A write of these restarts nodes or pods on every node.
  std::vector<kube::GroupKind> expensive{
      {"machineconfiguration.openshift.io", "MachineConfig"},
      {"machineconfiguration.openshift.io", "KubeletConfig"},
      {"apps",                              "DaemonSet"    }
  };
  // Objects remembered, a few hundred bytes each; of those without any history the longest unused
  // are forgotten first.
  std::size_t objects_max = 200'000;
  bool clear_when_converged = true;
  Duration converged_for = std::chrono::minutes(30);
};

}  // namespace fixpoint::runtime
