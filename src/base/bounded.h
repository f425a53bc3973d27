// SPDX-License-Identifier: Apache-2.0
//
// BoundedDeque: a queue that cannot outgrow its named bound. A full one refuses; what to do about
// that (drop the oldest, close the consumer, answer 429) is the caller's decision, made in sight.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <deque>
#include <utility>

namespace fixpoint {

template <class T>
class BoundedDeque {
 public:
  explicit BoundedDeque(std::size_t bound) : bound_(bound) { FP_CHECK(bound > 0); }

  // False, and nothing changes, when the bound is reached.
  [[nodiscard]] bool try_push(T item) {
    if (items_.size() >= bound_) return false;
    items_.push_back(std::move(item));
    return true;
  }
  T pop() {
    FP_CHECK(!items_.empty());
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

  bool empty() const { return items_.empty(); }
  bool full() const { return items_.size() >= bound_; }
  std::size_t size() const { return items_.size(); }
  std::size_t bound() const { return bound_; }
  const T& front() const { return items_.front(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  void clear() { items_.clear(); }

 private:
  std::size_t bound_;
  std::deque<T> items_;
};

}  // namespace fixpoint
