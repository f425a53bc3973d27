// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/loop_scheduler.h"

#include <utility>

namespace fixpoint::runtime {

LoopScheduler::~LoopScheduler() {
  for (auto& [serial, timer] : timers_) loop_.cancel(timer);
}

TimerSerial LoopScheduler::after(Duration delay, Task task) {
  const auto serial = ++last_;
  timers_[serial] = loop_.after(delay, [this, serial, task = std::move(task)]() mutable {
    timers_.erase(serial);
    task();
  });
  return serial;
}

void LoopScheduler::cancel(TimerSerial timer) {
  const auto found = timers_.find(timer);
  if (found == timers_.end()) return;
  loop_.cancel(found->second);
  timers_.erase(found);
}

// Shared by the thread that works and the timer that gives up: whoever comes first answers.
struct ThreadWorkers::Job {
  Work work;
  Done done;           // the loop's thread only; empty once it was called
  net::TimerId timer;  // the same
};

ThreadWorkers::ThreadWorkers(net::Loop& loop, std::size_t threads_max)
    : loop_(loop), threads_max_(threads_max) {}

ThreadWorkers::~ThreadWorkers() {
  *alive_ = false;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
  }
  wakened_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadWorkers::run(Duration deadline, Work work, Done done) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  job->done = std::move(done);
  job->timer = loop_.after(deadline, [job, alive = alive_] {
    job->timer = {};
    if (*alive && job->done) {
      std::exchange(job->done,
                    nullptr)(fail(ErrorKind::Unavailable, "it did not answer before its deadline"));
    }
  });
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = waiting_.size() >= kWaitingMax;
    if (!full) waiting_.push_back(job);
    if (!full && idle_ == 0 && threads_.size() < threads_max_) {
      threads_.emplace_back([this] { this->work(); });
    }
  }
  if (!full) return wakened_.notify_one();
  loop_.cancel(job->timer);
  loop_.post([job, alive = alive_] {
    if (*alive) job->done(fail(ErrorKind::Exhausted, "too much work waits for a thread"));
  });
}

void ThreadWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wakened_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (ending_) return;
    auto job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    auto shared = std::make_shared<Result<json::Value>>(job->work());
    job->work = nullptr;
    loop_.post([this, job, shared, alive = alive_] {
      if (!*alive) return;
      loop_.cancel(job->timer);
      if (job->done) std::exchange(job->done, nullptr)(std::move(*shared));
    });
    job.reset();
    lock.lock();
  }
}

}  // namespace fixpoint::runtime
