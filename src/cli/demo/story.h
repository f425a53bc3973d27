// SPDX-License-Identifier: Apache-2.0
//
// Story: what the demo of the cluster itself does, one section a function. Each checks what the
// server answered; the first thing that is not as it should be ends the story with an error. The
// part with running programs is workloads.h.
//
// Every number that is printed was measured in this run. Read next: page.h for the looks,
// session.h for the requests.
#pragma once

#include "base/error.h"
#include "cli/demo/cluster.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"

namespace fixpoint::cli::demo {

class Story {
 public:
  explicit Story(Cluster& cluster)
      : cluster_(cluster), stage_(cluster.stage()), page_(cluster.page()) {}

  Result<void> tell();

 private:
  Result<void> new_kind();
  Result<void> columns();
  Result<void> watch();
  Result<void> conflict();
  Result<void> crash();
  Result<void> garbage();
  Result<void> namespace_deletion();

  Result<void> show_owners();
  Result<void> compare_after_crash(const class Burst& burst, const json::Value& before);

  Cluster& cluster_;
  Stage& stage_;
  Page& page_;
};

}  // namespace fixpoint::cli::demo
