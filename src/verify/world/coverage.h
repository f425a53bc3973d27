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
  enum class Cell : std::uint8_t { Senseless, Missed, Happened };
  struct Row {
    std::string site;
    std::array<Cell, kFaults> cells{};
  };

  // The effect was reached with this budget (of the whole run): what could happen to it.
  void reached(const runtime::Effect& effect, const Budget& whole);
  void happened(const runtime::Effect& effect, Fault fault);

  Coverage() = default;
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

  std::vector<Row> rows() const;
  std::size_t missed() const;
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
