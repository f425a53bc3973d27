// SPDX-License-Identifier: Apache-2.0
//
// fixpoint completion: a script that teaches a shell our commands and flags.
//
// Placeholders say what a value is: DIR completes directories, FILE files; a flag or argument with
// listed values completes those.
#include "cli/command_line/completion.h"

#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/commands.h"

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
constexpr Positional kCompletionPositionals[] = {
    {.name = "SHELL", .help = "The shell", .values = kShells}
};
constexpr Example kCompletionExamples[] = {
    {"completion bash", "e.g. > /etc/bash_completion.d/fixpoint"              },
    {"completion zsh",  "e.g. > ~/.zfunc/_fixpoint, with that folder in fpath"},
    {"completion fish", "e.g. > ~/.config/fish/completions/fixpoint.fish"     },
};

int run_completion(const Arguments& arguments) {
  const std::string_view shell = arguments.positional(0);
  const std::string script = shell == "bash"  ? bash_completion(commands())
                             : shell == "zsh" ? zsh_completion(commands())
                                              : fish_completion(commands());
  return answer(script);
}

// For a text between single quotes, in all three shells.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// zsh's _arguments and _describe give colons and brackets a meaning.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string names(Commands commands) {
  std::string all;
  for (const Command* command : commands) all += fmt::format("{} ", command->name);
  return all + "help";
}

// A path may hold blanks, and one that is a directory goes on with a slash.
constexpr std::string_view kBashPaths =
    "_fixpoint_paths() {\n"
    "  mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "  compopt -o filenames 2>/dev/null || true\n"
    "}\n";

std::string bash_words(std::string_view words) {
  return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", words);
}

std::string bash_value(const Flag& flag) {
  if (!flag.values.empty()) return bash_words(fmt::format("{}", fmt::join(flag.values, " ")));
  if (flag.placeholder == "DIR") return "_fixpoint_paths -d";
  if (flag.placeholder == "FILE") return "_fixpoint_paths -f";
  return ":";  // free text: nothing to offer
}

std::string bash_command(const Command& command) {
  std::string script = fmt::format("    {})\n", command.name);
  std::string flags = "--help";
  std::string cases;
  for (const Flag& flag : command.flags) {
    flags += fmt::format(" --{}", flag.name);
    if (flag.is_switch()) continue;
    cases += fmt::format("        --{}) {}; return ;;\n", flag.name, bash_value(flag));
  }
  if (!cases.empty()) script += fmt::format("      case \"$prev\" in\n{}      esac\n", cases);
  std::string words = flags;
  for (const Positional& positional : command.positionals) {
    if (!positional.values.empty()) words += fmt::format(" {}", fmt::join(positional.values, " "));
  }
  return script + fmt::format("      {} ;;\n", bash_words(words));
}

std::string zsh_value(const Flag& flag) {
  if (!flag.values.empty()) return fmt::format("({})", fmt::join(flag.values, " "));
  if (flag.placeholder == "DIR") return "_files -/";
  if (flag.placeholder == "FILE") return "_files";
  return " ";
}

std::string zsh_command(const Command& command) {
  std::string script = fmt::format("    {}) _arguments '--help[Show help]'", command.name);
  for (const Flag& flag : command.flags) {
    // The equals sign: the value may also stand behind one.
    std::string spec =
        fmt::format("--{}{}[{}]", flag.name, flag.is_switch() ? "" : "=", zsh_text(flag.help));
    if (!flag.is_switch())
      spec += fmt::format(":{}:{}", zsh_text(flag.placeholder), zsh_value(flag));
    script += " " + shell_quoted(spec);
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const Positional& positional = command.positionals[i];
    script += " " + shell_quoted(fmt::format("{}:{}:({})", i + 1, positional.name,
                                             fmt::join(positional.values, " ")));
  }
  return script + " ;;\n";
}

std::string fish_command(const Command& command) {
  const std::string inside = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
  std::string script = fmt::format("complete -c fixpoint -n __fish_use_subcommand -a {} -d {}\n",
                                   command.name, shell_quoted(command.summary));
  for (const Flag& flag : command.flags) {
    script += fmt::format("complete -c fixpoint {} -l {} -d {}", inside, flag.name,
                          shell_quoted(flag.help));
    if (!flag.values.empty()) {
      script += fmt::format(" -x -a '{}'", fmt::join(flag.values, " "));
    } else if (flag.placeholder == "DIR") {
      script += " -x -a '(__fish_complete_directories)'";
    } else if (flag.placeholder == "FILE") {
      script += " -r -F";
    } else if (!flag.is_switch()) {
      script += " -x";
    }
    script += "\n";
  }
  for (const Positional& positional : command.positionals) {
    if (positional.values.empty()) continue;
    script +=
        fmt::format("complete -c fixpoint {} -a '{}'\n", inside, fmt::join(positional.values, " "));
  }
  return script;
}

}  // namespace

const Command kCompletionCommand{
    .name = "completion",
    .summary = "Print a completion script for your shell",
    .description = "To try it in this shell only: source <(fixpoint completion bash)\n",
    .positionals = kCompletionPositionals,
    .examples = kCompletionExamples,
    .run = run_completion,
};

std::string bash_completion(Commands commands) {
  std::string script = fmt::format("# fixpoint completion for bash\n{}", kBashPaths);
  script +=
      "_fixpoint() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      // --flag=value comes as three words.
      "  if [ \"$cur\" = = ]; then cur=\n"
      "  elif [ \"$prev\" = = ]; then prev=\"${COMP_WORDS[COMP_CWORD-2]}\"; fi\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  script += fmt::format("    {}\n", bash_words(names(commands) + " --help --version"));
  script += "    return\n  fi\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const Command* command : commands) script += bash_command(*command);
  script += fmt::format("    help) {} ;;\n", bash_words(names(commands)));
  return script + "  esac\n}\ncomplete -F _fixpoint fixpoint\n";
}

std::string zsh_completion(Commands commands) {
  std::string script =
      "#compdef fixpoint\n"
      "# fixpoint completion for zsh\n"
      "_fixpoint() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command* command : commands) {
    script += fmt::format(
        "    {}\n", shell_quoted(fmt::format("{}:{}", command->name, zsh_text(command->summary))));
  }
  script +=
      "    'help:Explain a command'\n"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $words[1] in\n";
  for (const Command* command : commands) script += zsh_command(*command);
  script += "    help) _describe command commands ;;\n";
  return script +
         "  esac\n}\nif [ \"$funcstack[1]\" = _fixpoint ]; then _fixpoint \"$@\"; "
         "else compdef _fixpoint fixpoint; fi\n";
}

std::string fish_completion(Commands commands) {
  std::string script =
      "# fixpoint completion for fish\n"
      "complete -c fixpoint -f\n"
      "complete -c fixpoint -l help -d 'Show help'\n"
      "complete -c fixpoint -n __fish_use_subcommand -l version -d 'Say which build this is'\n"
      "complete -c fixpoint -n __fish_use_subcommand -a help -d 'Explain a command'\n";
  for (const Command* command : commands) script += fish_command(*command);
  script += fmt::format("complete -c fixpoint -n '__fish_seen_subcommand_from help' -a '{}'\n",
                        names(commands));
  return script;
}

}  // namespace fixpoint::cli
