// SPDX-License-Identifier: Apache-2.0
//
// ObjectGuard: the Guard as passes ask it, with the steady clock and the listener that its core
// does not have.
#pragma once

#include "runtime/controller/write_guard.h"
#include "runtime/guard/guard.h"
#include "runtime/scheduler.h"

#include <functional>

namespace fixpoint::runtime {

class ObjectGuard final : public WriteGuard {
 public:
  using Listener = std::function<void(const GuardNotice&)>;
  ObjectGuard(GuardSettings settings, const Scheduler& scheduler, Listener listener);

  WriteVerdict may_write(const WriteAttempt& attempt, Instant now) override;
  void wrote(const WriteAttempt& attempt, const client::Reply& reply, Instant now) override;
  void marked(const WriteAttempt& attempt, json::View object, Instant now) override;
  void removed(const ObjectRef& object, Instant now) override;

  Guard& core() { return core_; }
  const Guard& core() const { return core_; }
  GuardTime time() const;
  // Hands out what there is to say; after every call that may have changed something.
  void tell();
  // Called when something changed that must survive a restart.
  void on_change(std::function<void()> callback) { on_change_ = std::move(callback); }

 private:
  const Scheduler& scheduler_;
  Listener listener_;
  Guard core_;
  std::function<void()> on_change_;
  std::uint64_t told_serial_ = 0;
};

}  // namespace fixpoint::runtime
