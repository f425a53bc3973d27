// SPDX-License-Identifier: Apache-2.0
#include "kube/errors/field_error.h"

#include "json/print.h"
#include "kube/go/text.h"

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

std::string_view kind_text(FieldErrorKind kind) {
  switch (kind) {
    case FieldErrorKind::NotFound: return "Not found";
    case FieldErrorKind::Required: return "Required value";
    case FieldErrorKind::Duplicate: return "Duplicate value";
    case FieldErrorKind::Invalid:
    case FieldErrorKind::TypeInvalid: return "Invalid value";
    case FieldErrorKind::NotSupported: return "Unsupported value";
    case FieldErrorKind::Forbidden: return "Forbidden";
    case FieldErrorKind::TooLong: return "Too long";
    case FieldErrorKind::TooMany: return "Too many";
    case FieldErrorKind::Internal: return "Internal error";
  }
  return "";
}

FieldError make(FieldErrorKind kind, const FieldPath& path, std::string value, std::string detail) {
  return {kind, path.to_string(), std::move(value), std::move(detail)};
}

}  // namespace

std::string FieldPath::to_string() const {
  if (root()) return "<nil>";
  std::string text;
  if (parent_ != nullptr && !parent_->root()) text = parent_->to_string();
  switch (step_) {
    case Step::Child:
      if (!text.empty()) text += '.';
      return text.append(name_);
    case Step::Key: return text.append("[").append(name_).append("]");
    case Step::Index: return text + fmt::format("[{}]", index_);
  }
  return text;
}

std::string_view cause_reason(FieldErrorKind kind) {
  switch (kind) {
    case FieldErrorKind::NotFound: return "FieldValueNotFound";
    case FieldErrorKind::Required: return "FieldValueRequired";
    case FieldErrorKind::Duplicate: return "FieldValueDuplicate";
    case FieldErrorKind::Invalid: return "FieldValueInvalid";
    case FieldErrorKind::NotSupported: return "FieldValueNotSupported";
    case FieldErrorKind::Forbidden: return "FieldValueForbidden";
    case FieldErrorKind::TooLong: return "FieldValueTooLong";
    case FieldErrorKind::TooMany: return "FieldValueTooMany";
    case FieldErrorKind::Internal: return "InternalError";
    case FieldErrorKind::TypeInvalid: return "FieldValueTypeInvalid";
  }
  return "";
}

std::string FieldError::body() const {
  std::string text{kind_text(kind)};
  if (!value.empty()) text += ": " + value;
  if (!detail.empty()) text += ": " + detail;
  return text;
}

std::string FieldError::to_string() const {
  return field + ": " + body();
}

std::string shown(json::View value) {
  return value.is_string() ? shown(value.as_string()) : json::to_text(value);
}

std::string shown(std::string_view text) {
  return go_quoted(text);
}

FieldError required(const FieldPath& path, std::string detail) {
  return make(FieldErrorKind::Required, path, {}, std::move(detail));
}

FieldError invalid(const FieldPath& path, std::string shown_value, std::string detail) {
  return make(FieldErrorKind::Invalid, path, std::move(shown_value), std::move(detail));
}

FieldError invalid(const FieldPath& path, json::View value, std::string detail) {
  return invalid(path, shown(value), std::move(detail));
}

FieldError forbidden(const FieldPath& path, std::string detail) {
  return make(FieldErrorKind::Forbidden, path, {}, std::move(detail));
}

FieldError duplicate(const FieldPath& path, json::View value) {
  return make(FieldErrorKind::Duplicate, path, shown(value), {});
}

FieldError duplicate(const FieldPath& path, std::string_view text) {
  return make(FieldErrorKind::Duplicate, path, shown(text), {});
}

FieldError not_found(const FieldPath& path, json::View value) {
  return make(FieldErrorKind::NotFound, path, shown(value), {});
}

FieldError too_long(const FieldPath& path, std::size_t bytes_max) {
  return make(
      FieldErrorKind::TooLong, path, {},
      fmt::format("may not be more than {} {}", bytes_max, bytes_max == 1 ? "byte" : "bytes"));
}

FieldError too_many(const FieldPath& path, std::size_t actual, std::size_t items_max) {
  return make(FieldErrorKind::TooMany, path, std::to_string(actual),
              fmt::format("must have at most {} {}", items_max, items_max == 1 ? "item" : "items"));
}

FieldError not_supported(const FieldPath& path, json::View value,
                         const std::vector<std::string>& supported) {
  std::vector<std::string> quotes;
  quotes.reserve(supported.size());
  for (const auto& each : supported) quotes.push_back(go_quoted(each));
  std::string detail;
  if (!quotes.empty()) detail = "supported values: " + joined(quotes, ", ");
  return make(FieldErrorKind::NotSupported, path, shown(value), std::move(detail));
}

}  // namespace fixpoint::kube
