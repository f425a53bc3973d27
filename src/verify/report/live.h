// SPDX-License-Identifier: Apache-2.0
//
// LiveScript: a counterexample as a real API server and a real process of the operator can go
// through it: what there is at the beginning, what the process is expected to ask for and how each
// request ends, what people do in between, and what is stored in the end.
//
// What a process does by itself (hearing of changes, beginning a pass, waiting) is its own business
// and not part of a script.
#pragma once

#include "apiserver/request.h"
#include "json/value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::verify {

struct LiveStep {
  enum class End : std::uint8_t {
    Answered,
    Refused,      // by somebody on the way, with `code` and `body`
    LostBefore,   // no answer; the server has not heard of it
    LostAfter,    // no answer; the server has acted
    CrashBefore,  // the process dies; the server has not heard of it
    CrashAfter,   // the process dies; the server has acted
  };
  std::string told;  // as the story tells it
  // What the process asks for; no method: nobody asks.
  std::string method = {};
  std::string path = {};
  End end = End::Answered;
  int code = 0;
  std::string body = {};
  bool crash = false;                          // the process dies between two requests
  std::vector<apiserver::Request> deeds = {};  // what somebody does
};

struct LiveScript {
  std::string subject;
  std::vector<apiserver::Request> definitions;  // of kinds
  std::vector<apiserver::Request> objects;
  std::vector<LiveStep> steps;
  struct Expected {
    std::string key;   // of the store
    json::Value body;  // null: it is not there
  };
  std::vector<Expected> end;
};

// What is left of an object without what no two clusters have in common: uids, versions, times.
json::Value essence_of(json::View object);

}  // namespace fixpoint::verify
