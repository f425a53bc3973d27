// SPDX-License-Identifier: Apache-2.0
//
// 'text'.format([…]).
#include "cel/evaluation/time.h"
#include "cel/library/format_string.h"
#include "cel/library/functions.h"
#include "kube/go/text.h"
#include "kube/schema/validate_problem.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

using Filled = std::expected<std::string, FormatError>;

// More digits than any double has.
constexpr int kPrecisionMax = 1000;
constexpr int kPrecisionUsual = 6;

Filled wrong(std::string message) {
  return std::unexpected(FormatError{std::move(message)});
}

Filled text_of(const Value& value);

std::string scalar_text(const Value& value) {
  switch (value.kind()) {
    case Kind::Null: return "null";
    case Kind::Double: return kube::go_number(value.as_double());
    case Kind::Duration: return shown_duration(value.nanos());
    case Kind::Type: return std::string{value.type_name()};
    default: return shown(value);
  }
}

// As it stands inside a list or map: text quoted, times wrapped.
Filled nested_text(const Value& value) {
  switch (value.kind()) {
    case Kind::String: return kube::go_quoted(value.text());
    case Kind::Bytes: return "b" + kube::go_quoted(value.text());
    case Kind::Double: {
      auto out = fmt::format("{:.6f}", value.as_double());
      return std::isfinite(value.as_double()) ? out : kube::go_quoted(out);
    }
    case Kind::Timestamp: return "timestamp(" + kube::go_quoted(shown(value.moment())) + ")";
    case Kind::Duration: return "duration(" + kube::go_quoted(shown_duration(value.nanos())) + ")";
    case Kind::List:
    case Kind::Map:
    case Kind::Bool:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Null:
    case Kind::Type: return text_of(value);
    default: return wrong(fmt::format("no formatting function for {}", value.runtime_type()));
  }
}

Filled list_text(const Value& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto each = nested_text(list.at(i));
    if (!each) return each;
    if (i > 0) out += ", ";
    out += *each;
  }
  return out + "]";
}

Filled map_text(const Value& map) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& key : map.keys()) {
    if (key.is(Kind::Double)) {
      return wrong("no formatting function for map key of type double");
    }
    auto name = nested_text(key);
    auto value = nested_text(map.find(key).value);
    if (!name) return name;
    if (!value) return value;
    pairs.emplace_back(std::move(*name), std::move(*value));
  }
  std::ranges::stable_sort(pairs, {}, &std::pair<std::string, std::string>::first);
  std::string out = "{";
  for (const auto& [name, value] : pairs) {
    if (out.size() > 1) out += ", ";
    out += name + ":" + value;
  }
  return out + "}";
}

Filled text_of(const Value& value) {
  switch (value.kind()) {
    case Kind::List: return list_text(value);
    case Kind::Map: return map_text(value);
    case Kind::Null:
    case Kind::Bool:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double:
    case Kind::String:
    case Kind::Bytes:
    case Kind::Duration:
    case Kind::Timestamp:
    case Kind::Type: return scalar_text(value);
    default: return wrong(unfit_argument('s', value.runtime_type()));
  }
}

// 1234567.5 as "1,234,567.500000": the locale is American English.
std::string grouped(const std::string& number) {
  const auto begin = number.starts_with('-') ? 1U : 0U;
  auto end = std::min(number.find('.'), number.size());
  std::string out = number;
  while (end > begin + 3) {
    end -= 3;
    out.insert(end, ",");
  }
  return out;
}

std::string special(double number) {
  if (std::isnan(number)) return "NaN";
  return number < 0 ? "-\u221e" : "\u221e";
}

// 1.234500 × 10⁰³, as that locale writes it.
std::string scientific(double number, int precision) {
  const auto text = fmt::format("{:.{}e}", number, precision);
  const auto mark = text.find('e');
  constexpr std::array<std::string_view, 10> kRaised{"\u2070", "\u00b9", "\u00b2", "\u00b3",
                                                     "\u2074", "\u2075", "\u2076", "\u2077",
                                                     "\u2078", "\u2079"};
  std::string out = text.substr(0, mark) + "\u202f\u00d7\u202f10";
  for (const char c : text.substr(mark + 1)) {
    if (c == '-') out += "\u207b";
    if (c >= '0' && c <= '9') out += kRaised[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

Filled real_text(const FormatClause& clause, const Value& value) {
  double number = 0;
  if (value.is(Kind::Double)) {
    number = value.as_double();
  } else if (value.is(Kind::String) &&
             (value.text() == "NaN" || value.text() == "Infinity" || value.text() == "-Infinity")) {
    number = value.text() == "NaN" ? std::nan("") : (value.text()[0] == '-' ? -HUGE_VAL : HUGE_VAL);
  } else {
    return wrong(unfit_argument(clause.letter, value.runtime_type()));
  }
  const auto precision = std::min(clause.precision.value_or(kPrecisionUsual), kPrecisionMax);
  if (!std::isfinite(number)) return special(number);
  if (clause.letter == 'e') return scientific(number, precision);
  return grouped(fmt::format("{:.{}f}", number, precision));
}

std::string hex_text(std::string_view bytes, bool upper) {
  std::string out;
  for (const char c : bytes) {
    out += upper ? fmt::format("{:02X}", static_cast<unsigned char>(c))
                 : fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

template <class Number>
std::string in_base(Number number, char letter) {
  switch (letter) {
    case 'b': return fmt::format("{:b}", number);
    case 'o': return fmt::format("{:o}", number);
    case 'x': return fmt::format("{:x}", number);
    case 'X': return fmt::format("{:X}", number);
    default: return fmt::format("{}", number);
  }
}

Filled whole_text(const FormatClause& clause, const Value& value) {
  if (value.is(Kind::Int)) return in_base(value.as_int(), clause.letter);
  if (value.is(Kind::Uint)) return in_base(value.as_uint(), clause.letter);
  if (clause.letter == 'b' && value.is(Kind::Bool)) return value.as_bool() ? "1" : "0";
  const bool hex = clause.letter == 'x' || clause.letter == 'X';
  if (hex && (value.is(Kind::String) || value.is(Kind::Bytes))) {
    return hex_text(value.text(), clause.letter == 'X');
  }
  return wrong(unfit_argument(clause.letter, value.runtime_type()));
}

Value format(Args args) {
  if (args.size() != 2 || !args[0].is(Kind::String) || !args[1].is(Kind::List)) {
    return no_overload("format", args);
  }
  auto out = fill_format(args[0].text(), args[1].size(),
                         [&](const FormatClause& clause, std::size_t i) -> Filled {
                           const auto value = args[1].at(i);
                           if (clause.letter == 's') return text_of(value);
                           if (clause.letter == 'f' || clause.letter == 'e')
                             return real_text(clause, value);
                           return whole_text(clause, value);
                         });
  return out ? Value::string(std::move(*out)) : Value::error(out.error().message);
}

constexpr std::array<Native, 1> kFormatFunctions{{{"format", format}}};

// What follows a percent sign; takes it off the text.
std::expected<FormatClause, std::string> take_clause(std::string_view& text) {
  FormatClause clause;
  if (text.starts_with('.')) {
    const auto end = text.find_first_not_of("0123456789", 1);
    if (end == text.npos) {
      return std::unexpected(
          "error while parsing precision: could not find end of precision specifier");
    }
    int precision = 0;
    const auto [stop, error] = std::from_chars(text.data() + 1, text.data() + end, precision);
    if (error != std::errc{} || stop != text.data() + end) {
      return std::unexpected(fmt::format(
          "error while parsing precision: error while converting precision to integer: "
          "strconv.Atoi: parsing {}: {}",
          kube::go_quoted(text.substr(1, end - 1)),
          error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
    }
    clause.precision = precision;
    text.remove_prefix(end);
  }
  clause.letter = text.front();
  text.remove_prefix(1);
  if (!std::string_view{"sdfebxXo"}.contains(clause.letter)) {
    return std::unexpected(fmt::format("unrecognized formatting clause \"{}\"", clause.letter));
  }
  return clause;
}

}  // namespace

std::string unfit_argument(char letter, std::string_view type) {
  std::string_view rule;
  switch (letter) {
    case 'd': rule = "decimal clause can only be used on integers"; break;
    case 'f': rule = "fixed-point clause can only be used on doubles"; break;
    case 'e': rule = "scientific clause can only be used on doubles"; break;
    case 'b': rule = "only integers and bools can be formatted as binary"; break;
    case 'o': rule = "octal clause can only be used on integers"; break;
    case 'x':
    case 'X': rule = "only integers, byte buffers, and strings can be formatted as hex"; break;
    default:
      rule =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps";
  }
  return fmt::format("{}, was given {}", rule, type);
}

Filled fill_format(std::string_view text, std::size_t args, const FillClause& fill) {
  std::string out;
  std::size_t next = 0;
  while (!text.empty()) {
    if (text.front() != '%') {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (text.starts_with("%%")) {
      out += '%';
      text.remove_prefix(2);
      continue;
    }
    text.remove_prefix(1);
    if (text.empty()) {
      return wrong(next < args ? "unexpected end of string"
                               : fmt::format("index {} out of range", next));
    }
    if (next >= args) return wrong(fmt::format("index {} out of range", next));
    const auto clause = take_clause(text);
    if (!clause) return wrong("could not parse formatting clause: " + clause.error());
    auto filled = fill(*clause, next++);
    if (!filled) {
      filled.error().message = "error during formatting: " + filled.error().message;
      return filled;
    }
    out += *filled;
  }
  return out;
}

std::span<const Native> format_functions() {
  return kFormatFunctions;
}

}  // namespace fixpoint::cel
