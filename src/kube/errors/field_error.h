// SPDX-License-Identifier: Apache-2.0
//
// FieldPath and FieldError: what is wrong with which field, in Kubernetes' words.
//
// The text of a FieldError is `path: Kind text: value: detail`, e.g.
//   spec.port: Invalid value: 0: must be between 1 and 65535, inclusive
// Read next: status.h, which gathers them into a 422 answer.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

// A path under construction: child("spec").key("a.b").index(2) -> spec[a.b][2]. Cheap to extend;
// a path lives only as long as its parents, on the validator's stack.
class FieldPath {
 public:
  FieldPath() = default;  // the root; prints as "<nil>" in errors
  explicit FieldPath(std::string_view name) : name_(name) {}

  FieldPath child(std::string_view name) const { return FieldPath{this, name, Step::Child, 0}; }
  FieldPath key(std::string_view name) const { return FieldPath{this, name, Step::Key, 0}; }
  FieldPath index(std::size_t at) const { return FieldPath{this, {}, Step::Index, at}; }
  bool root() const { return parent_ == nullptr && name_.empty(); }
  std::string to_string() const;

 private:
  enum class Step : std::uint8_t { Child, Key, Index };
  FieldPath(const FieldPath* parent, std::string_view name, Step step, std::size_t at)
      : parent_(parent), name_(name), step_(step), index_(at) {}

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  Step step_ = Step::Child;
  std::size_t index_ = 0;
};

// The values are also the `reason` of a Status cause.
enum class FieldErrorKind : std::uint8_t {
  NotFound,      // FieldValueNotFound      "Not found"
  Required,      // FieldValueRequired      "Required value"
  Duplicate,     // FieldValueDuplicate     "Duplicate value"
  Invalid,       // FieldValueInvalid       "Invalid value"
  NotSupported,  // FieldValueNotSupported  "Unsupported value"
  Forbidden,     // FieldValueForbidden     "Forbidden"
  TooLong,       // FieldValueTooLong       "Too long"
  TooMany,       // FieldValueTooMany       "Too many"
  Internal,      // InternalError           "Internal error"
  TypeInvalid,   // FieldValueTypeInvalid   "Invalid value"
};

struct FieldError {
  FieldErrorKind kind;
  std::string field;
  // The offending value as the message shows it: strings quoted, numbers bare, objects as JSON;
  // empty for kinds that show none (Required, Forbidden, TooLong, Internal).
  std::string value;
  std::string detail;

  // Without the field: what a Status cause carries.
  std::string body() const;
  // With the field in front: what the Status message carries.
  std::string to_string() const;
};

using FieldErrors = std::vector<FieldError>;

std::string_view cause_reason(FieldErrorKind kind);

// How a value is shown in an error: "text" quoted as Go's %q, 3, true, null, {"a":1}.
std::string shown(json::View value);
std::string shown(std::string_view text);

FieldError required(const FieldPath& path, std::string detail);
FieldError invalid(const FieldPath& path, std::string shown_value, std::string detail);
FieldError invalid(const FieldPath& path, json::View value, std::string detail);
FieldError forbidden(const FieldPath& path, std::string detail);
FieldError duplicate(const FieldPath& path, json::View value);
FieldError duplicate(const FieldPath& path, std::string_view text);
FieldError not_found(const FieldPath& path, json::View value);
FieldError too_long(const FieldPath& path, std::size_t bytes_max);
FieldError too_many(const FieldPath& path, std::size_t actual, std::size_t items_max);
// supported values are printed quoted and sorted as given.
FieldError not_supported(const FieldPath& path, json::View value,
                         const std::vector<std::string>& supported);

}  // namespace fixpoint::kube
