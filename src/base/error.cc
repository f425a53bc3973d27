// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace fixpoint {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::NotFound: return "not found";
    case ErrorKind::Conflict: return "conflict";
    case ErrorKind::Invalid: return "invalid";
    case ErrorKind::Gone: return "gone";
    case ErrorKind::Exhausted: return "exhausted";
    case ErrorKind::Unavailable: return "unavailable";
    case ErrorKind::Internal: return "internal";
  }
  std::unreachable();
}

std::unexpected<Error> fail_in(std::string_view doing, Error error) {
  std::string message{doing};
  message += ": ";
  message += error.message;
  error.message = std::move(message);
  return std::unexpected(std::move(error));
}

void check_failed(const char* condition, std::source_location where) {
  std::fprintf(stderr, "%s:%u: broken invariant in %s: %s\n", where.file_name(), where.line(),
               where.function_name(), condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace fixpoint
