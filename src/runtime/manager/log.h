// SPDX-License-Identifier: Apache-2.0
//
// Log: one line per thing that happened, for people (text) or for machines (JSON).
//
// A line has a level, a message and named values. Values come from objects' names, reasons and
// server messages, never from their contents, so no secret gets here. Lines are bounded, and so are
// warnings: ten thousand objects whose server is away say the same thing ten thousand times.
#pragma once

#include "base/clock.h"
#include "runtime/guard/token_bucket.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::runtime {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };
enum class LogFormat : std::uint8_t { Text, Json };

// Longer messages and values are cut; a server may answer with a whole page.
inline constexpr std::size_t kLogTextMax = 2'000;

// Warnings at once, and then one in so long; the next one says how many were left out.
inline constexpr TokenRate kWarningRate{.capacity = 100, .each = std::chrono::seconds(1)};

class Log {
 public:
  using Write = std::function<void(std::string_view line)>;
  using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // `write` gets whole lines with their newline.
  Log(LogFormat format, LogLevel least, const Clock& clock, Write write);
  // To standard output, a line at a time.
  static Write to_stdout();

  // Empty values are left out.
  void say(LogLevel level, std::string_view message, Values values = {}) const;
  void info(std::string_view message, Values values = {}) const {
    say(LogLevel::Info, message, values);
  }
  void warn(std::string_view message, Values values = {}) const {
    say(LogLevel::Warning, message, values);
  }
  void error(std::string_view message, Values values = {}) const {
    say(LogLevel::Error, message, values);
  }
  bool wants(LogLevel level) const { return level >= least_; }
  // A whole line as it is: trace spans.
  void raw(std::string_view line) const { write_(line); }
  const Clock& clock() const { return clock_; }

 private:
  LogFormat format_;
  LogLevel least_;
  const Clock& clock_;
  Write write_;
  mutable TokenBucket warnings_;
  mutable std::uint64_t left_out_ = 0;
};

}  // namespace fixpoint::runtime
