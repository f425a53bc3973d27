// SPDX-License-Identifier: Apache-2.0
//
// Problem: one keyword's complaint, before it becomes a FieldError; and the path it happened at.
//
// Kubernetes' library compares complaints by their sentence to drop repetitions, and prefers, among
// the branches of anyOf, the one that did best so far: `matches` counts what it counts.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

// A path as that library prints it: names joined by dots without quoting, [i] for items. Lives on
// the validator's stack and becomes text only when something is wrong.
class SentencePath {
 public:
  SentencePath() = default;
  SentencePath property(std::string_view name) const { return {this, Step::Property, name, 0}; }
  SentencePath map_key(std::string_view name) const { return {this, Step::MapKey, name, 0}; }
  SentencePath item(std::size_t index) const { return {this, Step::Item, {}, index}; }
  bool root() const { return parent_ == nullptr; }
  std::string to_string() const;

 private:
  enum class Step : std::uint8_t { Property, MapKey, Item };
  SentencePath(const SentencePath* parent, Step step, std::string_view name, std::size_t index)
      : parent_(parent), step_(step), name_(name), index_(index) {}

  const SentencePath* parent_ = nullptr;
  Step step_ = Step::Property;
  std::string_view name_;
  std::size_t index_ = 0;
};

struct Problem {
  FieldErrorKind kind = FieldErrorKind::Invalid;
  std::string field;  // empty: reported at the resource itself
  std::string value;  // as shown
  std::string sentence;
  std::string detail;  // empty where the sentence is the detail
  bool quiet = false;  // Required: the sentence only tells repetitions apart

  FieldError to_field_error(std::string_view base) const;
};

struct Outcome {
  std::vector<Problem> problems;
  int matches = 0;

  bool valid() const { return problems.empty(); }
  void add(Problem problem);
  void merge(Outcome&& other);
};

// %v of a float64 in Go.
std::string go_number(double value);

Problem wrong_type(const SentencePath& path, std::string_view wanted, std::string_view found);
Problem wrong_format(const SentencePath& path, std::string_view format, std::string_view text);
Problem missing(const SentencePath& path, std::string_view name);
Problem not_allowed(const SentencePath& path, std::string_view name);
Problem too_long_text(const SentencePath& path, std::int64_t limit);
Problem too_many_of(const SentencePath& path, std::string_view what, std::int64_t limit,
                    std::size_t size);
Problem not_in_enum(const SentencePath& path, json::View value,
                    const std::vector<json::Value>& allowed);
// "<path> in body <rest>" with the value shown.
Problem broken(const SentencePath& path, std::string value, std::string_view rest);
// anyOf and its kin: no field, the path quoted in the sentence.
Problem composite(const SentencePath& path, std::string_view rest);

}  // namespace fixpoint::kube
