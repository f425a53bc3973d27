// SPDX-License-Identifier: Apache-2.0
//
// Coverage: which fault happened at which effect. A table with a hole is a failure: what never
// happened was not verified.
#pragma once

#include "verify/world/fault.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fixpoint::verify::world {

class Coverage {
 public:
  enum class Cell : std::uint8_t {
    Senseless,  // it makes no sense there, or the run has no budget for such a thing
    Beyond,     // whenever the effect was reached the budget was spent already
    Missed,     // it could have happened and did not
    Happened,
  };
  struct Row {
    std::string site;
    std::array<Cell, kFaults> cells{};
  };

  // The effect was reached with this left of the budget.
  void reached(const runtime::Effect& effect, const Budget& whole, const Budget& left);
  void happened(const runtime::Effect& effect, Fault fault);

  Coverage() = default;
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

  std::vector<Row> rows() const;
  std::size_t missed() const { return count(Cell::Missed); }
  std::size_t count(Cell cell) const;
  // As a table for people.
  std::string to_string() const;

 private:
  // True when this was noted before: asked millions of times, so without a name or a lock.
  bool noted(const runtime::Effect& effect, std::uint64_t what);

  std::array<std::atomic<std::uint64_t>, 4096> noted_{};
  mutable std::mutex mutex_;  // of rows_
  std::map<std::string, Row> rows_;
};

}  // namespace fixpoint::verify::world
