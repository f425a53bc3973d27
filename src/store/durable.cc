// SPDX-License-Identifier: Apache-2.0
#include "store/durable.h"

#include "store/dir_lock.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <signal.h>

namespace fixpoint::store {

namespace {

// One commit's share of memory and of LMDB's list of changed pages; what is more waits its turn.
constexpr std::size_t kBatchEventsMax = 8192;
constexpr std::size_t kBatchBytesMax = std::size_t{32} << 20U;

constexpr const char* kFileName = "objects.mdb";

}  // namespace

class DurableLog::Writer {
 public:
  Writer(DirLock lock, std::unique_ptr<ObjectsFile> file, Revision start, OnProgress on_progress)
      : lock_(std::move(lock)),
        file_(std::move(file)),
        on_progress_(std::move(on_progress)),
        accepted_(start),
        durable_(start),
        thread_([this] { run(); }) {}

  ~Writer() {
    {
      const std::lock_guard guard{mutex_};
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void append(std::span<const Event> events) {
    {
      const std::lock_guard guard{mutex_};
      for (const Event& event : events) {
        const bool next = event.revision.value == accepted_.value + 1;
        if (failed_ && !next) continue;  // made before the server took back what was lost
        FP_CHECK(next);
        failed_ = false;
        accepted_ = event.revision;
        queue_.push_back(event);
      }
    }
    wake_.notify_one();
  }

  void drain() {
    std::unique_lock guard{mutex_};
    idle_.wait(guard, [this] { return queue_.empty() && !writing_; });
  }

  Revision durable() const {
    const std::lock_guard guard{mutex_};
    return durable_;
  }

  std::size_t backlog() const {
    const std::lock_guard guard{mutex_};
    return accepted_.value - durable_.value;
  }

 private:
  void run() {
    pthread_setname_np(pthread_self(), "fixpoint-log");
    sigset_t all;  // signals are for the threads that serve
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::vector<Event> batch;
    while (take(batch)) {
      auto result = file_->commit(batch);
      finish(batch.back().revision, std::move(result));
    }
  }

  // Sleeps until there is something to write; false when there never will be again.
  bool take(std::vector<Event>& batch) {
    std::unique_lock guard{mutex_};
    wake_.wait(guard, [this] { return !queue_.empty() || stopping_; });
    if (queue_.empty()) return false;
    writing_ = true;
    batch.clear();
    std::size_t bytes = 0;
    while (!queue_.empty() && batch.size() < kBatchEventsMax && bytes < kBatchBytesMax) {
      Event& event = queue_.front();
      if (event.after) bytes += event.after->body.block_bytes();
      batch.push_back(std::move(event));
      queue_.pop_front();
    }
    return true;
  }

  void finish(Revision written, Result<void> result) {
    on_progress_(note(written, std::move(result)));
    {
      const std::lock_guard guard{mutex_};
      writing_ = false;  // only now: who drained has also been told
    }
    idle_.notify_all();
  }

  Progress note(Revision written, Result<void> result) {
    const std::lock_guard guard{mutex_};
    if (result) {
      durable_ = written;
      return {.durable = durable_, .error = {}};
    }
    queue_.clear();
    accepted_ = durable_;
    failed_ = true;
    return {.durable = durable_, .error = std::move(result.error())};
  }

  DirLock lock_;
  std::unique_ptr<ObjectsFile> file_;  // used by the writer thread only, as is the next
  OnProgress on_progress_;

  mutable std::mutex mutex_;  // guards everything below but the thread
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<Event> queue_;
  Revision accepted_;
  Revision durable_;
  bool failed_ = false;
  bool writing_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

DurableLog::DurableLog(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}
DurableLog::~DurableLog() = default;

Result<DurableLog::Opened> DurableLog::open(const std::filesystem::path& directory,
                                            OnProgress on_progress, FileLimits limits) {
  FP_TRY_VOID(make_directory(directory));
  FP_TRY(lock, DirLock::acquire(directory));
  FP_TRY(file, ObjectsFile::open(directory / kFileName, limits));
  FP_TRY(recovered, file->load());
  auto writer = std::make_unique<Writer>(std::move(lock), std::move(file), recovered.revision,
                                         std::move(on_progress));
  std::unique_ptr<DurableLog> log{new DurableLog(std::move(writer))};
  return Opened{.log = std::move(log), .recovered = std::move(recovered)};
}

void DurableLog::append(std::span<const Event> events) {
  writer_->append(events);
}
void DurableLog::drain() {
  writer_->drain();
}
Revision DurableLog::durable() const {
  return writer_->durable();
}
std::size_t DurableLog::backlog() const {
  return writer_->backlog();
}

}  // namespace fixpoint::store
