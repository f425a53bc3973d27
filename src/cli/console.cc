// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include "cli/route.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace fixpoint::cli {

int answer(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kExitDone;
  std::fprintf(stderr, "fixpoint: write to stdout: %s\n", std::strerror(errno));
  return kExitFailed;
}

int failed(std::string_view command, const Error& error) {
  fmt::print(stderr, "fixpoint {}: {}\n", command, error.message);
  return kExitFailed;
}

}  // namespace fixpoint::cli
