// SPDX-License-Identifier: Apache-2.0
//
// The line that shows how far an exploration has come: rewritten in place on a terminal, a new one
// now and then in a log. On stderr: the answer is the report.
#pragma once

#include "base/clock.h"
#include "verify/explorer/exploration.h"
#include "verify/mutant.h"

#include <cstddef>
#include <optional>
#include <string>

namespace fixpoint::cli {

class VerifyProgress {
 public:
  explicit VerifyProgress(std::optional<Duration> time_limit);

  void show(const verify::Progress& progress);
  // Takes the line away, so that what comes next begins at the left.
  void clear();

 private:
  std::optional<Duration> time_limit_;
  bool terminal_;
  bool shown_ = false;
  Duration next_{};
};

// "12,345,678 states, frontier 456,789, depth 23, 1,234,567/s, 512 MiB, 1m30s left".
std::string progress_text(const verify::Progress& progress, std::optional<Duration> time_limit);

// How far a hunt for mutants is, on one line of the terminal; nothing elsewhere, where each of them
// has its own line anyway.
class MutantProgress {
 public:
  MutantProgress();
  void show(const verify::Mutant& last, std::size_t done, std::size_t all);
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  std::size_t killed_ = 0;
};

}  // namespace fixpoint::cli
