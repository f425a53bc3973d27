// SPDX-License-Identifier: Apache-2.0
//
// StellarStory: the shipped operator with StellarNodes on the embedded cluster, one trouble after
// the other, each produced for real: the operator is a process of its own that is killed, and what
// it says to the server goes through a Link that is cut.
//
// Every section checks what it claims; the first thing that is not so ends the story.
#pragma once

#include "base/error.h"
#include "cli/demo/child.h"
#include "cli/demo/cluster.h"
#include "cli/demo/link.h"
#include "cli/demo/page.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cli::demo {

class StellarStory {
 public:
  explicit StellarStory(Cluster& cluster)
      : cluster_(cluster), stage_(cluster.stage()), page_(cluster.page()) {}

  // Whether this program and this machine can tell it; else the words that say why not.
  static Result<void> possible();
  Result<void> tell();
  // The operator's.
  std::string log() const { return operator_ ? operator_->log() : std::string{}; }

 private:
  Result<void> nodes();
  Result<void> mistake();
  Result<void> killed();
  Result<void> quota();
  Result<void> partition();
  Result<void> proof();
  // What the verifier says of a case.
  Result<json::Value> verified(std::string_view scenario);
  Result<void> stop_operator();

  struct Part {
    std::string kind;  // "Service"
    std::string name;
    std::string uid;
    std::string version;
    friend bool operator==(const Part&, const Part&) = default;
  };
  Result<void> install();
  Result<void> start_operator();
  Result<void> make_secret(std::string_view name, std::string_view key, std::string_view value);
  Result<void> make_node(std::string_view name, std::string_view yaml);
  Result<json::Value> until_running(std::string_view name);
  // Everything with the node's label, pods among it.
  Result<std::vector<Part>> parts_of(std::string_view name);
  void show(const std::vector<Part>& parts) const;
  Session& session() { return cluster_.session(); }

  Cluster& cluster_;
  Stage& stage_;
  Page& page_;
  std::unique_ptr<Link> link_;
  std::unique_ptr<Child> operator_;
};

}  // namespace fixpoint::cli::demo
