// SPDX-License-Identifier: Apache-2.0
#include "verify/explorer/crew.h"

namespace fixpoint::verify {

Crew::Crew(unsigned workers) {
  for (unsigned i = 1; i < workers; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  begin_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Crew::take_tasks(unsigned worker) {
  for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*task_)(i, worker);
}

void Crew::serve(unsigned worker) {
  std::uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return ending_ || round_ != seen; });
      if (ending_) return;
      seen = round_;
    }
    take_tasks(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) end_.notify_one();
  }
}

void Crew::each(std::size_t count, const Task& task) {
  if (threads_.empty() || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i, 0);
    return;
  }
  task_ = &task;
  count_ = count;
  next_ = 0;
  {
    const std::lock_guard lock(mutex_);
    ++round_;
    busy_ = threads_.size();
  }
  begin_.notify_all();
  take_tasks(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [&] { return busy_ == 0; });
}

}  // namespace fixpoint::verify
