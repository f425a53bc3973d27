// SPDX-License-Identifier: Apache-2.0
//
// Pattern: a regular expression of a schema, in Go's dialect (RE2), compiled once per schema.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

class Pattern {
 public:
  // The error is in the words of Go's regexp package: "error parsing regexp: missing closing ):
  // `(`".
  static Result<std::shared_ptr<const Pattern>> compile(std::string_view text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Finds the pattern anywhere in the text, as Go's MatchString does; anchors are the author's.
  bool matches(std::string_view text) const;
  // What it matches, leftmost first and without overlaps, as Go's FindAllString gives it; at most
  // `count` unless that is negative.
  std::vector<std::string_view> find_all(std::string_view text, std::int64_t count) const;

 private:
  struct Program;
  explicit Pattern(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace fixpoint::kube
