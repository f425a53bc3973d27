// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/console.h"

#include "base/print_to.h"
#include "cli/command_line/route.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace fixpoint::cli {

int answer(std::string_view text) {
  if (print_to(stdout, text)) return kExitDone;
  std::fprintf(stderr, "fixpoint: write to stdout: %s\n", std::strerror(errno));
  return kExitFailed;
}

int failed(std::string_view command, const Error& error) {
  print_to(stderr, fmt::format("fixpoint {}: {}\n", command, error.message));
  return kExitFailed;
}

int misused(std::string_view command, const Error& error) {
  print_to(stderr,
           fmt::format("fixpoint {0}: {1}\nRun 'fixpoint {0} --help'.\n", command, error.message));
  return kExitMisused;
}

}  // namespace fixpoint::cli
