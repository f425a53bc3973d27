// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate_format.h"

#include "base/ascii.h"
#include "base/error.h"
#include "kube/schema/validate_address.h"
#include "kube/schema/validate_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fixpoint::kube {
namespace {

// A pattern of our own, which cannot be wrong. Compiled when first needed: the one for host names
// takes megabytes, and few schemas have one.
class OwnPattern {
 public:
  explicit OwnPattern(std::string_view text) {
    auto compiled = Pattern::compile(text);
    FP_CHECK(compiled.has_value());
    compiled_ = std::move(*compiled);
  }
  bool matches(std::string_view text) const { return compiled_->matches(text); }

 private:
  std::shared_ptr<const Pattern> compiled_;
};

bool matches_hostname(std::string_view text) {
  static const OwnPattern pattern{
      R"(^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$)"};
  return pattern.matches(text);
}

bool matches_uuid(std::string_view text) {
  static const OwnPattern pattern{
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"};
  return pattern.matches(text);
}

bool matches_uuid3(std::string_view text) {
  static const OwnPattern pattern{
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"};
  return pattern.matches(text);
}

bool matches_uuid4(std::string_view text) {
  static const OwnPattern pattern{
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"};
  return pattern.matches(text);
}

bool matches_uuid5(std::string_view text) {
  static const OwnPattern pattern{
      "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"};
  return pattern.matches(text);
}

bool matches_isbn10(std::string_view text) {
  static const OwnPattern pattern{"^(?:[0-9]{9}X|[0-9]{10})$"};
  return pattern.matches(text);
}

bool matches_isbn13(std::string_view text) {
  static const OwnPattern pattern{"^[0-9]{13}$"};
  return pattern.matches(text);
}

bool matches_credit_card(std::string_view text) {
  static const OwnPattern pattern{
      "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$"};
  return pattern.matches(text);
}

bool matches_ssn(std::string_view text) {
  static const OwnPattern pattern{"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$"};
  return pattern.matches(text);
}

bool matches_hex_color(std::string_view text) {
  static const OwnPattern pattern{"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"};
  return pattern.matches(text);
}

bool matches_rgb_color(std::string_view text) {
  static const OwnPattern pattern{
      R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)"};
  return pattern.matches(text);
}

bool matches_base64(std::string_view text) {
  static const OwnPattern pattern{
      "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$"};
  return pattern.matches(text);
}

bool matches_time_of_day(std::string_view text) {
  static const OwnPattern pattern{
      "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"};
  return pattern.matches(text);
}

bool is_hostname(std::string_view text) {
  if (!matches_hostname(text) || text.size() > 255) return false;
  while (true) {
    const auto dot = text.find('.');
    if (text.substr(0, dot).size() > 63) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t at : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (!is_digit(text[at])) return false;
  }
  const auto number = [&](std::size_t at, std::size_t length) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
  };
  return std::chrono::year_month_day{std::chrono::year{number(0, 4)},
                                     std::chrono::month{static_cast<unsigned>(number(5, 2))},
                                     std::chrono::day{static_cast<unsigned>(number(8, 2))}}
      .ok();
}

bool is_date_time(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto split = lower.find('t');
  if (split == lower.npos || !is_date(std::string_view{lower}.substr(0, split))) return false;
  auto time = std::string_view{lower}.substr(split + 1);
  time = time.substr(0, time.find('t'));
  if (!matches_time_of_day(time)) return false;
  return time.substr(0, 2) <= "23" && time.substr(3, 2) <= "59" && time.substr(6, 2) <= "59";
}

// Go's time.ParseDuration: signed decimal numbers with units, or a bare 0.
bool is_go_duration(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    std::size_t digits = 0;
    std::size_t at = 0;
    while (at < text.size() && is_digit(text[at])) ++at, ++digits;
    if (at < text.size() && text[at] == '.') {
      ++at;
      while (at < text.size() && is_digit(text[at])) ++at, ++digits;
    }
    if (digits == 0) return false;
    text.remove_prefix(at);
    std::size_t unit_size = 0;
    while (unit_size < text.size() && text[unit_size] != '.' && !is_digit(text[unit_size]))
      ++unit_size;
    constexpr std::array<std::string_view, 8> kUnitNames{"ns", "us", "\u00b5s", "\u03bcs",
                                                         "ms", "s",  "m",       "h"};
    if (std::ranges::find(kUnitNames, text.substr(0, unit_size)) == kUnitNames.end()) return false;
    text.remove_prefix(unit_size);
  }
  return true;
}

// "22 ns", "3 weeks": the other spelling Kubernetes' library takes. One good part is enough.
bool is_worded_duration(std::string_view text) {
  constexpr std::array<std::string_view, 11> kExact{"ns", "us", "\u00b5s", "ms", "s", "m",
                                                    "h",  "hr", "d",       "w",  "wk"};
  constexpr std::array<std::string_view, 8> kPrefixes{"nano", "micro", "milli", "sec",
                                                      "min",  "hour",  "day",   "week"};
  bool good = false;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    const auto begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at - begin > 18) return false;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    std::string unit;
    while (at < text.size() && (std::isalpha(static_cast<unsigned char>(text[at])) != 0 ||
                                text.substr(at).starts_with("\u00b5") || text[at] == '\xb5')) {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at++])));
    }
    if (unit.empty()) continue;
    if (std::ranges::find(kExact, unit) != kExact.end()) good = true;
    for (const auto prefix : kPrefixes) good = good || unit.starts_with(prefix);
  }
  return good;
}

std::string only_digits(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), is_digit);
  return out;
}

bool is_credit_card(std::string_view text) {
  const auto number = only_digits(text);
  if (!matches_credit_card(number)) return false;
  int sum = 0;
  bool twice = false;
  for (std::size_t i = number.size(); i-- > 0; twice = !twice) {
    int value = number[i] - '0';
    if (twice) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return sum % 10 == 0;
}

std::string without_space_and_dash(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '-' && std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
  }
  return out;
}

bool is_isbn10(std::string_view text) {
  const auto code = without_space_and_dash(text);
  if (!matches_isbn10(code)) return false;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += (i + 1) * (code[static_cast<std::size_t>(i)] - '0');
  sum += 10 * (code[9] == 'X' ? 10 : code[9] - '0');
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  const auto code = without_space_and_dash(text);
  if (!matches_isbn13(code)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (code[i] - '0');
  return code[12] - '0' == (10 - sum % 10) % 10;
}

bool is_object_id(std::string_view text) {
  return text.size() == 24 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

constexpr std::array<std::pair<std::string_view, Format>, 24> kNames{
    {
     {"bsonobjectid", Format::BsonObjectId},
     {"uri", Format::Uri},
     {"email", Format::Email},
     {"hostname", Format::Hostname},
     {"ipv4", Format::Ipv4},
     {"ipv6", Format::Ipv6},
     {"cidr", Format::Cidr},
     {"mac", Format::Mac},
     {"uuid", Format::Uuid},
     {"uuid3", Format::Uuid3},
     {"uuid4", Format::Uuid4},
     {"uuid5", Format::Uuid5},
     {"isbn", Format::Isbn},
     {"isbn10", Format::Isbn10},
     {"isbn13", Format::Isbn13},
     {"creditcard", Format::CreditCard},
     {"ssn", Format::Ssn},
     {"hexcolor", Format::HexColor},
     {"rgbcolor", Format::RgbColor},
     {"byte", Format::Byte},
     {"password", Format::Password},
     {"date", Format::Date},
     {"duration", Format::Duration},
     {"datetime", Format::DateTime},
     }
};

}  // namespace

Format format_named(std::string_view name) {
  std::string plain{name};
  std::erase(plain, '-');
  const auto found = std::ranges::find(kNames, plain, &std::pair<std::string_view, Format>::first);
  return found == kNames.end() ? Format::None : found->second;
}

bool has_format(std::string_view text, Format format) {
  switch (format) {
    case Format::None:
    case Format::Password: return true;
    case Format::BsonObjectId: return is_object_id(text);
    case Format::Uri: return is_request_uri(text);
    case Format::Email: return is_email(text);
    case Format::Hostname: return is_hostname(text);
    case Format::Ipv4: return is_ip(text, LeadingZeros::Allowed) && text.contains('.');
    case Format::Ipv6: return is_ip(text, LeadingZeros::Refused) && text.contains(':');
    case Format::Cidr: return is_cidr(text);
    case Format::Mac: return is_mac(text);
    case Format::Uuid: return matches_uuid(text);
    case Format::Uuid3: return matches_uuid3(text);
    case Format::Uuid4: return matches_uuid4(text);
    case Format::Uuid5: return matches_uuid5(text);
    case Format::Isbn: return is_isbn10(text) || is_isbn13(text);
    case Format::Isbn10: return is_isbn10(text);
    case Format::Isbn13: return is_isbn13(text);
    case Format::CreditCard: return is_credit_card(text);
    case Format::Ssn: return text.size() == 11 && matches_ssn(text);
    case Format::HexColor: return matches_hex_color(text);
    case Format::RgbColor: return matches_rgb_color(text);
    case Format::Byte: return matches_base64(text);
    case Format::Date: return is_date(text);
    case Format::Duration: return is_go_duration(text) || is_worded_duration(text);
    case Format::DateTime: return is_date_time(text);
  }
  return true;
}

}  // namespace fixpoint::kube
