// SPDX-License-Identifier: Apache-2.0
//
// The shipped program, for tests that run it, and a line for the shell with what came of it.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/wait.h>

namespace fixpoint {

// ctest says where it is; without that the test program ends and says so.
inline std::filesystem::path shipped_program() {
  const char* path = std::getenv("FIXPOINT_BINARY");
  if (path == nullptr) {
    std::fputs("FIXPOINT_BINARY is not set; run this through ctest\n", stderr);
    std::exit(2);
  }
  // Said here, and not by whoever misses the process that it would have become.
  if (!std::filesystem::exists(path)) {
    std::fprintf(stderr, "FIXPOINT_BINARY is %s, which is not there; build fixpoint first\n", path);
    std::exit(2);
  }
  return path;
}

struct Ran {
  int status = -1;   // of its exit; -1 when it had none
  std::string text;  // what went to stdout
};

inline Ran run_line(const std::string& line) {
  Ran ran;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> piece{};
  for (std::size_t n = 0; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    ran.text.append(piece.data(), n);
  }
  const int ended = ::pclose(pipe);
  ran.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return ran;
}

}  // namespace fixpoint
