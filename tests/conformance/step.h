// SPDX-License-Identifier: Apache-2.0
//
// Step and Sequence: requests in symbolic form, so that the same ones can be sent to several
// servers and again after some of them were left out.
//
// What only a server can know is written as a placeholder and filled in from what that server
// answered before, in this sequence, about the object at PATH:
//   <<ns>>            the sequence's own namespace, made before its first step
//   <<id>>            a name part that no other sequence has, for what lives in no namespace
//   <<uid PATH>>      its uid                  <<rv PATH>>   its newest resourceVersion
//   <<old PATH>>      the one before that      <<rv>>        where the sequence began
//   <<continue>>      the token of the last page listed
//   <<listed>>        the resourceVersion of the last list
// A uid never seen becomes one that no server has, a version never seen the sequence's beginning.
// Read next: session.h, which sends them; gen.h, with which areas make them.
#pragma once

#include "base/clock.h"
#include "net/http.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fixpoint::conformance {

struct Step {
  std::string method = "GET";  // or "WATCH": a live watch, read until the sequence's end
  std::string path;            // with placeholders, percent-encoded
  std::string query;           // with placeholders, percent-encoded
  std::string content_type;    // empty: application/json when there is a body
  std::string accept;          // empty: application/json
  net::Headers headers;        // impersonation and the like
  std::string body;            // text with placeholders
  // Not empty: the body sent is the newest object seen at this path with `body` merged in (RFC
  // 7386), as someone who reads, changes and writes back would send it.
  std::string base;
  // A real server hears of some writes (roles, quotas, definitions) only after a moment; it gets
  // this long before the next step.
  Duration settle{};
  // Not empty: what is at this path has to show the same for that long, however busy a server is.
  std::string rests_at;
};

struct Sequence {
  std::string area;
  std::uint64_t seed = 0;
  std::vector<Step> steps;
  // Needs HTTP around the core (impersonation, negotiation, discovery): not run in process.
  bool http_only = false;
  // Collections (path and query) whose events since the beginning are compared after the last step.
  // Empty: derived from the steps. "-" alone: none.
  std::vector<std::string> watches;
};

// The plainest objects of a sequence's own namespace.
inline constexpr auto kMaps = "/api/v1/namespaces/<<ns>>/configmaps";

// "POST /api/v1/namespaces/<<ns>>/configmaps?dryRun=All", for people.
std::string to_text(const Step& step);

}  // namespace fixpoint::conformance
