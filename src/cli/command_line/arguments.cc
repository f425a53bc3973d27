// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/arguments.h"

#include "cli/command_line/suggest.h"
#include "kube/scalars/duration.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::Invalid, std::move(message));
}

std::string unknown_flag(const Command& command, std::string_view name) {
  std::vector<std::string_view> names{"help"};
  for (const Flag& flag : command.flags) names.push_back(flag.name);
  std::string message = fmt::format("unknown flag --{} for \"{}\"", name, command.name);
  if (const auto near = nearest(name, names)) message += fmt::format("; did you mean --{}?", *near);
  return message;
}

// "one of text, json", with the nearest in front when there is one.
Result<void> check_value(std::string_view what, std::string_view value,
                         std::span<const std::string_view> values) {
  if (values.empty() || std::ranges::find(values, value) != values.end()) return {};
  std::string message =
      fmt::format("{} cannot be \"{}\"; it is one of {}", what, value, fmt::join(values, ", "));
  if (const auto near = nearest(value, values)) message += fmt::format(". Did you mean {}?", *near);
  return wrong(std::move(message));
}

}  // namespace

Result<Arguments> Arguments::parse(const Command& command,
                                   std::span<const std::string_view> words) {
  Arguments arguments{command};
  bool flags_ended = false;
  while (!words.empty()) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    if (!flags_ended && word == "--") {
      flags_ended = true;
    } else if (!flags_ended && word.size() > 1 && word.front() == '-') {
      FP_TRY_VOID(arguments.take_flag(word, words));
    } else {
      FP_TRY_VOID(arguments.take_positional(word));
    }
  }
  // Whoever asks for help gets it, however unfinished the rest of the line is.
  if (!arguments.wants_help_) FP_TRY_VOID(arguments.check_whole());
  return arguments;
}

Result<void> Arguments::take_flag(std::string_view word, std::span<const std::string_view>& rest) {
  if (word == "-h") word = "--help";
  if (!word.starts_with("--")) {
    return wrong(fmt::format("unknown flag {}; flags are spelt out, like --help", word));
  }
  word.remove_prefix(2);
  const auto equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (name == "help") {
    wants_help_ = true;
    return {};
  }
  const Flag* flag = command_->find_flag(name);
  if (flag == nullptr) return wrong(unknown_flag(*command_, name));
  if (given(name)) return wrong(fmt::format("--{} is given twice", name));
  std::string_view value;
  if (equals != std::string_view::npos) {
    if (flag->is_switch()) return wrong(fmt::format("--{} takes no value", name));
    value = word.substr(equals + 1);
  } else if (!flag->is_switch()) {
    const bool missing = rest.empty() || (rest.front().size() > 1 && rest.front().front() == '-');
    if (missing)
      return wrong(fmt::format("--{} needs a value: --{} {}", name, name, flag->placeholder));
    value = rest.front();
    rest = rest.subspan(1);
  }
  if (!flag->is_switch() && value.empty()) {
    return wrong(fmt::format("--{} needs a value: --{} {}", name, name, flag->placeholder));
  }
  FP_TRY_VOID(check_value(fmt::format("--{}", name), value, flag->values));
  values_.emplace(name, value);
  return {};
}

Result<void> Arguments::take_positional(std::string_view word) {
  const std::size_t index = positionals_.size();
  if (index == command_->positionals.size()) {
    return wrong(fmt::format("\"{}\" does not take the argument \"{}\"", command_->name, word));
  }
  const Positional& expected = command_->positionals[index];
  FP_TRY_VOID(check_value(expected.name, word, expected.values));
  positionals_.emplace_back(word);
  return {};
}

Result<void> Arguments::check_whole() const {
  for (std::size_t i = positionals_.size(); i < command_->positionals.size(); ++i) {
    const Positional& missing = command_->positionals[i];
    if (!missing.required) continue;
    std::string message = fmt::format("\"{}\" needs {}", command_->name, missing.name);
    if (!missing.values.empty()) message += fmt::format(": {}", fmt::join(missing.values, ", "));
    return wrong(std::move(message));
  }
  for (const Flag& flag : command_->flags) {
    if (!flag.excludes.empty() && given(flag.name) && given(flag.excludes)) {
      return wrong(fmt::format("--{} and --{} exclude each other", flag.name, flag.excludes));
    }
  }
  return {};
}

std::string_view Arguments::value(std::string_view flag) const {
  const auto found = values_.find(flag);
  if (found != values_.end()) return found->second;
  const Flag* declared = command_->find_flag(flag);
  FP_CHECK(declared != nullptr);
  return declared->fallback;
}

Result<Duration> Arguments::duration(std::string_view flag) const {
  const auto time = kube::parse_duration(value(flag));
  if (time && *time > Duration::zero()) return *time;
  return wrong(fmt::format("--{} {}: a time like 500ms or 15s", flag, value(flag)));
}

std::vector<std::string> Arguments::list(std::string_view flag) const {
  std::vector<std::string> parts;
  for (auto rest = value(flag); !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parts;
}

std::string_view Arguments::positional(std::size_t index) const {
  FP_CHECK(index < command_->positionals.size());
  return index < positionals_.size() ? std::string_view{positionals_[index]} : std::string_view{};
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), port);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
    return fail(ErrorKind::Invalid, "the port is a number from 0 to 65535");
  }
  return port;
}

}  // namespace fixpoint::cli
