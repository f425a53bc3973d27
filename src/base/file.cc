// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace fixpoint {

Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const auto kind = errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Unavailable;
    return fail(kind, "open " + path.string() + ": " + std::strerror(errno));
  }
  std::string text;
  char buffer[16384];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes_max) {
      return fail(ErrorKind::Exhausted,
                  path.string() + " is larger than " + std::to_string(bytes_max) + " bytes");
    }
  }
  if (file.bad()) {
    return fail(ErrorKind::Unavailable, "read " + path.string() + ": " + std::strerror(errno));
  }
  return text;
}

}  // namespace fixpoint
