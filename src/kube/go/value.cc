// SPDX-License-Identifier: Apache-2.0
//
// JSON values as Go's fmt prints them.
#include "kube/go/value.h"

#include "base/error.h"
#include "json/print.h"
#include "kube/errors/field_error.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace fixpoint::kube {

namespace {

// Shortest digits; an exponent below 1e-4 and from 1e6 on, of two digits at least.
void print_float(double value, std::string& out) {
  const double size = std::fabs(value);
  const auto form = size != 0 && (size < 1e-4 || size >= 1e6) ? std::chars_format::scientific
                                                              : std::chars_format::fixed;
  std::array<char, 512> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, form);
  FP_CHECK(error == std::errc{});
  out.append(digits.data(), end);
}

struct Style {
  std::string_view map, map_end, list, list_end, between, nothing;
  bool quoted;
  bool texts_only;  // %s: anything else is shown as a mistake
};
constexpr Style kPrinted{"map[", "]", "[", "]", " ", "<nil>", false, false};
constexpr Style kAsText{"map[", "]", "[", "]", " ", "%!s(<nil>)", false, true};
constexpr Style kLiteral{"map[string]interface {}{",
                         "}",
                         "[]interface {}{",
                         "}",
                         ", ",
                         "interface {}(nil)",
                         true,
                         false};

void print_text(std::string_view text, const Style& style, std::string& out) {
  if (style.quoted) {
    out += shown(text);
  } else {
    out += text;
  }
}

void print_scalar(json::View value, const Style& style, std::string& out) {
  if (style.texts_only) out.append("%!s(").append(go_type_name(value.type())).append("=");
  if (value.type() == json::Type::Float) {
    print_float(value.as_double(), out);
  } else {
    json::print(value, out);
  }
  if (style.texts_only) out += ')';
}

void print_in_style(json::View value, const Style& style, std::string& out) {
  bool first = true;
  const auto separate = [&] {
    if (!std::exchange(first, false)) out += style.between;
  };
  switch (value.type()) {
    case json::Type::Null: out += style.nothing; return;
    case json::Type::String: print_text(value.as_string(), style, out); return;
    case json::Type::Float:
    case json::Type::Bool:
    case json::Type::Int: print_scalar(value, style, out); return;
    case json::Type::Array:
      out += style.list;
      for (const json::View item : value.elements()) {
        separate();
        print_in_style(item, style, out);
      }
      out += style.list_end;
      return;
    case json::Type::Object:
      out += style.map;
      for (const auto [key, part] : value.members()) {
        separate();
        print_text(key, style, out);
        out += ':';
        print_in_style(part, style, out);
      }
      out += style.map_end;
      return;
  }
}

}  // namespace

std::string go_printed(json::View value) {
  std::string out;
  print_in_style(value, kPrinted, out);
  return out;
}

std::string go_as_text(json::View value) {
  std::string out;
  print_in_style(value, kAsText, out);
  return out;
}

std::string go_literal(json::View value) {
  std::string out;
  print_in_style(value, kLiteral, out);
  return out;
}

std::string_view go_type_name(json::Type type) {
  switch (type) {
    case json::Type::Null: return "<nil>";
    case json::Type::Bool: return "bool";
    case json::Type::Int: return "int64";
    case json::Type::Float: return "float64";
    case json::Type::String: return "string";
    case json::Type::Array: return "[]interface {}";
    case json::Type::Object: return "map[string]interface {}";
  }
  std::unreachable();
}

}  // namespace fixpoint::kube
