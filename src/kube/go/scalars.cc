// SPDX-License-Identifier: Apache-2.0
#include "kube/go/scalars.h"

#include "base/ascii.h"
#include "base/base64.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using std::chrono::sys_seconds;

constexpr std::string_view kSecondsLayout = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicrosLayout = "2006-01-02T15:04:05.000000Z07:00";
constexpr std::size_t kMicroDigits = 6;

// As Go's time package quotes: every byte outside printable ASCII in hexadecimal.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte >= 0x80 || byte < ' ') {
      out += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_digit(text[at]);
}

int decimal(std::string_view text) {
  int value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value;
}

// Walks a time text element by element, as Go walks its layout; the first failure is kept.
class TimeReader {
 public:
  TimeReader(std::string_view text, std::string_view layout)
      : whole_(text), rest_(text), layout_(layout) {}

  bool failed() const { return !error_.empty(); }
  std::string take_error() { return std::move(error_); }

  // An element of exactly `width` digits; `shown` is its name in the layout.
  int number(std::size_t width, std::string_view shown) {
    if (failed()) return 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (!digit_at(rest_, i)) return cannot_parse(rest_, shown), 0;
    }
    return take(width);
  }

  // Go reads the hour of "15" from one digit too.
  int hour() {
    if (failed()) return 0;
    if (!digit_at(rest_, 0)) return cannot_parse(rest_, "15"), 0;
    return take(digit_at(rest_, 1) ? 2 : 1);
  }

  void literal(char expected) {
    if (failed()) return;
    if (rest_.empty() || rest_.front() != expected) {
      cannot_parse(rest_, std::string_view{&expected, 1});
    } else {
      rest_.remove_prefix(1);
    }
  }

  void in_range(bool fine, std::string_view what) {
    if (!failed() && !fine) whole_error(fmt::format("{} out of range", what));
  }

  // A fraction that the layout does not ask for is read and dropped.
  void optional_fraction() {
    if (failed() || rest_.empty() || (rest_[0] != '.' && rest_[0] != ',') || !digit_at(rest_, 1))
      return;
    std::size_t end = 1;
    while (digit_at(rest_, end)) ++end;
    rest_.remove_prefix(end);
  }

  int micros() {
    if (failed()) return 0;
    bool fine = rest_.size() > kMicroDigits && (rest_[0] == '.' || rest_[0] == ',');
    for (std::size_t i = 1; fine && i <= kMicroDigits; ++i) fine = digit_at(rest_, i);
    if (!fine) return cannot_parse(rest_, ".000000"), 0;
    rest_.remove_prefix(1);
    return take(kMicroDigits);
  }

  std::chrono::seconds zone() {
    if (failed()) return {};
    if (rest_.starts_with('Z')) return rest_.remove_prefix(1), std::chrono::seconds{};
    const bool shaped = rest_.size() >= 6 && rest_[3] == ':' && digit_at(rest_, 1) &&
                        digit_at(rest_, 2) && digit_at(rest_, 4) && digit_at(rest_, 5) &&
                        (rest_[0] == '+' || rest_[0] == '-');
    if (!shaped) return cannot_parse(rest_, "Z07:00"), std::chrono::seconds{};
    const int sign = rest_[0] == '-' ? -1 : 1;
    const int hours = decimal(rest_.substr(1, 2));
    const int minutes = decimal(rest_.substr(4, 2));
    in_range(hours <= 24, "time zone offset hour");
    in_range(minutes <= 60, "time zone offset minute");
    rest_.remove_prefix(6);
    return std::chrono::seconds{sign * (hours * 3600 + minutes * 60)};
  }

  void end() {
    if (!failed() && !rest_.empty()) whole_error("extra text: " + quote(rest_));
  }

 private:
  int take(std::size_t width) {
    const int value = decimal(rest_.substr(0, width));
    rest_.remove_prefix(width);
    return value;
  }

  void cannot_parse(std::string_view value, std::string_view element) {
    error_ = fmt::format("parsing time {} as {}: cannot parse {} as {}", quote(whole_),
                         quote(layout_), quote(value), quote(element));
  }

  void whole_error(std::string_view message) {
    error_ = fmt::format("parsing time {}: {}", quote(whole_), message);
  }

  std::string_view whole_;
  std::string_view rest_;
  std::string_view layout_;
  std::string error_;
};

struct ReadTime {
  sys_seconds at;
  int micros = 0;
};

Result<ReadTime> read_time(std::string_view text, bool with_micros) {
  TimeReader reader{text, with_micros ? kMicrosLayout : kSecondsLayout};
  const int year = reader.number(4, "2006");
  reader.literal('-');
  const int month = reader.number(2, "01");
  reader.in_range(month >= 1 && month <= 12, "month");
  reader.literal('-');
  const int day = reader.number(2, "02");
  reader.literal('T');
  const int hour = reader.hour();
  reader.in_range(hour < 24, "hour");
  reader.literal(':');
  const int minute = reader.number(2, "04");
  reader.in_range(minute < 60, "minute");
  reader.literal(':');
  const int second = reader.number(2, "05");
  reader.in_range(second < 60, "second");
  int micros = 0;
  if (with_micros) {
    micros = reader.micros();
  } else {
    reader.optional_fraction();
  }
  const auto offset = reader.zone();
  reader.end();
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  reader.in_range(date.ok(), "day");
  if (reader.failed()) return fail(ErrorKind::Invalid, reader.take_error());
  const auto at = sys_seconds{std::chrono::sys_days{date}} + std::chrono::hours{hour} +
                  std::chrono::minutes{minute} + std::chrono::seconds{second} - offset;
  return ReadTime{at, micros};
}

std::string print_time(sys_seconds at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{at - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

bool is_go_zero(const ReadTime& time) {
  constexpr sys_seconds kYearOne = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
  return time.at == kYearOne && time.micros == 0;
}

}  // namespace

bool is_canonical_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  // Days that not every month has, and the years around Go's zero time, take the long way.
  constexpr int kDaySafeMax = 28;
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == '0' ? !digit_at(text, i) : text[i] != kShape[i]) return false;
  }
  const auto pair = [&](std::size_t at) { return decimal(text.substr(at, 2)); };
  return pair(0) > 0 && pair(5) >= 1 && pair(5) <= 12 && pair(8) >= 1 && pair(8) <= kDaySafeMax &&
         pair(11) < 24 && pair(14) < 60 && pair(17) < 60;
}

Result<std::string> canonical_time(std::string_view text) {
  FP_TRY(time, read_time(text, false));
  if (is_go_zero(time)) return std::string{};
  return print_time(time.at) + "Z";
}

Result<std::string> canonical_micro_time(std::string_view text) {
  FP_TRY(time, read_time(text, true));
  if (is_go_zero(time)) return std::string{};
  return print_time(time.at) + fmt::format(".{:06}Z", time.micros);
}

Result<std::string> canonical_base64(std::string_view text) {
  FP_TRY(bytes, base64_decode(text));
  return base64_encode(bytes);
}

std::int64_t truncated(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value > -kLimit && value < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

}  // namespace fixpoint::kube
