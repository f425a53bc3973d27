// SPDX-License-Identifier: Apache-2.0
//
// Session: one sequence on one server. Fills in placeholders from what this server answered, and
// keeps every answer.
#pragma once

#include "tests/conformance/server.h"
#include "tests/conformance/step.h"

#include <string>
#include <vector>

namespace fixpoint::conformance {

// One step as it was sent and answered; a watch's answer has all its events.
struct Observation {
  Call call;
  Answer answer;
};

struct Recording {
  std::string ns;
  std::string id;
  std::vector<Observation> steps;    // one per step of the sequence
  std::vector<Observation> watches;  // events of the touched collections since the beginning
};

class Session {
 public:
  // `id` names the namespace; the same on all servers, used once.
  Session(Server& server, const Sequence& sequence, std::string id);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Sends every step, then opens the closing watches.
  void run();
  // Reads the live watches until none of them says anything for `quiet`.
  void listen(Duration quiet, Duration longest);
  // True when the watches have ended and the recording is whole.
  bool finished() const;
  Recording take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs it to its end.
Recording record(Server& server, const Sequence& sequence, std::string id);

}  // namespace fixpoint::conformance
