// SPDX-License-Identifier: Apache-2.0
//
// WriteGuard: who is asked before a managed object is written, so that two writers who keep
// changing it back and forth do not do so for ever (rule 12).
//
// The guard sees every write of a child before it is sent and how it ended; what it remembers and
// where it draws the line is its own. It may want to look at the object first, or to put its record
// on it: the pass does that with effects of its own and asks again, so the verifier sees those too.
// Without a guard everything is allowed. Read next: guard/object_guard.h.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "client/call.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/plan.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

enum class WriteCause : std::uint8_t {
  Absent,   // it is not there, though it may have been
  Desired,  // what we want has changed
  Drifted,  // we want what we wanted, somebody made it different
  None,     // it is as wanted: nothing would be written
};

struct WriteAttempt {
  const ObjectRef& object;
  json::View primary;  // whose pass this is
  json::View live;     // as known now; null when absent. Without managedFields if from the cache
  json::View desired;
  Hash128 desired_hash;
  std::string_view field_manager;
  WriteCause cause = WriteCause::Drifted;
  bool fresh = false;  // `live` is whole and was just read
};

struct WriteVerdict {
  enum class Kind : std::uint8_t {
    Allowed,
    Look,       // read the object and ask again
    Mark,       // patch the object with `mark`, tell, and ask again
    Throttled,  // after `wait`
    Paused,     // leave it alone; look again after `wait`, if that is not zero
  };
  Kind kind = Kind::Allowed;
  Duration wait{};
  std::string reason;        // CamelCase; Throttled and Paused
  std::string message;       // with the way out
  json::Value mark;          // a merge patch
  std::string mark_manager;  // as this field manager
};

class WriteGuard {
 public:
  virtual ~WriteGuard() = default;
  virtual WriteVerdict may_write(const WriteAttempt& attempt, Instant now) = 0;
  virtual void wrote(const WriteAttempt& attempt, const client::Reply& reply, Instant now) = 0;
  // `mark` is on the object, which now is this.
  virtual void marked(const WriteAttempt& attempt, json::View object, Instant now) = 0;
  // We deleted it ourselves: that it is gone is nobody's doing.
  virtual void removed(const ObjectRef& object, Instant now) = 0;
};

}  // namespace fixpoint::runtime
