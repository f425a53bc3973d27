// SPDX-License-Identifier: Apache-2.0
//
// Workloads: the part of the story where programs run. A Deployment is rolled over, and a
// StatefulSet of real Valkey servers gets a killed one back with its data.
#pragma once

#include "base/error.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cli::demo {

class Workloads {
 public:
  Workloads(Stage& stage, Page& page, Session& session)
      : stage_(stage), page_(page), session_(session) {}

  Result<void> tell();

 private:
  Result<void> deployment();
  Result<void> rolling_update();
  Result<void> stateful_set();
  Result<void> killed_pod();

  // Watches one object from its present state until it is so, and gives it as it is then.
  using Holds = std::function<bool(json::View object)>;
  Result<json::Value> until(std::string_view what, std::string_view collection,
                            std::string_view name, const Holds& holds);
  // Asks a server of the set, by its pod's address.
  Result<std::string> ask_valkey(int ordinal, const std::vector<std::string>& words);

  Stage& stage_;
  Page& page_;
  Session& session_;
};

}  // namespace fixpoint::cli::demo
