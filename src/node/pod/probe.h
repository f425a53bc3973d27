// SPDX-License-Identifier: Apache-2.0
//
// Probe: what is asked of a container, and what the answers amount to. Pure; prober.h asks.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

enum class ProbeKind : std::uint8_t { Startup, Readiness, Liveness };
// "Startup", "Readiness", "Liveness": how events begin.
std::string_view to_string(ProbeKind kind);

// What an action of a probe or a hook does.
struct HttpAction {
  bool tls = false;
  std::string host;
  std::uint16_t port = 0;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
};
struct Action {
  enum class Kind : std::uint8_t { None, Http, Tcp, Exec, Grpc, Sleep };
  Kind kind = Kind::None;
  HttpAction http;                   // Http; host and port also for Tcp
  std::vector<std::string> command;  // Exec
  Duration sleep{};
};
// `handler` is a probe or a life-cycle handler; ports by name are looked up in `container`.
// Invalid when the port is not there.
Result<Action> action_of(json::View handler, json::View container, std::string_view pod_ip);

struct ProbeSpec {
  ProbeKind kind = ProbeKind::Readiness;
  Duration initial_delay{};
  Duration period = std::chrono::seconds(10);
  Duration timeout = std::chrono::seconds(1);
  int success_threshold = 1;
  int failure_threshold = 3;

  // Nothing when the container has no such probe.
  static std::optional<ProbeSpec> of(json::View container, ProbeKind kind);
};

// Counts answers in a row; the verdict changes when enough agree.
class ProbeTrack {
 public:
  explicit ProbeTrack(ProbeSpec spec) : spec_(spec), passing_(spec.kind == ProbeKind::Liveness) {}

  // True when the verdict changed with this answer.
  bool answered(bool success);
  bool passing() const { return passing_; }
  // Liveness and startup: enough failures that the container is to be restarted.
  bool given_up() const { return given_up_; }
  const ProbeSpec& spec() const { return spec_; }

 private:
  ProbeSpec spec_;
  bool passing_;
  bool given_up_ = false;
  bool last_ = false;
  int in_a_row_ = 0;
};

}  // namespace fixpoint::node
