// SPDX-License-Identifier: Apache-2.0
//
// WriteGuard: who is asked before a managed object is written, so that two writers who keep
// changing it back and forth do not do so for ever (rule 12).
//
// The guard sees every write of a child before it is sent and how it ended; what it remembers and
// where it draws the line is its own. Without a guard everything is allowed.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "client/call.h"
#include "json/value.h"
#include "kube/gvk.h"
#include "runtime/plan.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

enum class WriteCause : std::uint8_t {
  Absent,   // it is not there, though it may have been
  Desired,  // what we want has changed
  Drifted,  // we want what we wanted, somebody made it different
};

struct WriteAttempt {
  const ObjectRef& object;
  json::View primary;  // whose pass this is
  json::View live;     // as known now; null when absent. Without managedFields if from the cache
  json::View desired;
  Hash128 desired_hash;
  WriteCause cause = WriteCause::Drifted;
};

struct WriteVerdict {
  enum class Kind : std::uint8_t { Allowed, Throttled, Paused };
  Kind kind = Kind::Allowed;
  Duration wait{};      // Throttled
  std::string reason;   // CamelCase; Throttled and Paused
  std::string message;  // with the way out
  // Paused, when the object does not say so yet: a merge patch of it that does. Written once.
  json::Value mark;
  // Paused, the first time: said as an event.
  bool announce = false;
};

class WriteGuard {
 public:
  virtual ~WriteGuard() = default;
  virtual WriteVerdict may_write(const WriteAttempt& attempt, Instant now) = 0;
  virtual void wrote(const WriteAttempt& attempt, const client::Reply& reply, Instant now) = 0;
  // The object is as wanted without a write.
  virtual void unchanged(const ObjectRef& object, Instant now) = 0;
};

}  // namespace fixpoint::runtime
