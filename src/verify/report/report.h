// SPDX-License-Identifier: Apache-2.0
//
// Report: what one exploration says about its subject, for people and for programs.
#pragma once

#include "json/value.h"
#include "verify/explorer/exploration.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fixpoint::verify {

// "budget" -> "crash=1,error=2": what, beside subject and scenario, decides what is explored.
using Parameters = std::map<std::string, std::string>;

// A further table; what is missing in it counts as a failure.
struct Section {
  std::string title;
  std::string text;
  std::size_t missing = 0;
};

enum class Conclusion : std::uint8_t {
  Proved,      // complete, and everything holds
  Violated,    // something does not hold, was vacuous, or was never covered
  Incomplete,  // nothing is known to be wrong, but not everything was seen
  Sampled,     // nothing was found to be wrong, and more than a sample was not asked for
};

struct Report {
  // These three are set by whoever asks.
  std::string program = "fixpoint";
  std::string subject = {};
  bool false_on_purpose = false;  // then it is right to be violated
  std::string scenario = {};
  Parameters parameters = {};
  unsigned workers = 1;
  Exploration exploration = {};
  std::vector<Section> sections = {};

  Conclusion conclusion() const;
  // The same in a few words.
  std::string_view verdict() const;
  // "fixpoint verify model:2pc --size 7".
  std::string command() const;
};

// What there is to say about the exploration as a whole, label by label.
struct Figure {
  std::string_view label;
  std::string text;
};
std::vector<Figure> figures_of(const Report& report);

std::string to_text(const Report& report);
json::Value to_json(const Report& report);

// 61515776 as "61,515,776".
std::string grouped(std::uint64_t number);

}  // namespace fixpoint::verify
