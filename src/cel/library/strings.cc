// SPDX-License-Identifier: Apache-2.0
//
// Text: the standard functions and the strings library. Positions count code points.
#include "cel/library/functions.h"
#include "kube/go/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

bool are(Args args, std::initializer_list<Kind> kinds) {
  return args.size() == kinds.size() &&
         std::ranges::equal(args, kinds, [](const Value& arg, Kind kind) { return arg.is(kind); });
}

Value out_of_range(std::int64_t index) {
  return Value::error(fmt::format("index out of range: {}", index));
}

// The byte at which each code point begins, and the end.
std::vector<std::size_t> starts(std::string_view text) {
  std::vector<std::size_t> out{0};
  for (std::size_t at = 0; at < text.size();) {
    at += kube::first_code_point(text.substr(at)).bytes;
    out.push_back(at);
  }
  return out;
}

Value contains(Args args) {
  if (!are(args, {Kind::String, Kind::String})) return Value::no_overload();
  return Value::boolean(args[0].text().contains(args[1].text()));
}
Value starts_with(Args args) {
  if (!are(args, {Kind::String, Kind::String})) return Value::no_overload();
  return Value::boolean(args[0].text().starts_with(args[1].text()));
}
Value ends_with(Args args) {
  if (!are(args, {Kind::String, Kind::String})) return Value::no_overload();
  return Value::boolean(args[0].text().ends_with(args[1].text()));
}

Value char_at(Args args) {
  if (!are(args, {Kind::String, Kind::Int})) return no_overload("charAt", args);
  const auto text = args[0].text();
  const auto index = args[1].as_int();
  const auto begin = starts(text);
  const auto size = static_cast<std::int64_t>(begin.size()) - 1;
  if (index < 0 || index > size) return out_of_range(index);
  if (index == size) return Value::string("");
  const auto i = static_cast<std::size_t>(index);
  return Value::string(std::string{text.substr(begin[i], begin[i + 1] - begin[i])});
}

Value substring(Args args) {
  if (args.size() < 2 || !args[0].is(Kind::String) || !args[1].is(Kind::Int) ||
      (args.size() > 2 && !args[2].is(Kind::Int))) {
    return no_overload("substring", args);
  }
  const auto text = args[0].text();
  const auto begin = starts(text);
  const auto size = static_cast<std::int64_t>(begin.size()) - 1;
  const auto from = args[1].as_int();
  const auto to = args.size() > 2 ? args[2].as_int() : size;
  if (args.size() > 2 && from > to) {
    return Value::error(fmt::format("invalid substring range. start: {}, end: {}", from, to));
  }
  if (from < 0 || from > size) return out_of_range(from);
  if (to < 0 || to > size) return out_of_range(to);
  const auto first = begin[static_cast<std::size_t>(from)];
  return Value::string(
      std::string{text.substr(first, begin[static_cast<std::size_t>(to)] - first)});
}

// The code point at which `wanted` is first found at or after `from`, or last at or before it.
std::int64_t position(std::string_view text, std::string_view wanted, std::int64_t from,
                      bool forward) {
  const auto begin = starts(text);
  const auto size = static_cast<std::int64_t>(begin.size()) - 1;
  if (from >= size) return -1;
  for (auto i = from; i >= 0 && i < size; i += forward ? 1 : -1) {
    if (text.substr(begin[static_cast<std::size_t>(i)]).starts_with(wanted)) return i;
  }
  return -1;
}

Value index_of_text(Args args, bool forward) {
  const auto text = args[0].text();
  const auto wanted = args[1].text();
  const bool given = args.size() > 2;
  const auto size = static_cast<std::int64_t>(code_points(text));
  auto from = given ? args[2].as_int() : (forward ? 0 : size - 1);
  if (wanted.empty()) return Value::integer(given || forward ? from : size);
  if (!given && !forward && text.size() < wanted.size()) return Value::integer(-1);
  if (from < 0) return out_of_range(from);
  return Value::integer(position(text, wanted, from, forward));
}

Value index_of_element(Args args, bool forward) {
  const auto size = static_cast<std::int64_t>(args[0].size());
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = forward ? i : size - 1 - i;
    if (equal(args[0].at(static_cast<std::size_t>(at)), args[1]).is_true()) {
      return Value::integer(at);
    }
  }
  return Value::integer(-1);
}

template <bool Forward>
Value index_of(Args args) {
  if (args.size() == 2 && args[0].is(Kind::List)) return index_of_element(args, Forward);
  if (are(args, {Kind::String, Kind::String}) ||
      are(args, {Kind::String, Kind::String, Kind::Int})) {
    return index_of_text(args, Forward);
  }
  return no_overload(Forward ? "indexOf" : "lastIndexOf", args);
}

Value with_case(Args args, std::string_view name, char first, char last) {
  if (!are(args, {Kind::String})) return no_overload(name, args);
  std::string out{args[0].text()};
  for (auto& c : out) {
    if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  }
  return Value::string(std::move(out));
}
Value lower_ascii(Args args) {
  return with_case(args, "lowerAscii", 'A', 'Z');
}
Value upper_ascii(Args args) {
  return with_case(args, "upperAscii", 'a', 'z');
}

Value replace(Args args) {
  if (!are(args, {Kind::String, Kind::String, Kind::String}) &&
      !are(args, {Kind::String, Kind::String, Kind::String, Kind::Int})) {
    return no_overload("replace", args);
  }
  const auto text = args[0].text();
  const auto old = args[1].text();
  auto left = args.size() > 3 ? args[3].as_int() : -1;
  std::string out;
  std::size_t at = 0;
  while (left != 0 && at <= text.size()) {
    // Nothing is found before every code point and at the end.
    const auto found = old.empty() ? at : text.find(old, at);
    if (found == text.npos) break;
    out += text.substr(at, found - at);
    out += args[2].text();
    at = found + old.size();
    --left;
    if (!old.empty()) continue;
    if (at == text.size()) return Value::string(std::move(out));
    const auto bytes = kube::first_code_point(text.substr(at)).bytes;
    out += text.substr(at, bytes);
    at += bytes;
  }
  return Value::string(out + std::string{text.substr(std::min(at, text.size()))});
}

Value split(Args args) {
  if (!are(args, {Kind::String, Kind::String}) &&
      !are(args, {Kind::String, Kind::String, Kind::Int})) {
    return no_overload("split", args);
  }
  auto text = args[0].text();
  const auto separator = args[1].text();
  const auto count = args.size() > 2 ? args[2].as_int() : -1;
  Value::List out;
  if (count == 0) return Value::list({});
  const auto full = [&] { return count > 0 && static_cast<std::int64_t>(out.size()) + 1 >= count; };
  while (!full()) {
    if (separator.empty()) {
      if (text.empty()) return Value::list(std::move(out));
      const auto bytes = kube::first_code_point(text).bytes;
      if (bytes == text.size()) break;
      out.push_back(Value::string(std::string{text.substr(0, bytes)}));
      text.remove_prefix(bytes);
      continue;
    }
    const auto found = text.find(separator);
    if (found == text.npos) break;
    out.push_back(Value::string(std::string{text.substr(0, found)}));
    text.remove_prefix(found + separator.size());
  }
  out.push_back(Value::string(std::string{text}));
  return Value::list(std::move(out));
}

// Bytes of white space at the front, as Unicode has it.
std::size_t space(std::string_view text) {
  const auto point = kube::first_code_point(text);
  switch (point.value) {
    case U'\t':
    case U'\n':
    case U'\v':
    case U'\f':
    case U'\r':
    case U' ':
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000: return point.bytes;
    default: return point.value >= 0x2000 && point.value <= 0x200A ? point.bytes : 0;
  }
}

Value trim(Args args) {
  if (!are(args, {Kind::String})) return no_overload("trim", args);
  auto text = args[0].text();
  while (!text.empty() && space(text) > 0) text.remove_prefix(space(text));
  const auto begin = starts(text);
  auto end = begin.size() - 1;
  while (end > 0 && space(text.substr(begin[end - 1])) > 0) --end;
  return Value::string(std::string{text.substr(0, begin[end])});
}

Value join(Args args) {
  if (!args[0].is(Kind::List) || (args.size() > 1 && !args[1].is(Kind::String))) {
    return no_overload("join", args);
  }
  std::string out;
  for (std::size_t i = 0; i < args[0].size(); ++i) {
    const auto each = args[0].at(i);
    if (!each.is(Kind::String)) return Value::error("join: invalid input: " + shown(each));
    if (i > 0 && args.size() > 1) out += args[1].text();
    out += each.text();
  }
  return Value::string(std::move(out));
}

Value quote(Args args) {
  if (!are(args, {Kind::String})) return no_overload("strings.quote", args);
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : args[0].text()) {
    const auto found = kSpecial.find(c);
    if (found == kSpecial.npos || c == '\0') {
      out += c;
    } else {
      out += '\\';
      out += kLetters[found];
    }
  }
  return Value::string(out + "\"");
}

constexpr std::array<Native, 14> kStringFunctions{
    {{"contains", contains},
     {"startsWith", starts_with},
     {"endsWith", ends_with},
     {"charAt", char_at},
     {"substring", substring},
     {"indexOf", index_of<true>},
     {"lastIndexOf", index_of<false>},
     {"lowerAscii", lower_ascii},
     {"upperAscii", upper_ascii},
     {"replace", replace},
     {"split", split},
     {"trim", trim},
     {"join", join},
     {"strings.quote", quote}}
};

}  // namespace

std::span<const Native> string_functions() {
  return kStringFunctions;
}

}  // namespace fixpoint::cel
