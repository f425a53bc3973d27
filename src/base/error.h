// SPDX-License-Identifier: Apache-2.0
//
// Error and Result: every expected failure in Fixpoint is a value of these types.
//
// The kind tells the caller what to do; the message tells a person what happened, with names in it.
// Broken invariants do not become errors: FP_CHECK aborts, in release builds too.
// Read next: kube/errors/status.h, the richer error of the Kubernetes API.
#pragma once

#include <cstdint>
#include <expected>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint {

enum class ErrorKind : std::uint8_t {
  NotFound,     // the thing named is not there
  Conflict,     // somebody else changed it first: read again, decide again
  Invalid,      // the input is wrong: the same call never succeeds
  Gone,         // it was there once and is no longer kept: start over from the present
  Exhausted,    // a named bound was reached: ask for less or free something
  Unavailable,  // the other side cannot answer now: the same call may succeed later
  Internal,     // our own fault
};

std::string_view to_string(ErrorKind kind);

struct [[nodiscard]] Error {
  ErrorKind kind;
  std::string message;
  std::source_location where = std::source_location::current();

  // True when the same call may succeed later without anyone changing their mind.
  bool retryable() const { return kind == ErrorKind::Conflict || kind == ErrorKind::Unavailable; }
};

template <class T>
using Result = std::expected<T, Error>;

// Shorthand for `return std::unexpected(Error{...})` that keeps the caller's source location.
inline std::unexpected<Error> fail(ErrorKind kind, std::string message,
                                   std::source_location where = std::source_location::current()) {
  return std::unexpected(Error{kind, std::move(message), where});
}

// Puts what was being done in front of what went wrong: "open data.mdb: no space left".
std::unexpected<Error> fail_in(std::string_view doing, Error error);

[[noreturn]] void check_failed(const char* condition, std::source_location where);

}  // namespace fixpoint

#define FP_CONCAT_INNER(a, b) a##b
#define FP_CONCAT(a, b) FP_CONCAT_INNER(a, b)

// FP_TRY(name, expression) declares `name` from a Result, or returns its error unchanged.
#define FP_TRY(name, ...)                                                \
  auto FP_CONCAT(name, _result) = (__VA_ARGS__);                         \
  if (!FP_CONCAT(name, _result))                                         \
    return std::unexpected(std::move(FP_CONCAT(name, _result)).error()); \
  auto&& name = *std::move(FP_CONCAT(name, _result))

// FP_TRY_VOID(expression) returns the error of a Result<void>, or goes on.
#define FP_TRY_VOID(...)                                                            \
  do {                                                                              \
    auto fp_void_result = (__VA_ARGS__);                                            \
    if (!fp_void_result) return std::unexpected(std::move(fp_void_result).error()); \
  } while (false)

// States what must hold. Never on user input.
#define FP_CHECK(condition)                                                  \
  do {                                                                       \
    if (!(condition)) [[unlikely]]                                           \
      ::fixpoint::check_failed(#condition, std::source_location::current()); \
  } while (false)
