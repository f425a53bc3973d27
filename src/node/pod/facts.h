// SPDX-License-Identifier: Apache-2.0
//
// PodFacts: everything the node agent knows about one pod at one moment, as plain values.
//
// Whoever owns processes, files and probes writes down here what happened; plan.h says from this
// alone what is to be done now, status.h what the API is told. So both are tested without a process
// or a clock. Read next: plan.h.
#pragma once

#include "base/clock.h"
#include "json/value.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

enum class Role : std::uint8_t {
  Init,     // runs to its end before the next one starts
  Sidecar,  // an init container that is kept running beside the others
  Regular,
};

enum class State : std::uint8_t {
  Absent,    // never started
  Starting,  // handed to its supervisor, which has not reported yet
  Running,
  Exited,
};

// How one run of a container ended.
struct Exit {
  int code = 0;
  std::string reason;  // Completed, Error, OOMKilled, StartError, ContainerStatusUnknown
  std::string message;
  std::optional<Instant> started;  // nothing: it never was
  std::optional<Instant> finished;
  std::string id;

  bool operator==(const Exit&) const = default;
};

// Why a container that should run does not: what `kubectl get pods` shows.
struct Waiting {
  std::string reason;
  std::string message;

  bool operator==(const Waiting&) const = default;
};

// When a container that ended may be started again: at once the first time, then after 10 s, 20 s,
// … 5 min; forgotten once it ran for ten minutes.
struct RestartBackoff {
  static constexpr Duration kInitial = std::chrono::seconds(10);
  static constexpr Duration kMax = std::chrono::minutes(5);

  Duration current{};  // zero: it never ended
  Instant updated{};

  bool operator==(const RestartBackoff&) const = default;
  // How long after `finished` to wait.
  Duration wait_after(Instant finished) const;
  // It is started again, after an end at `finished`.
  void started_again(Instant finished, Instant now);

 private:
  bool forgotten(Instant finished) const { return finished - updated > 2 * kMax; }
};

struct ContainerFacts {
  std::string name;
  Role role = Role::Regular;
  State state = State::Absent;
  std::string id;                     // of the run at hand, "fixpoint://…"
  std::string image_id;               // what stands for the image here
  std::optional<Instant> started_at;  // Running
  std::optional<Exit> exit;           // Exited: how
  std::optional<Exit> previous;       // the run before this one
  int restarts = 0;                   // runs before this one
  RestartBackoff backoff;
  // The last attempt to create it failed like this; not tried again before `retry_at`.
  std::optional<Waiting> blocked;
  std::optional<Instant> retry_at;
  // From its probes. A container without a probe passes it.
  bool startup_passed = false;
  bool ready = false;
  // A probe wants it restarted: the sentence for the event.
  std::string unhealthy;
  bool stopping = false;  // a stop is under way

  bool active() const { return state == State::Starting || state == State::Running; }
  bool started() const { return state == State::Running && startup_passed; }
};

struct PodFacts {
  json::Value pod;                         // as the API has it
  std::vector<ContainerFacts> containers;  // init containers first, in the order of the spec
  std::string ip;
  std::string host_ip;
  std::optional<Instant> acknowledged;  // status.startTime
  // What must be there before any container: volumes are mounted, the address is the pod's.
  bool prepared = false;
  std::optional<Instant> ending_since;  // its containers are being stopped for good
  bool gone = false;                    // the API has no such pod any more
  std::string over_storage;             // it keeps more on disk than it may: the sentence
};

// The spec of a container of this pod; null when there is none of that name.
json::View container_spec(json::View pod, std::string_view name);
// Facts of a pod that nothing happened to yet.
PodFacts new_facts(json::Value pod);

}  // namespace fixpoint::node
