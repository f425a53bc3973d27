// SPDX-License-Identifier: Apache-2.0
#include "base/time_zone.h"

#include "base/file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace fixpoint {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 3> kDirectories{"/usr/share/zoneinfo/", "/usr/lib/zoneinfo/",
                                                       "/usr/share/lib/zoneinfo/"};
constexpr std::size_t kHeaderBytes = 44;
// The largest zone file there is has a tenth of it.
constexpr std::size_t kFileBytesMax = 64 * 1024;

Error malformed() {
  return {ErrorKind::Invalid, "malformed time zone information"};
}

std::int64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
  }
  if (width == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int64_t>(value);
}

struct Counts {
  std::size_t utc, standard, leaps, changes, types, names;

  static Counts at(std::string_view bytes, std::size_t header) {
    const auto count = [&](std::size_t i) {
      return static_cast<std::size_t>(number_at(bytes, header + 20 + 4 * i, 4));
    };
    return {count(0), count(1), count(2), count(3), count(4), count(5)};
  }
  bool sane() const {
    return std::ranges::max({utc, standard, leaps, changes, types, names}) < kFileBytesMax;
  }
  std::size_t size(std::size_t time_bytes) const {
    return changes * (time_bytes + 1) + types * 6 + names + leaps * (time_bytes + 4) + standard +
           utc;
  }
};

// Takes "<+03>" or "EST" off.
bool take_name(std::string_view& text) {
  std::size_t end = 0;
  if (text.starts_with('<')) {
    end = text.find('>');
    if (end == std::string_view::npos) return false;
    ++end;
  } else {
    while (end < text.size() && ((text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'z')) ++end;
  }
  text.remove_prefix(end);
  return end > 0;
}

// "-5", "5:30", "+02:00:00"
std::optional<seconds> take_time(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  seconds sum{0};
  int unit = 3600;
  bool any = false;
  while (!text.empty() && unit > 0) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{}) break;
    any = true;
    sum += seconds(number * unit);
    unit /= 60;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  if (!any) return std::nullopt;
  return negative ? -sum : sum;
}

}  // namespace

sys_seconds TimeZone::YearDay::in(std::chrono::year year) const {
  using namespace std::chrono;
  const std::chrono::month named{month};
  const std::chrono::weekday day{weekday};
  const sys_days date =
      week == 5 ? sys_days{year / named / day[last]} : sys_days{year / named / day[week]};
  return sys_seconds{date} + time;
}

std::optional<TimeZone::YearDay> TimeZone::parse_day(std::string_view text) {
  YearDay day;
  if (!text.starts_with('M')) return std::nullopt;
  text.remove_prefix(1);
  for (unsigned* part : {&day.month, &day.week, &day.weekday}) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), *part);
    if (read.ec != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
  }
  if (day.month < 1 || day.month > 12 || day.week < 1 || day.week > 5 || day.weekday > 6) {
    return std::nullopt;
  }
  if (!text.starts_with('/')) return day;
  text.remove_prefix(1);
  const auto time = take_time(text);
  if (!time) return std::nullopt;
  day.time = *time;
  return day;
}

// "EST5EDT,M3.2.0,M11.1.0": offsets are how far UTC is ahead.
std::optional<TimeZone::Rule> TimeZone::parse_rule(std::string_view text) {
  Rule rule;
  if (!take_name(text)) return std::nullopt;
  const auto standard = take_time(text);
  if (!standard) return std::nullopt;
  rule.standard = -*standard;
  if (text.empty()) return rule;
  if (!take_name(text)) return std::nullopt;
  rule.summer = rule.standard + std::chrono::hours(1);
  if (!text.starts_with(',')) {
    const auto summer = take_time(text);
    if (!summer) return std::nullopt;
    rule.summer = -*summer;
  }
  const auto comma = text.find(',', 1);
  if (!text.starts_with(',') || comma == std::string_view::npos) return std::nullopt;
  rule.begins = parse_day(text.substr(1, comma - 1));
  const auto ends = parse_day(text.substr(comma + 1));
  if (!rule.begins || !ends) return std::nullopt;
  rule.ends = *ends;
  return rule;
}

Result<TimeZone> TimeZone::parse(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || bytes.size() > kFileBytesMax || !bytes.starts_with("TZif")) {
    return std::unexpected(malformed());
  }
  std::size_t header = 0;
  std::size_t width = 4;
  auto counts = Counts::at(bytes, header);
  if (bytes[4] >= '2' && counts.sane()) {  // the same once more, in 64 bits
    header = kHeaderBytes + counts.size(4);
    width = 8;
    if (bytes.size() < header + kHeaderBytes) return std::unexpected(malformed());
    counts = Counts::at(bytes, header);
  }
  const auto body = header + kHeaderBytes;
  if (!counts.sane() || counts.types == 0 || bytes.size() < body + counts.size(width)) {
    return std::unexpected(malformed());
  }
  const auto kinds = body + counts.changes * width;
  const auto types = kinds + counts.changes;
  const auto offset_of = [&](std::size_t type) {
    return seconds(number_at(bytes, types + 6 * std::min(type, counts.types - 1), 4));
  };
  TimeZone zone;
  zone.first_ = offset_of(0);
  for (std::size_t i = 0; i < counts.changes; ++i) {
    zone.changes_.push_back({sys_seconds{seconds(number_at(bytes, body + i * width, width))},
                             offset_of(static_cast<unsigned char>(bytes[kinds + i]))});
  }
  auto footer = bytes.substr(body + counts.size(width));
  if (width == 8 && footer.size() > 2) {
    zone.rule_ = parse_rule(footer.substr(1, footer.find('\n', 1) - 1));
  }
  return zone;
}

seconds TimeZone::offset_at(sys_seconds time) const {
  if (changes_.empty() || time < changes_.front().at) {
    if (!changes_.empty() || !rule_) return first_;
  } else if (time < changes_.back().at || !rule_) {
    const auto next = std::ranges::upper_bound(changes_, time, {}, &Change::at);
    return std::prev(next)->offset;
  }
  if (!rule_->begins) return rule_->standard;
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  const auto begins = rule_->begins->in(day.year()) - rule_->standard;
  const auto ends = rule_->ends.in(day.year()) - rule_->summer;
  const bool summer = begins < ends ? time >= begins && time < ends : time >= begins || time < ends;
  return summer ? rule_->summer : rule_->standard;
}

namespace {

std::optional<TimeZone> from_file(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return std::nullopt;
  auto zone = TimeZone::parse(*bytes);
  if (!zone) return std::nullopt;
  return *std::move(zone);
}

}  // namespace

Result<TimeZone> load_time_zone(std::string_view name) {
  if (name.empty() || name == "UTC") return TimeZone{};
  if (name == "Local") return from_file("/etc/localtime").value_or(TimeZone{});
  // Nothing outside these directories.
  if (name.contains("..") || name.starts_with('/') || name.contains('\\')) {
    return fail(ErrorKind::Invalid, "time: invalid location name");
  }
  for (const auto directory : kDirectories) {
    if (auto zone = from_file(std::string{directory}.append(name))) return *std::move(zone);
  }
  return fail(ErrorKind::NotFound, "unknown time zone " + std::string{name});
}

}  // namespace fixpoint
