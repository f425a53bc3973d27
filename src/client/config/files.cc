// SPDX-License-Identifier: Apache-2.0
#include "client/config/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace fixpoint::client {

Result<std::string> read_small_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const auto kind = errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Unavailable;
    return fail(kind, "open " + path + ": " + std::strerror(errno));
  }
  std::string text;
  char buffer[16384];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kSmallFileBytesMax) {
      return fail(ErrorKind::Exhausted,
                  path + " is larger than " + std::to_string(kSmallFileBytesMax) + " bytes");
    }
  }
  if (file.bad()) return fail(ErrorKind::Unavailable, "read " + path + ": " + std::strerror(errno));
  return text;
}

std::string trimmed_line(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string{text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1)};
}

}  // namespace fixpoint::client
