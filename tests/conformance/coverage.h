// SPDX-License-Identifier: Apache-2.0
//
// Coverage: what the sequences reached on the real server, verb by kind by outcome, so that a
// generator which only ever hears 404 is noticed.
#pragma once

#include "tests/conformance/session.h"

#include <cstdint>
#include <map>
#include <string>

namespace fixpoint::conformance {

class Coverage {
 public:
  void add(const Sequence& sequence, const Recording& real);
  void merge(const Coverage& other);

  // A table of resources by verbs: how often it succeeded, and how many sorts of refusals were met.
  std::string to_text() const;
  // The same as Markdown, with totals.
  std::string to_markdown() const;
  std::size_t kinds() const { return resources_.size(); }

 private:
  struct Cell {
    std::uint64_t succeeded = 0;
    std::map<std::string, std::uint64_t> refused;  // by "422 Invalid"
  };
  // resource -> verb ("create", "update", "patch:merge", "apply", …) -> outcomes
  std::map<std::string, std::map<std::string, Cell>> resources_;
};

}  // namespace fixpoint::conformance
