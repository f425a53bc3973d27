// SPDX-License-Identifier: Apache-2.0
//
// Crew: threads that share out the tasks of one step at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fixpoint::verify {

class Crew {
 public:
  // The calling thread is one of the workers.
  explicit Crew(unsigned workers);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned workers() const { return static_cast<unsigned>(threads_.size()) + 1; }
  // Calls task(0, …) … task(count - 1, …) and returns when all have returned. The second number
  // says which worker calls; each worker's own tasks come in order.
  using Task = std::function<void(std::size_t task, unsigned worker)>;
  void each(std::size_t count, const Task& task);

 private:
  void serve(unsigned worker);
  void take_tasks(unsigned worker);

  std::mutex mutex_;  // guards round_, busy_ and ending_
  std::condition_variable begin_;
  std::condition_variable end_;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool ending_ = false;
  // Written before a round begins and read during it.
  const Task* task_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;
};

}  // namespace fixpoint::verify
