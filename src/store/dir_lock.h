// SPDX-License-Identifier: Apache-2.0
//
// DirLock: one process at a time owns a data directory.
//
// The kernel holds the lock and drops it with the process, however that ends: a lock left by
// kill -9 never blocks. The file's text only says who has it, for the one who comes second.
#pragma once

#include "base/error.h"

#include <filesystem>

namespace fixpoint::store {

class DirLock {
 public:
  // Conflict, naming the holder, when somebody has it.
  static Result<DirLock> acquire(const std::filesystem::path& directory);

  DirLock(DirLock&& other) noexcept;
  DirLock& operator=(DirLock&&) = delete;
  ~DirLock();

 private:
  explicit DirLock(int file) : file_(file) {}
  int file_;
};

// Makes the directory (mode 0700) unless it is there. Its parent must be.
Result<void> make_directory(const std::filesystem::path& directory);
// Makes a file's name in the directory survive a power failure.
Result<void> sync_directory(const std::filesystem::path& directory);
// What went wrong with a file or directory, in words, with what to do about it.
Error file_error(std::string_view doing, const std::filesystem::path& path, int error_number);

}  // namespace fixpoint::store
