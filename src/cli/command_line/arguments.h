// SPDX-License-Identifier: Apache-2.0
//
// Arguments: a command line that has been checked against its Command.
//
// A flag is "--name", "--name value" or "--name=value"; "--" ends the flags. A value that begins
// with a dash needs the "=" form, so a forgotten value never swallows the next flag.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "cli/command_line/command.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cli {

class Arguments {
 public:
  // Refuses unknown, repeated, contradicting, misspelt and superfluous arguments; the message names
  // the argument and, where one is near, the right one.
  static Result<Arguments> parse(const Command& command, std::span<const std::string_view> words);

  bool wants_help() const { return wants_help_; }
  // True when the flag was on the command line.
  bool given(std::string_view flag) const { return values_.contains(flag); }
  // The flag's value, or its fallback. The flag must be one of the command's.
  std::string_view value(std::string_view flag) const;
  // The value as a time above zero, as Go writes it: "500ms", "1m30s".
  Result<Duration> duration(std::string_view flag) const;
  // The value taken apart at its commas; nothing gives none.
  std::vector<std::string> list(std::string_view flag) const;
  // By place; empty when an optional one was left out.
  std::string_view positional(std::size_t index) const;

 private:
  explicit Arguments(const Command& command) : command_(&command) {}

  Result<void> take_flag(std::string_view word, std::span<const std::string_view>& rest);
  Result<void> take_positional(std::string_view word);
  Result<void> check_whole() const;

  const Command* command_;
  bool wants_help_ = false;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> positionals_;
};

// From 0, for any that is free, to 65535.
Result<std::uint16_t> parse_port(std::string_view text);

}  // namespace fixpoint::cli
