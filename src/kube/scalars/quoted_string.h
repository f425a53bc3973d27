// SPDX-License-Identifier: Apache-2.0
//
// Pieces of the grammar that mail addresses and media types share: blanks and quoted strings.
#pragma once

#include <string_view>

namespace fixpoint::kube {

inline void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// Takes one quoted string, which begins the text, off its front; false when it is not closed.
bool take_quoted(std::string_view& text);

}  // namespace fixpoint::kube
