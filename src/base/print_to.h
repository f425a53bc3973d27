// SPDX-License-Identifier: Apache-2.0
//
// What a program says on stdout or stderr. fmt::print throws where nobody reads any more (a closed
// pipe, a full disk), and who speaks of a failure has nobody to catch that: here it is a value.
#pragma once

#include <cstdio>
#include <string_view>

namespace fixpoint {

// True when all of it is out. On stderr there is nothing left to do about the other case.
inline bool print_to(std::FILE* stream, std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return std::fflush(stream) == 0 && whole;
}

}  // namespace fixpoint
