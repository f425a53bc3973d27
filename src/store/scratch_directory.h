// SPDX-License-Identifier: Apache-2.0
//
// ScratchDirectory: a directory of one's own that is gone when its owner is, also after a failure.
// Clusters in memory, the demo, the tests and the benchmarks work in one.
//
// Its owner holds a lock on it, which the kernel drops with the process: what a killed process left
// behind is told from what is in use, and the next of the same purpose removes it.
#pragma once

#include "base/error.h"

#include <filesystem>
#include <string_view>
#include <utility>

namespace fixpoint::store {

// Where temporary files go: $TMPDIR, else /tmp. An error where that is no directory.
Result<std::filesystem::path> temporary_directory();

class ScratchDirectory {
 public:
  // "PARENT/fixpoint-PURPOSE-…", readable by its owner only. Abandoned ones go first.
  static Result<ScratchDirectory> make(std::string_view purpose,
                                       const std::filesystem::path& parent);
  // Where temporary files go; aborts when none can be made there: for tests and benchmarks.
  explicit ScratchDirectory(const char* purpose = "test");
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();

  // In memory where there is such a place: for tests that open a file very often.
  static std::filesystem::path memory();

  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchDirectory(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;  // empty: moved from
  int lock_ = -1;
};

}  // namespace fixpoint::store
