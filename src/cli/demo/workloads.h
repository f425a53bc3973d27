// SPDX-License-Identifier: Apache-2.0
//
// Workloads: the part of the story where programs run. A Deployment is rolled over, and a
// StatefulSet of real Valkey servers gets a killed one back with its data.
#pragma once

#include "base/error.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"

#include <string>
#include <vector>

namespace fixpoint::cli::demo {

class Workloads {
 public:
  Workloads(Page& page, Session& session) : page_(page), session_(session) {}

  Result<void> tell();

 private:
  Result<void> deployment();
  Result<void> rolling_update();
  Result<void> stateful_set();
  Result<void> killed_pod();

  // Asks a server of the set, by its pod's address.
  Result<std::string> ask_valkey(int ordinal, const std::vector<std::string>& words);

  Page& page_;
  Session& session_;
};

}  // namespace fixpoint::cli::demo
