// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/quoted_string.h"

#include <cstddef>

namespace fixpoint::kube {

bool take_quoted(std::string_view& text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace fixpoint::kube
