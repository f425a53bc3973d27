// SPDX-License-Identifier: Apache-2.0
//
// Cluster: the server that a story is told on, from its first start to its clean end. What it keeps
// lies in one directory, so that it can be killed and started again.
#pragma once

#include "base/error.h"
#include "cli/demo/child.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace fixpoint::cli::demo {

class Cluster {
 public:
  Cluster(Stage& stage, Page& page, std::filesystem::path directory)
      : stage_(stage), page_(page), directory_(std::move(directory)) {}

  // The first section: a cluster from nothing.
  Result<void> introduce();
  // Starts the server, also once more on what a killed one left.
  Result<void> start();
  // The last section: a clean end.
  Result<void> stop();

  Stage& stage() { return stage_; }
  Page& page() { return page_; }
  Session& session() { return *session_; }
  Child& server() { return *server_; }
  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path kubeconfig() const { return directory_ / "kubeconfig"; }
  // For a person who has to find out what went wrong; empty when no server ran.
  std::string log() const { return server_ ? server_->log() : std::string{}; }

 private:
  Stage& stage_;
  Page& page_;
  std::filesystem::path directory_;
  std::unique_ptr<Child> server_;
  std::unique_ptr<Session> session_;  // before server_ goes, so declared after it
};

}  // namespace fixpoint::cli::demo
