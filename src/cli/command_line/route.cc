// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/route.h"

#include "cli/command_line/help.h"
#include "cli/command_line/suggest.h"

#include <vector>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

Route text_route(std::string text) {
  return {.text = std::move(text), .status = kExitDone};
}

Route misuse(std::string_view message, std::string_view where_to_look) {
  return {.text = fmt::format("fixpoint: {}\nRun '{}'.\n", message, where_to_look),
          .status = kExitMisused};
}

const Command* find(Commands commands, std::string_view name) {
  for (const Command* command : commands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

Route unknown_command(Commands commands, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Command* command : commands) names.push_back(command->name);
  names.push_back("help");
  const bool is_flag = word.starts_with('-');
  std::string message = fmt::format("unknown {} \"{}\"", is_flag ? "flag" : "command", word);
  if (is_flag) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    if (const auto near = nearest(word, std::vector<std::string_view>{"help", "version"})) {
      message += fmt::format("; did you mean --{}?", *near);
    }
  } else if (const auto near = nearest(word, names)) {
    message += fmt::format("; did you mean \"{}\"?", *near);
  }
  return misuse(message, "fixpoint --help");
}

Route help(Commands commands, std::span<const std::string_view> words) {
  if (words.empty() || words.front().starts_with('-')) return text_route(overview(commands));
  if (words.size() > 1) return misuse("\"help\" explains one command at a time", "fixpoint --help");
  if (words.front() == "help") return text_route(overview(commands));
  const Command* command = find(commands, words.front());
  return command != nullptr ? text_route(command_help(*command))
                            : unknown_command(commands, words.front());
}

}  // namespace

Route route(Commands commands, std::span<const std::string_view> words) {
  if (words.empty()) return text_route(overview(commands));
  std::string_view name = words.front();
  if (name == "help" || name == "--help" || name == "-h") return help(commands, words.subspan(1));
  if (name == "--version") name = "version";
  const Command* command = find(commands, name);
  if (command == nullptr) return unknown_command(commands, name);
  auto arguments = Arguments::parse(*command, words.subspan(1));
  if (!arguments) {
    return misuse(arguments.error().message, fmt::format("fixpoint {} --help", command->name));
  }
  if (arguments->wants_help()) return text_route(command_help(*command));
  return {.command = command, .arguments = *std::move(arguments)};
}

}  // namespace fixpoint::cli
