// SPDX-License-Identifier: Apache-2.0
//
// Turnstile: lets at most so many through at once, and takes turns among those who queue.
//
// Off (no limit) unless asked for: servers have their own fairness. With a limit, one caller with a
// thousand calls does not keep another with one call waiting for all of them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <utility>

namespace fixpoint::client {

class Turnstile {
 public:
  using Enter = std::move_only_function<void()>;

  explicit Turnstile(std::size_t limit) : limit_(limit) {}  // 0: no limit

  // Calls `enter` now, or when it is this caller's turn. Each `enter` is answered by one `leave`.
  void enter(const std::string& caller, Enter enter) {
    if (limit_ == 0 || (inside_ < limit_ && queues_.empty())) {
      ++inside_;
      return enter();
    }
    for (auto& [name, queue] : queues_) {
      if (name == caller) return queue.push_back(std::move(enter));
    }
    queues_.emplace_back(caller, std::deque<Enter>{}).second.push_back(std::move(enter));
  }

  void leave() {
    --inside_;
    if (queues_.empty() || inside_ >= limit_) return;
    // The caller whose turn it was goes to the end of the line.
    auto [name, queue] = std::move(queues_.front());
    queues_.pop_front();
    auto next = std::move(queue.front());
    queue.pop_front();
    if (!queue.empty()) queues_.emplace_back(std::move(name), std::move(queue));
    ++inside_;
    next();
  }

  std::size_t inside() const { return inside_; }

 private:
  std::size_t limit_;
  std::size_t inside_ = 0;
  std::list<std::pair<std::string, std::deque<Enter>>> queues_;  // none is empty
};

}  // namespace fixpoint::client
