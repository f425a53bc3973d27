// SPDX-License-Identifier: Apache-2.0
#include "kinds/defaults/annotated_tolerations.h"

#include "json/draft.h"
#include "json/parsing/go_cursor.h"
#include "json/parsing/go_parse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

struct TolerationField {
  std::string_view name;  // Go's
  std::string_view published;
  std::string_view type;
};

constexpr std::string_view kNumberType = "int64";
constexpr std::array<TolerationField, 5> kTolerationFields{
    {{"Key", "key", "string"},
     {"Operator", "operator", "core.TolerationOperator"},
     {"Value", "value", "string"},
     {"Effect", "effect", "core.TaintEffect"},
     {"TolerationSeconds", "tolerationSeconds", kNumberType}}
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

const TolerationField* field_named(std::string_view key) {
  const auto found = std::ranges::find_if(kTolerationFields, [&](const TolerationField& field) {
    return std::ranges::equal(field.name, key, {}, lower, lower);
  });
  return found == kTolerationFields.end() ? nullptr : &*found;
}

std::unexpected<Error> unfit(std::string_view what, std::string_view target) {
  return fail(ErrorKind::Invalid,
              fmt::format("json: cannot unmarshal {} into Go {}", what, target));
}

Result<json::Draft> read_toleration_field(json::GoCursor& at, const TolerationField& field) {
  const auto target = fmt::format("struct field Toleration.{} of type {}", field.name, field.type);
  const char first = at.next();
  const bool number = first == '-' || (first >= '0' && first <= '9');
  if (field.type != kNumberType) {
    if (first == '"') return json::Draft{at.string()};
    return unfit(json::go_word_for(first), target);
  }
  if (!number) return unfit(json::go_word_for(first), target);
  const auto digits = at.number();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end == digits.data() + digits.size()) return json::Draft{value};
  return unfit("number " + std::string{digits}, target);
}

Result<json::Draft> read_toleration(json::GoCursor& at) {
  auto toleration = json::Draft::object();
  if (at.next() == 'n') {
    at.literal();
    return toleration;
  }
  if (at.next() != '{') return unfit(json::go_word_for(at.next()), "value of type core.Toleration");
  at.enter();
  while (!at.leaves('}')) {
    const TolerationField* field = field_named(at.key());
    if (field == nullptr || at.next() == 'n') {
      at.skip();
      continue;
    }
    FP_TRY(value, read_toleration_field(at, *field));
    toleration[field->published] = std::move(value);
  }
  return toleration;
}

}  // namespace

Result<json::Value> read_tolerations(std::string_view text) {
  if (auto ok = json::go_check(text); !ok) return std::unexpected(ok.error());
  json::GoCursor at{text};
  auto tolerations = json::Draft::array();
  if (at.next() == 'n') return tolerations.freeze();
  if (at.next() != '[')
    return unfit(json::go_word_for(at.next()), "value of type []core.Toleration");
  at.enter();
  while (!at.leaves(']')) {
    FP_TRY(toleration, read_toleration(at));
    tolerations.push_back(std::move(toleration));
  }
  return tolerations.freeze();
}

}  // namespace fixpoint::kinds
