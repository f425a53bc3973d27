// SPDX-License-Identifier: Apache-2.0
//
// Story: what the demo does, one section a function. Each checks what the server answered; the
// first thing that is not as it should be ends the story with an error. The part with running
// programs is workloads.h.
//
// Every number that is printed was measured in this run. Read next: page.h for the looks,
// session.h for the requests.
#pragma once

#include "base/error.h"
#include "cli/demo/page.h"
#include "cli/demo/server.h"
#include "cli/demo/session.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace fixpoint::cli::demo {

class Story {
 public:
  // Everything the demo writes to disk lies in `directory`.
  Story(Stage& stage, Page& page, std::filesystem::path directory)
      : stage_(stage), page_(page), directory_(std::move(directory)) {}

  Result<void> tell();
  // For a person who has to find out what went wrong; empty when no server ran.
  std::string server_log() const { return server_ ? server_->log() : std::string{}; }

 private:
  Result<void> start();
  Result<void> new_kind();
  Result<void> columns();
  Result<void> watch();
  Result<void> conflict();
  Result<void> crash();
  Result<void> garbage();
  Result<void> namespace_deletion();
  Result<void> stop();

  Result<void> start_server();
  Result<void> show_owners();
  Result<void> compare_after_crash(const class Burst& burst, const json::Value& before);

  Stage& stage_;
  Page& page_;
  std::filesystem::path directory_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Session> session_;  // before server_ goes, so declared after it
};

}  // namespace fixpoint::cli::demo
