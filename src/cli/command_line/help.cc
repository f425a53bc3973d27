// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kIntroduction =
    "Fixpoint runs Kubernetes operators written in C++ and gives them a cluster to live in: an\n"
    "embedded API server that kubectl talks to, in one process, up in milliseconds.\n";

using Row = std::pair<std::string, std::string>;

// Two columns, the second aligned. A line of a long second column continues under its first.
std::string table(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : rows) {
    text += right.empty() ? fmt::format("  {}\n", left)
                          : fmt::format("  {:<{}}  {}\n", left, width, right);
  }
  return text;
}

std::string section(std::string_view title, const std::vector<Row>& rows) {
  return rows.empty() ? std::string{} : fmt::format("\n{}:\n{}", title, table(rows));
}

Row example_row(const Example& example) {
  return {fmt::format("fixpoint {}", example.line), std::string{example.says}};
}

std::string usage(const Command& command) {
  std::string text = fmt::format("Usage: fixpoint {}", command.name);
  for (const Positional& positional : command.positionals) {
    text += positional.required ? fmt::format(" {}", positional.name)
                                : fmt::format(" [{}]", positional.name);
  }
  if (!command.flags.empty()) text += " [flags]";
  return text + "\n";
}

std::string with_values(std::string_view help, std::span<const std::string_view> values) {
  std::string text{help};
  if (!values.empty()) text += fmt::format(": {}", fmt::join(values, ", "));
  return text;
}

Row flag_row(const Flag& flag) {
  std::string left = fmt::format("--{}", flag.name);
  if (!flag.is_switch()) left += fmt::format(" {}", flag.placeholder);
  std::string right = with_values(flag.help, flag.values);
  if (!flag.fallback.empty()) right += fmt::format(" (default {})", flag.fallback);
  return {std::move(left), std::move(right)};
}

}  // namespace

std::string overview(Commands commands) {
  std::vector<Row> list;
  std::vector<Row> examples;
  for (const Command* command : commands) {
    list.emplace_back(command->name, command->summary);
    if (!command->examples.empty()) examples.push_back(example_row(command->examples.front()));
  }
  list.emplace_back("help", "Explain a command: fixpoint help COMMAND");
  return fmt::format(
      "{}\nUsage: fixpoint COMMAND [flags]\n{}{}\n{}", kIntroduction, section("Commands", list),
      section("Examples", examples),
      "'fixpoint COMMAND --help' lists a command's flags. Exit status: 0 done, 1 failed, "
      "2 misused.\n");
}

std::string command_help(const Command& command) {
  std::vector<Row> positionals;
  for (const Positional& positional : command.positionals) {
    positionals.emplace_back(positional.name, with_values(positional.help, positional.values));
  }
  std::vector<Row> flags;
  for (const Flag& flag : command.flags) flags.push_back(flag_row(flag));
  flags.emplace_back("--help", "Show this text");
  std::vector<Row> examples;
  for (const Example& example : command.examples) examples.push_back(example_row(example));
  std::string text = fmt::format("{}.\n", command.summary);
  if (!command.description.empty()) text += fmt::format("\n{}", command.description);
  return text + fmt::format("\n{}{}{}{}", usage(command), section("Arguments", positionals),
                            section("Flags", flags), section("Examples", examples));
}

}  // namespace fixpoint::cli
