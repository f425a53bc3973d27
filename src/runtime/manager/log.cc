// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/log.h"

#include "base/rfc3339.h"
#include "base/utf8.h"
#include "json/print.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
  }
  std::unreachable();
}

std::string_view letter(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "DEBUG";
    case LogLevel::Info: return "INFO ";
    case LogLevel::Warning: return "WARN ";
    case LogLevel::Error: return "ERROR";
  }
  std::unreachable();
}

std::string cut(std::string_view text) {
  if (text.size() <= kLogTextMax) return std::string{text};
  return std::string{utf8_prefix(text, kLogTextMax)} + "…";
}

bool plain(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    return c == ' ' || c == '"' || c == '=' || static_cast<unsigned char>(c) < 0x20;
  });
}

void add_json(std::string& line, std::string_view key, std::string_view value) {
  line += ',';
  json::print_string(key, line, json::Escape::Plain);
  line += ':';
  json::print_string(cut(value), line, json::Escape::Plain);
}

void add_text(std::string& line, std::string_view key, std::string_view value) {
  line += ' ';
  line += key;
  line += '=';
  if (plain(value)) {
    line += cut(value);
  } else {
    json::print_string(cut(value), line, json::Escape::Plain);
  }
}

// A line is a line: what others wrote into a message does not start new ones.
std::string one_line(std::string_view text) {
  auto line = cut(text);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

}  // namespace

Log::Log(LogFormat format, LogLevel least, const Clock& clock, Write write)
    : format_(format), least_(least), clock_(clock), write_(std::move(write)) {}

Log::Write Log::to_stdout() {
  return [](std::string_view line) {
    // A log that cannot be written has nobody to tell.
    (void)std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  };
}

void Log::say(LogLevel level, std::string_view message, Values values) const {
  if (!wants(level)) return;
  std::string left_out;
  if (level == LogLevel::Warning) {
    if (!warnings_.try_take(kWarningRate, clock_.monotonic())) {
      ++left_out_;
      return;
    }
    if (left_out_ > 0) left_out = fmt::format("{}", std::exchange(left_out_, 0));
  }
  const auto time = format_micros(clock_.wall());
  std::string line;
  if (format_ == LogFormat::Json) {
    line = fmt::format(R"({{"time":"{}","level":"{}","msg":)", time, level_name(level));
    json::print_string(cut(message), line, json::Escape::Plain);
    for (const auto& [key, value] : values) {
      if (!value.empty()) add_json(line, key, value);
    }
    if (!left_out.empty()) add_json(line, "left_out", left_out);
    line += "}\n";
  } else {
    line = fmt::format("{} {} {}", time.substr(11, 12), letter(level), one_line(message));
    for (const auto& [key, value] : values) {
      if (!value.empty()) add_text(line, key, value);
    }
    if (!left_out.empty()) add_text(line, "left_out", left_out);
    line += '\n';
  }
  write_(line);
}

}  // namespace fixpoint::runtime
