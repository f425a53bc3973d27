// SPDX-License-Identifier: Apache-2.0
//
// Scalars of YAML 1.1, by first character as the Go library does it.
#include "json/yaml/scalar.h"

#include "base/ascii.h"
#include "json/parsing/number.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace fixpoint::json {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<Scalar> resolve_word(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Scalar{.tag = ScalarTag::Null};
  if (is_one_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return Scalar{.tag = ScalarTag::Bool, .boolean = true};
  }
  if (is_one_of(text,
                {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return Scalar{.tag = ScalarTag::Bool, .boolean = false};
  }
  const auto number = [](double value) { return Scalar{.tag = ScalarTag::Float, .number = value}; };
  constexpr auto kInfinity = std::numeric_limits<double>::infinity();
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) {
    return number(std::numeric_limits<double>::quiet_NaN());
  }
  if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"}))
    return number(kInfinity);
  if (is_one_of(text, {"-.inf", "-.Inf", "-.INF"})) return number(-kInfinity);
  return std::nullopt;
}

// With a sign and the prefixes 0x, 0o, 0b and 0, which is octal too.
std::optional<Scalar> resolve_int(std::string_view text) {
  Scalar out{.tag = ScalarTag::Int};
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  out.negative = text.starts_with('-');
  auto digits = text.substr(has_sign ? 1 : 0);
  int base = 10;
  if (digits.size() > 1 && digits.front() == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    digits.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, out.magnitude, base);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  // Beyond int64 only a number without a sign is taken.
  if (has_sign && !out.fits_int64()) return std::nullopt;
  return out;
}

// [-+]? (.digits | digits[.digits?]) ([eE][-+]?digits)?
bool looks_like_float(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto skip_digits = [&] {
    const auto count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  const auto whole = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return skip_digits() > 0 && text.empty();
}

// Nothing if it is no float, or one too large.
std::optional<Scalar> resolve_float(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = read_double(text);
  if (!number) return std::nullopt;
  return Scalar{.tag = ScalarTag::Float, .number = *number};
}

// Takes one or two digits off the front.
std::optional<unsigned> take_number(std::string_view& text) {
  unsigned value = 0;
  std::size_t count = 0;
  for (; count < 2 && count < text.size() && is_digit(text[count]); ++count) {
    value = value * 10 + static_cast<unsigned>(text[count] - '0');
  }
  if (count == 0) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || !any_of.contains(text.front())) return false;
  text.remove_prefix(1);
  return true;
}

bool take_clock(std::string_view& text) {
  const auto hour = take_number(text);
  if (!hour || *hour > 23 || !take(text, ":")) return false;
  const auto minute = take_number(text);
  if (!minute || *minute > 59 || !take(text, ":")) return false;
  const auto second = take_number(text);
  if (!second || *second > 59) return false;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  }
  return true;
}

bool is_zone(std::string_view text) {
  if (text == "Z") return true;
  if (text.size() != 6 || !take(text, "+-") || text[2] != ':') return false;
  const auto digits = {text[0], text[1], text[3], text[4]};
  if (!std::ranges::all_of(digits, is_digit)) return false;
  return (text[0] - '0') * 10 + (text[1] - '0') <= 24 && text[3] < '6';
}

// 2001-1-2, 2001-1-2 3:4:5.6, 2001-1-2T3:4:5.6Z.
bool is_timestamp(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits != 4 || digits == text.size() || text[digits] != '-') return false;
  int year = 0;
  std::from_chars(text.data(), text.data() + 4, year);
  text.remove_prefix(5);
  const auto month = take_number(text);
  if (!month || !take(text, "-")) return false;
  const auto day = take_number(text);
  if (!day) return false;
  const auto date = std::chrono::year{year} / static_cast<int>(*month) / static_cast<int>(*day);
  if (!date.ok()) return false;
  if (text.empty()) return true;
  if (take(text, " ")) return take_clock(text) && text.empty();
  return take(text, "Tt") && take_clock(text) && is_zone(text);
}

std::string without_underscores(std::string_view text) {
  std::string out{text};
  std::erase(out, '_');
  return out;
}

bool underscores_separate_digits(std::string_view text) {
  for (auto at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (at == 0 || at + 1 == text.size()) return false;
    if (!is_digit(text[at - 1]) || !is_digit(text[at + 1])) return false;
  }
  return true;
}

Scalar resolve_number(std::string_view text) {
  if (is_timestamp(text)) return {.tag = ScalarTag::Timestamp};
  const auto plain = without_underscores(text);
  if (const auto integer = resolve_int(plain)) return *integer;
  return resolve_float(plain).value_or(Scalar{});
}

std::string_view short_name(ScalarTag tag) {
  switch (tag) {
    case ScalarTag::Null: return "!!null";
    case ScalarTag::Bool: return "!!bool";
    case ScalarTag::Int: return "!!int";
    case ScalarTag::Float: return "!!float";
    case ScalarTag::Timestamp: return "!!timestamp";
    case ScalarTag::Binary: return "!!binary";
    case ScalarTag::String: return "!!str";
  }
  return "!!str";
}

std::optional<ScalarTag> tag_named(std::string_view name) {
  for (const auto tag : {ScalarTag::Null, ScalarTag::Bool, ScalarTag::Int, ScalarTag::Float,
                         ScalarTag::Timestamp, ScalarTag::Binary, ScalarTag::String}) {
    if (short_name(tag).substr(2) == name) return tag;
  }
  return std::nullopt;
}

// [-+]?digits(:[0-5]?digit)+(.digits)?, with underscores: YAML 1.1's base 60, quoted for others'
// sake.
bool is_base60(std::string_view text) {
  const auto skip = [&](std::string_view of) {
    const auto count = std::min(text.find_first_not_of(of), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return false;
  skip("0123456789_");
  if (!text.starts_with(':')) return false;
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 2 || (digits == 2 && text.front() > '5')) return false;
    text.remove_prefix(digits);
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    skip("0123456789_");
  }
  return text.empty();
}

template <class Float>
std::string general(Float value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  char text[64];
  auto* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  std::string out{text, end};
  const auto mark = out.find('e');
  const int exponent = std::stoi(out.substr(mark + 1));
  if (value == 0) return out.starts_with('-') ? "-0" : "0";
  if (exponent < -4 || exponent >= 6) return out;
  end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
  return {text, end};
}

}  // namespace

std::int64_t Scalar::integer() const {
  FP_CHECK(fits_int64());
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

Scalar resolve_plain(std::string_view text) {
  constexpr std::string_view kWordStarts = "yYnNtTfFoO~";
  const char first = text.empty() ? '~' : text.front();
  if (kWordStarts.contains(first)) return resolve_word(text).value_or(Scalar{});
  if (first != '.' && first != '+' && first != '-' && !is_digit(first)) return {};
  if (const auto word = resolve_word(text)) return *word;
  if (first == '.') {
    if (!underscores_separate_digits(text)) return {};
    return resolve_float(without_underscores(text)).value_or(Scalar{});
  }
  return resolve_number(text);
}

Result<Scalar> resolve_tagged(std::string_view tag, std::string_view text) {
  if (!tag.starts_with(kTagPrefix)) return Scalar{};
  const auto wanted = tag_named(tag.substr(kTagPrefix.size()));
  if (!wanted || *wanted == ScalarTag::String) return Scalar{};
  if (*wanted == ScalarTag::Binary) return Scalar{.tag = ScalarTag::Binary};
  auto found = resolve_plain(text);
  if (found.tag == ScalarTag::Timestamp && *wanted != ScalarTag::Timestamp) found = {};
  if (found.tag == *wanted) return found;
  if (*wanted == ScalarTag::Float && found.tag == ScalarTag::Int && found.fits_int64()) {
    return Scalar{.tag = ScalarTag::Float, .number = static_cast<double>(found.integer())};
  }
  return fail(ErrorKind::Invalid, "yaml: cannot decode " + std::string{short_name(found.tag)} +
                                      " `" + std::string{text} + "` as a " +
                                      std::string{short_name(*wanted)});
}

bool reads_as_string(std::string_view text) {
  return resolve_plain(text).tag == ScalarTag::String && !is_base60(text);
}

std::string general_float(double value) {
  return general(value);
}
std::string general_float(float value) {
  return general(value);
}

}  // namespace fixpoint::json
