// SPDX-License-Identifier: Apache-2.0
#include "node/volume/disk_use.h"

#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace fixpoint::node {

namespace fs = std::filesystem;

std::uint64_t disk_use(const fs::path& directory) {
  constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks, whatever the disk has
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
  std::set<std::pair<dev_t, ino_t>> seen;  // files with several names
  std::error_code error;
  fs::recursive_directory_iterator walk(directory, fs::directory_options::skip_permission_denied,
                                        error);
  for (; !error && walk != fs::recursive_directory_iterator{} && entries < kDiskEntriesMax;
       walk.increment(error), ++entries) {
    struct stat file{};
    if (::lstat(walk->path().c_str(), &file) != 0) continue;  // gone in the meantime
    const bool again = file.st_nlink > 1 && !S_ISDIR(file.st_mode) &&
                       !seen.emplace(file.st_dev, file.st_ino).second;
    if (!again) bytes += static_cast<std::uint64_t>(file.st_blocks) * kBlockBytes;
  }
  return bytes;
}

}  // namespace fixpoint::node
