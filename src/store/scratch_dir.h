// SPDX-License-Identifier: Apache-2.0
//
// For tests: a directory of their own that is gone when they are done, and a store that writes
// itself into it.
#pragma once

#include "store/durable.h"
#include "store/scratch_directory.h"
#include "store/store.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace fixpoint::store {

class ScratchDir {
 public:
  ScratchDir() : ScratchDir(std::filesystem::temp_directory_path()) {}
  static std::filesystem::path memory() { return ScratchDirectory::memory(); }
  explicit ScratchDir(const std::filesystem::path& parent)
      : directory_(*ScratchDirectory::make("test", parent)) {}

  const std::filesystem::path& path() const { return directory_.path(); }
  std::filesystem::path data() const { return path() / "data"; }
  std::filesystem::path file() const { return data() / "objects.mdb"; }

 private:
  ScratchDirectory directory_;
};

// A store as the server keeps one: changed in memory first, then on disk.
struct Kept {
  std::unique_ptr<DurableLog> log;
  Store store;
  Recovered recovered;

  static Result<Kept> open(
      const std::filesystem::path& directory,
      DurableLog::OnProgress on_progress = [](const Progress&) {}, FileLimits limits = {}) {
    FP_TRY(opened, DurableLog::open(directory, std::move(on_progress), limits));
    Store store{opened.recovered.records, opened.recovered.revision};
    return Kept{std::move(opened.log), std::move(store), std::move(opened.recovered)};
  }
  void put(std::string key, json::Value body) {
    log->append(store.put(std::move(key), std::move(body)));
  }
  void erase(std::string_view key) { log->append(store.erase(key, json::Value::null())); }
};

}  // namespace fixpoint::store
