// SPDX-License-Identifier: Apache-2.0
#include "client/config/files.h"

#include "base/file.h"

namespace fixpoint::client {

Result<std::string> read_small_file(const std::string& path) {
  return read_file(path, kSmallFileBytesMax);
}

std::string trimmed_line(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string{text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1)};
}

}  // namespace fixpoint::client
