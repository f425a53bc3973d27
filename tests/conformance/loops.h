// SPDX-License-Identifier: Apache-2.0
//
// Loops: what the built-in controllers make of a situation: garbage collection and the end of a
// namespace, on a real cluster and on ours.
//
// A loop acts when it likes, so answers and resourceVersions are not compared but lives: for every
// object the states that a watcher saw, in order, and the order in which objects ended where the
// rules promise one.
#pragma once

#include "json/value.h"
#include "tests/conformance/session.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::conformance {

struct Situation {
  std::string_view name;
  std::string_view says;
  std::vector<Step> steps;
  // Collections to look at, as in Sequence::watches.
  std::vector<std::string> watches;
  // Objects of which the first is gone before the second: "configmaps/a" before "configmaps/b".
  std::vector<std::pair<std::string, std::string>> ends_before = {};
};

std::vector<Situation> situations();

// "configmaps/a" -> the states seen, without resourceVersions; "gone" last when it ended.
using Life = std::vector<json::Value>;
struct Lives {
  std::map<std::string, Life> objects;
  std::vector<std::string> ended;  // in this order
};

Lives live_through(Server& server, const Situation& situation);
// States of one life in words, for tables: "ADDED, MODIFIED (deleting), gone".
std::string to_text(const Life& life);

}  // namespace fixpoint::conformance
