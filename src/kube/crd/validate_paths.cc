// SPDX-License-Identifier: Apache-2.0
//
// Following a JSON path through a schema instead of an object.
#include "kube/crd/validate_schema.h"

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// Delimiters are tokens of their own, a quoted string is one, and so is any other run of text.
std::string_view next_token(std::string_view& rest) {
  std::size_t size = 1;
  if (rest[0] == '\'') {
    while (size < rest.size() && !(rest[size] == '\'' && rest[size - 1] != '\\')) ++size;
    if (size < rest.size()) ++size;
  } else if (rest[0] != '.' && rest[0] != '[' && rest[0] != ']') {
    while (size < rest.size() && !std::string_view{".[]"}.contains(rest[size])) ++size;
  }
  const auto token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

std::string without_escapes(std::string_view quoted) {
  std::string out;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 1 < quoted.size()) ++i;
    out += quoted[i];
  }
  return out;
}

bool step(SchemaStep& at, std::string_view name) {
  const auto properties = at.found.get("properties");
  if (!properties.empty()) {
    const auto property = properties.find(name);
    if (!property) return false;
    if (!at.normal.empty()) at.normal += '.';
    at.normal += name;
    at.found = *property;
    return true;
  }
  if (at.found.get("additionalProperties").is_null()) return false;
  at.normal += fmt::format("[{}]", name);
  at.found = at.found.get("additionalProperties");
  return true;
}

}  // namespace

SchemaStep follow_path(json::View schema, std::string_view json_path, Brackets brackets) {
  SchemaStep at{schema, {}, {}};
  const auto wrong = [&](std::string why) {
    at.error = std::move(why);
    return at;
  };
  while (!json_path.empty()) {
    auto token = next_token(json_path);
    const bool bracket = token == "[";
    if (!bracket && token != ".") {
      return wrong(fmt::format("expected [ or . but got: {}", token));
    }
    if (bracket && brackets == Brackets::Refused) return wrong("array notation is not allowed");
    if (json_path.empty()) return wrong("unexpected end of JSON path");
    token = next_token(json_path);
    std::string name{token};
    if (bracket) {
      if (token.size() < 2 || token.front() != '\'' || token.back() != '\'') {
        return wrong(fmt::format("expected single quoted string but got {}", token));
      }
      name = without_escapes(token.substr(1, token.size() - 2));
    }
    if (!step(at, name)) return wrong("does not refer to a valid field");
    if (!bracket) continue;
    if (json_path.empty()) return wrong("unexpected end of JSON path");
    token = next_token(json_path);
    if (token != "]") return wrong(fmt::format("expected ] but got {}", token));
  }
  return at;
}

}  // namespace fixpoint::kube
