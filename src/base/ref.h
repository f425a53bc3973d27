// SPDX-License-Identifier: Apache-2.0
//
// Ref: a pointer to something immutable that counts its own holders.
//
// T derives from RefCounted and is shared between threads only as const, so the count is the only
// thing two threads ever write. One pointer wide, no control block: a store of a million objects
// and the verifier's forks are made of these.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace fixpoint {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) {}  // a copy is a new thing with no holders yet
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const { holders_.fetch_add(1, std::memory_order_relaxed); }
  // True when the last holder let go.
  [[nodiscard]] bool release() const {
    return holders_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // Only the caller holds it, so it may be changed in place.
  bool unique() const { return holders_.load(std::memory_order_acquire) == 1; }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> holders_{0};
};

// `destroy(const T*)` found by argument-dependent look-up frees the object; the default deletes it.
template <class T>
void destroy(const T* object) {
  delete object;
}

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& other) : Ref(other.get()) {}  // NOLINT: widening to const is implicit
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && object_->release()) destroy(object_);
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref&, const Ref&) = default;

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>{new T(std::forward<Args>(args)...)};
}

}  // namespace fixpoint
