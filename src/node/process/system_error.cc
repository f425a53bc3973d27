// SPDX-License-Identifier: Apache-2.0
#include "node/process/system_error.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace fixpoint::node {

std::unexpected<Error> trouble(std::string_view doing) {
  return fail(ErrorKind::Unavailable, fmt::format("{}: {}", doing, std::strerror(errno)));
}

}  // namespace fixpoint::node
