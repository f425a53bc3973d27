// SPDX-License-Identifier: Apache-2.0
//
// Workloads: what the controllers of Deployments, ReplicaSets and StatefulSets make of a play, on a
// real cluster and on ours.
//
// Nobody runs pods on either side: the stage plays the kubelet and makes one pod ready at a time,
// waiting for the controllers to rest before it does. So the states of rest are the same sequence
// on both sides, whatever the controllers do in between, and are compared whole: every object of
// the namespace, without what must differ (uids, times, versions, random names).
#pragma once

#include "json/value.h"
#include "tests/conformance/server.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

// One deed of a person.
struct Deed {
  std::string method;
  // After the namespace's ("apps/deployments/web"), or from the root ("/api/v1/nodes"). In path and
  // body "<ns>" is the namespace and "<now>" the time; "<any>" in the path is a pod that is at
  // work, "<2>" the one at work on index 2, and the same in the body.
  std::string path;
  std::string body;
};

struct Act {
  std::string name;
  std::vector<Deed> deeds;
  // How pods become ready afterwards. Those of an image called "broken…" never do.
  enum class Pods : std::uint8_t { OneByOne, AllAtOnce, AsTheyAre };
  Pods pods = Pods::AllAtOnce;
  Duration wait{};  // before the controllers are taken to rest: for what only time does
  // Then until the clock next shows this second of a minute.
  std::optional<int> second = std::nullopt;
};

struct Play {
  std::string_view name;
  std::string_view says;
  std::vector<Act> acts;
  // From the second act on the ReplicaSets never want more pods together, nor are fewer ready. (For
  // a moment there may be more pods: two sets do not wait for one another.)
  struct Bounds {
    std::int64_t wanted_max = 0;
    std::int64_t ready_min = 0;
  };
  std::optional<Bounds> bounds = std::nullopt;
};

std::vector<Play> plays();
// Those of them in which pods run to an end; with nodes, which are labelled play=<ns>; with budgets
// of disruption; and with autoscalers that have no metrics.
std::vector<Play> job_plays();
std::vector<Play> daemon_plays();
std::vector<Play> budget_plays();
std::vector<Play> autoscaler_plays();

// A state of rest.
struct Rest {
  std::string after;    // the act, and which time
  json::Value picture;  // every object of the namespace, normalised
};

struct Performance {
  std::vector<Rest> rests;
  std::vector<std::string> told;  // Events: kind, reason and message, each once
  std::int64_t wanted_max = 0;    // from the second act on
  std::int64_t ready_min = 0;
  std::vector<std::string> problems;  // deeds that were refused
};

// `quiet`: no change for so long means that the controllers rest.
Performance perform(Server& server, const Play& play, Duration quiet);

}  // namespace fixpoint::conformance
