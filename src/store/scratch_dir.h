// SPDX-License-Identifier: Apache-2.0
//
// For tests: a directory of their own that is gone when they are done, and a store that writes
// itself into it.
#pragma once

#include "store/durable.h"
#include "store/store.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace fixpoint::store {

class ScratchDir {
 public:
  ScratchDir() : ScratchDir(std::filesystem::temp_directory_path()) {}
  // In memory where there is such a place: for tests that open a file very often.
  static std::filesystem::path memory() {
    const std::filesystem::path shared = "/dev/shm";
    return std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path();
  }
  explicit ScratchDir(const std::filesystem::path& parent) {
    std::string name = (parent / "fixpoint-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path data() const { return path_ / "data"; }
  std::filesystem::path file() const { return data() / "objects.mdb"; }

 private:
  std::filesystem::path path_;
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
