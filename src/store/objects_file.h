// SPDX-License-Identifier: Apache-2.0
//
// ObjectsFile: the current version of every object, in one LMDB file.
//
// An object is found by the revision that created it: unique, eight bytes however long the name,
// and always the greatest of all when new, so that creations append. Key 0 holds the state record:
// who wrote the file, the revision, how many objects there are and the sum of their checksums.
// Every commit is one LMDB transaction: after a crash the file is as the last commit left it. It is
// longer than what LMDB uses of it, so that commits need not make it grow; what follows is zeros.
// One thread at a time. Read next: durable.h, which owns one on its writer thread.
#pragma once

#include "base/error.h"
#include "store/file_format.h"
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct MDB_env;

namespace fixpoint::store {

struct FileLimits {
  // Address space, not disk or memory: the file grows as it fills. Doubled when full, up to the
  // bound, which is far above what the objects, all of them in memory too, can come to.
  std::size_t map_bytes = std::size_t{1} << 30U;
  std::size_t map_bytes_max = std::size_t{64} << 30U;
};

// What a data directory held when it was opened.
struct Recovered {
  std::vector<RecordRef> records;
  Revision revision;
  std::string cluster_id;        // made once, when the directory was first used
  std::uint64_t generation = 0;  // how many times the directory was opened, this one included
};

class ObjectsFile {
 public:
  // Checks the file, or makes a new one.
  static Result<std::unique_ptr<ObjectsFile>> open(std::filesystem::path path, FileLimits limits);
  ObjectsFile(const ObjectsFile&) = delete;
  ObjectsFile& operator=(const ObjectsFile&) = delete;
  ~ObjectsFile();

  // Reads and checks every object, and counts this opening.
  Result<Recovered> load();
  // Makes the events durable, all or none. After an error none of them counts: the next commit
  // starts again from the revision before them, whatever the disk made of the attempt.
  Result<void> commit(std::span<const Event> events);

 private:
  class Transaction;  // one LMDB transaction and the state it leads to
  using Change = std::function<int(Transaction&)>;

  ObjectsFile(std::filesystem::path path, FileLimits limits);
  // Opens LMDB's side of the file, closed at first and after every failure.
  Result<void> ensure_open();
  void close();
  Result<void> read_state();
  Result<void> create();
  // Runs the change and commits it, with a larger map if need be.
  Result<void> transact(const Change& change);
  Result<void> grow();
  Result<void> settle();
  void reserve();
  void trim();
  std::unexpected<Error> damaged(std::string_view what) const;
  int cause(int code) const;
  std::unexpected<Error> failure(std::string_view doing, int code) const;

  std::filesystem::path path_;
  FileLimits limits_;
  MDB_env* env_ = nullptr;
  StateRecord state_;   // as on disk
  std::string buffer_;  // of the record being written
  // How far the file was made to reach, or was tried to be.
  std::size_t reserved_ = 0;
  // The events of a failed commit. A commit that failed at its very end may be on disk after all;
  // settle() finds out, and takes it back, before anything else is written.
  std::vector<Event> doubtful_;
  friend struct ObjectsFileProbe;  // for tests: makes a commit look failed
};

}  // namespace fixpoint::store
