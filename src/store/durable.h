// SPDX-License-Identifier: Apache-2.0
//
// DurableLog: puts a Store's changes on disk, many per commit, on a thread of its own.
//
// The server changes its Store first, appends the event, and holds back the answer and the watch
// events until the revision is reported durable. While one commit waits for the disk the next
// events gather, and go out together: the busier the server, the cheaper each write.
//
// When a commit fails (disk full, I/O error) the report carries the error and the last durable
// revision. Everything after it is lost, also what was appended meanwhile. The server then fails
// the answers it holds back and takes the changes back with Store::rewind(durable), after which it
// simply goes on: the next append tries the disk again. For that it tells its Store with every
// report what is durable, Store::keep_after(durable), so that nothing later is forgotten. Events
// appended between the failure and the rewind are ignored; the first one that follows the durable
// revision ends that.
// An ephemeral server has no DurableLog. Read next: objects_file.h, the file itself.
#pragma once

#include "base/error.h"
#include "store/objects_file.h"
#include "store/store.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace fixpoint::store {

// After every commit, whether it succeeded or not.
struct Progress {
  Revision durable;
  std::optional<Error> error;
};

class DurableLog {
 public:
  // Called on the writer thread, until the destructor returns; must not call back into the log.
  using OnProgress = std::function<void(const Progress&)>;
  struct Opened;

  // Makes the directory if its parent is there, locks it, checks every object. Conflict when
  // another process has it; Invalid when it is damaged, foreign or cannot be used; the message
  // tells a person what to do.
  static Result<Opened> open(const std::filesystem::path& directory, OnProgress on_progress,
                             FileLimits limits = {});
  DurableLog(const DurableLog&) = delete;
  DurableLog& operator=(const DurableLog&) = delete;
  // Commits what was appended, then lets go of the directory.
  ~DurableLog();

  // Takes the next events in order; they go to disk together. Never blocks on the disk.
  void append(std::span<const Event> events);
  void append(const Event& event) { append({&event, 1}); }
  // Waits until everything appended so far was committed or lost.
  void drain();
  Revision durable() const;
  // Events appended and not yet durable, for a server that wants to slow its clients down.
  std::size_t backlog() const;

 private:
  class Writer;
  explicit DurableLog(std::unique_ptr<Writer> writer);
  std::unique_ptr<Writer> writer_;
};

struct DurableLog::Opened {
  std::unique_ptr<DurableLog> log;
  Recovered recovered;
};

}  // namespace fixpoint::store
