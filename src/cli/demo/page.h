// SPDX-License-Identifier: Apache-2.0
//
// Page: how the demo looks. Headings, the command line a person would type, and answers as tables.
//
// Everything is printed as soon as it is known, so a demo that hangs or fails shows how far it
// came.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cli::demo {

enum class Colour : std::uint8_t { Off, On };

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, three blanks apart, no blanks at the end of a line: as
// kubectl prints. The rows need not be of equal length.
std::string aligned(const std::vector<Row>& rows);

// A meta.k8s.io Table as kubectl shows it: upper-case headings, only columns of priority 0.
std::vector<Row> rows_of(json::View table);
// The rows of a Table alone, for a watch, whose later Tables come without headings.
std::vector<Row> body_rows(json::View table);

class Page {
 public:
  // `problem` is set once nobody reads any more (a closed pipe, a full disk): then there is nobody
  // to go on for.
  Page(Colour colour, std::string& problem) : colour_(colour), problem_(problem) {}

  void title(std::string_view text) const;
  // Numbered; `why` says what the section shows and why that matters.
  void section(std::string_view heading, std::string_view why);
  void command(std::string_view line) const;
  // Answers, indented; may be several lines.
  void text(std::string_view lines) const;
  void table(const std::vector<Row>& rows) const { text(aligned(rows)); }
  // What was checked and held, with the numbers that were measured.
  void proved(std::string_view line) const;

 private:
  void write(std::string_view line) const;
  void print(std::string_view style, std::string_view lines, std::string_view indent) const;

  Colour colour_;
  int sections_ = 0;
  std::string& problem_;
};

}  // namespace fixpoint::cli::demo
