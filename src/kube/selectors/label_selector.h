// SPDX-License-Identifier: Apache-2.0
//
// LabelSelector: which objects a list, a watch, a Service or a Deployment means.
//
// Two spellings of one thing: the query text `a=b,c in (d,e),!f` and the object form with
// matchLabels and matchExpressions. Errors are worded as a real server words them.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/errors/field_error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

struct LabelRequirement {
  enum class Operator : std::uint8_t {
    Equals,
    DoubleEquals,
    NotEquals,
    In,
    NotIn,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
  };
  std::string key;
  Operator op = Operator::Exists;
  std::vector<std::string> values;

  bool matches(json::View labels) const;
  std::string to_string() const;
  bool operator==(const LabelRequirement&) const = default;
};

class LabelSelector {
 public:
  LabelSelector() = default;  // matches everything
  // What an absent (nil) selector object means.
  static LabelSelector nothing();
  // Requirements sorted by key.
  static Result<LabelSelector> parse(std::string_view text);
  // From a LabelSelector object; null selects nothing, {} everything.
  static Result<LabelSelector> from_object(json::View object);
  // From a plain map of labels, as Services and ReplicationControllers have.
  static LabelSelector from_labels(json::View labels);

  // `labels` is the metadata.labels object, or null.
  bool matches(json::View labels) const;
  bool empty() const { return !nothing_ && requirements_.empty(); }
  // Parses back to an equal selector.
  std::string to_string() const;
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  bool operator==(const LabelSelector&) const = default;

 private:
  std::vector<LabelRequirement> requirements_;
  bool nothing_ = false;
};

// The field errors of a LabelSelector object; none for null.
FieldErrors validate_label_selector(json::View selector, const FieldPath& path);

}  // namespace fixpoint::kube
