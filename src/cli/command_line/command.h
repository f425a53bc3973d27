// SPDX-License-Identifier: Apache-2.0
//
// Command: what a subcommand is, as data. Parsing, help, suggestions and shell completion all read
// this one description, so they cannot disagree.
//
// A subcommand is one file that defines a `const Command`; cli/commands.cc lists it.
// Read next: arguments.h (parsing), cli/commands.cc (the table).
#pragma once

#include <span>
#include <string_view>

namespace fixpoint::cli {

class Arguments;

struct Flag {
  std::string_view name;              // without the dashes
  std::string_view placeholder = {};  // "FILE", "DIR", …; empty for a switch that takes no value
  std::string_view help;              // one line, no full stop
  std::string_view fallback = {};     // the value when the flag is not given
  std::span<const std::string_view> values = {};  // when not empty, nothing else is accepted
  std::string_view excludes = {};  // a flag of the same command that cannot be given with it

  bool is_switch() const { return placeholder.empty(); }
};

struct Positional {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> values = {};
  bool required = true;
};

struct Example {
  std::string_view line;  // after "fixpoint "
  std::string_view says;
};

struct Command {
  std::string_view name;
  std::string_view summary;      // one line, in the list of commands
  std::string_view description;  // paragraphs, in the command's own help
  std::span<const Flag> flags = {};
  std::span<const Positional> positionals = {};
  std::span<const Example> examples = {};
  int (*run)(const Arguments&) = nullptr;  // the exit status

  const Flag* find_flag(std::string_view flag_name) const {
    for (const Flag& flag : flags) {
      if (flag.name == flag_name) return &flag;
    }
    return nullptr;
  }
};

using Commands = std::span<const Command* const>;

}  // namespace fixpoint::cli
