// SPDX-License-Identifier: Apache-2.0
#include "kube/go_scalars.h"

#include <array>
#include <chrono>
#include <cstdint>

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

bool is_digit(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

int digits(std::string_view text) {
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
      if (!is_digit(rest_, i)) return cannot_parse(rest_, shown), 0;
    }
    return take(width);
  }

  // Go reads the hour of "15" from one digit too.
  int hour() {
    if (failed()) return 0;
    if (!is_digit(rest_, 0)) return cannot_parse(rest_, "15"), 0;
    return take(is_digit(rest_, 1) ? 2 : 1);
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
    if (failed() || rest_.empty() || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_, 1))
      return;
    std::size_t end = 1;
    while (is_digit(rest_, end)) ++end;
    rest_.remove_prefix(end);
  }

  int micros() {
    if (failed()) return 0;
    bool fine = rest_.size() > kMicroDigits && (rest_[0] == '.' || rest_[0] == ',');
    for (std::size_t i = 1; fine && i <= kMicroDigits; ++i) fine = is_digit(rest_, i);
    if (!fine) return cannot_parse(rest_, ".000000"), 0;
    rest_.remove_prefix(1);
    return take(kMicroDigits);
  }

  std::chrono::seconds zone() {
    if (failed()) return {};
    if (rest_.starts_with('Z')) return rest_.remove_prefix(1), std::chrono::seconds{};
    const bool shaped = rest_.size() >= 6 && rest_[3] == ':' && is_digit(rest_, 1) &&
                        is_digit(rest_, 2) && is_digit(rest_, 4) && is_digit(rest_, 5) &&
                        (rest_[0] == '+' || rest_[0] == '-');
    if (!shaped) return cannot_parse(rest_, "Z07:00"), std::chrono::seconds{};
    const int sign = rest_[0] == '-' ? -1 : 1;
    const int hours = digits(rest_.substr(1, 2));
    const int minutes = digits(rest_.substr(4, 2));
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
    const int value = digits(rest_.substr(0, width));
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

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotBase64 = 0xff;

constexpr std::array<std::uint8_t, 256> make_decode_map() {
  std::array<std::uint8_t, 256> map{};
  map.fill(kNotBase64);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    map[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return map;
}
constexpr auto kDecodeMap = make_decode_map();

std::unexpected<Error> corrupt(std::size_t at) {
  return fail(ErrorKind::Invalid, fmt::format("illegal base64 data at input byte {}", at));
}

void skip_line_breaks(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
}

// The end of the text after the first '=' of a group that holds `have` characters.
Result<void> read_padding(std::string_view text, std::size_t at, std::size_t have) {
  if (have < 2) return corrupt(at - 1);
  if (have == 2) {
    skip_line_breaks(text, at);
    if (at == text.size()) return corrupt(at);
    if (text[at] != '=') return corrupt(at - 1);
    ++at;
  }
  skip_line_breaks(text, at);
  if (at < text.size()) return corrupt(at);
  return {};
}

void append_group(std::string& bytes, std::uint32_t group, std::size_t have) {
  group <<= 6U * (4 - have);
  for (std::size_t i = 0; i + 1 < have; ++i) {
    bytes.push_back(static_cast<char>((group >> (16 - 8 * i)) & 0xffU));
  }
}

// Errors name the position Go names: for a group cut short, where its characters began.
Result<std::string> from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  std::size_t have = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto value = kDecodeMap[static_cast<std::uint8_t>(text[at])];
    if (value != kNotBase64) {
      group = group << 6U | value;
      if (++have < 4) continue;
      append_group(bytes, group, have);
      group = 0;
      have = 0;
    } else if (text[at] == '=') {
      FP_TRY_VOID(read_padding(text, at + 1, have));
      append_group(bytes, group, have);
      return bytes;
    } else if (text[at] != '\n' && text[at] != '\r') {
      return corrupt(at);
    }
  }
  if (have != 0) return corrupt(text.size() - have);
  return bytes;
}

}  // namespace

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
  FP_TRY(bytes, from_base64(text));
  return to_base64(bytes);
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto have = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8U | (i < have ? static_cast<std::uint8_t>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i <= have ? kAlphabet[(group >> (18 - 6 * i)) & 0x3fU] : '=');
    }
  }
  return text;
}

}  // namespace fixpoint::kube
