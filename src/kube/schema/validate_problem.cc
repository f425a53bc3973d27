// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate_problem.h"

#include "json/print.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr int kExponentFrom = 6;

}  // namespace

std::string SentencePath::to_string() const {
  if (root()) return {};
  auto text = parent_->to_string();
  switch (step_) {
    case Step::Property:
      if (!text.empty()) text += '.';
      return text.append(name_);
    case Step::MapKey: return text.append(".").append(name_);
    case Step::Item: return text + fmt::format("[{}]", index_);
  }
  return text;
}

FieldError Problem::to_field_error(std::string_view base) const {
  std::string_view below = field;
  if (below.starts_with('.')) below.remove_prefix(1);
  std::string at{base};
  if (!below.empty()) {
    if (!at.empty()) at += '.';
    at += below;
  }
  if (at.empty()) at = "<nil>";
  return {kind, std::move(at), value, quiet ? "" : (detail.empty() ? sentence : detail)};
}

void Outcome::add(Problem problem) {
  const auto same = [&](const Problem& other) { return other.sentence == problem.sentence; };
  if (std::ranges::none_of(problems, same)) problems.push_back(std::move(problem));
}

void Outcome::merge(Outcome&& other) {
  for (auto& problem : other.problems) add(std::move(problem));
  matches += other.matches;
}

// %v is %g with the shortest digits: below 1e-4 and from 1e+06 on with an exponent
// of at least two digits.
std::string go_number(double value) {
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  const std::string_view scientific{buffer.data(), written.ptr};
  const auto mark = scientific.find('e');
  int exponent = 0;
  const auto digits = scientific.substr(mark + 1);
  std::from_chars(digits.data() + (digits.starts_with('+') ? 1 : 0), digits.data() + digits.size(),
                  exponent);
  if (value != 0 && (exponent < -4 || exponent >= kExponentFrom)) return std::string{scientific};
  const auto plain =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), plain.ptr};
}

Problem wrong_type(const SentencePath& path, std::string_view wanted, std::string_view found) {
  const auto at = path.to_string();
  return {.kind = FieldErrorKind::TypeInvalid,
          .field = at,
          .value = shown(found),
          .sentence = fmt::format("{} in body must be of type {}: {}", at, wanted, shown(found))};
}

Problem wrong_format(const SentencePath& path, std::string_view format, std::string_view text) {
  return wrong_type(path, format, text);
}

Problem missing(const SentencePath& path, std::string_view name) {
  const auto at = path.map_key(name).to_string();
  return {.kind = FieldErrorKind::Required,
          .field = at,
          .sentence = fmt::format("{} in body is required", at),
          .quiet = true};
}

Problem not_allowed(const SentencePath& path, std::string_view name) {
  const auto at = path.to_string();
  return {.field = at,
          .value = shown(name),
          .sentence = fmt::format("{}.{} in body is a forbidden property", at, name)};
}

Problem too_long_text(const SentencePath& path, std::int64_t limit) {
  const auto at = path.to_string();
  auto shape = too_long(FieldPath{at}, static_cast<std::size_t>(std::max<std::int64_t>(limit, 0)));
  return {.kind = FieldErrorKind::TooLong,
          .field = at,
          .sentence = fmt::format("{} in body should be at most {} chars long", at, limit),
          .detail = std::move(shape.detail)};
}

Problem too_many_of(const SentencePath& path, std::string_view what, std::int64_t limit,
                    std::size_t size) {
  const auto at = path.to_string();
  auto shape =
      too_many(FieldPath{at}, size, static_cast<std::size_t>(std::max<std::int64_t>(limit, 0)));
  return {.kind = FieldErrorKind::TooMany,
          .field = at,
          .value = std::move(shape.value),
          .sentence = fmt::format("{} in body should have at most {} {}", at, limit, what),
          .detail = std::move(shape.detail)};
}

Problem not_in_enum(const SentencePath& path, json::View value,
                    const std::vector<json::Value>& allowed) {
  const auto at = path.to_string();
  std::vector<std::string> texts;
  for (const auto& each : allowed) {
    texts.push_back(each.is_string() ? std::string{each.view().as_string()} : json::to_text(each));
  }
  auto shape = not_supported(FieldPath{at}, value, texts);
  return {.kind = FieldErrorKind::NotSupported,
          .field = at,
          .value = value.type() == json::Type::Float ? go_number(value.as_double())
                                                     : std::move(shape.value),
          .sentence = fmt::format("{} in body should be one of [{}]", at, fmt::join(texts, " ")),
          .detail = std::move(shape.detail)};
}

Problem broken(const SentencePath& path, std::string value, std::string_view rest) {
  const auto at = path.to_string();
  return {
      .field = at, .value = std::move(value), .sentence = fmt::format("{} in body {}", at, rest)};
}

Problem composite(const SentencePath& path, std::string_view rest) {
  return {.value = "\"\"", .sentence = fmt::format("{} {}", shown(path.to_string()), rest)};
}

}  // namespace fixpoint::kube
