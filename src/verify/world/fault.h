// SPDX-License-Identifier: Apache-2.0
//
// Fault: what can go wrong with one effect of a pass, and where that makes sense.
#pragma once

#include "client/call.h"
#include "runtime/controller/pass.h"
#include "verify/world/budget.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::verify::world {

enum class Fault : std::uint8_t {
  None,
  NotSent,       // no connection: surely nothing happened
  ServerError,   // 500, nothing happened
  LostBefore,    // no answer; nothing happened
  LostAfter,     // no answer; it was acted upon
  Delayed,       // no answer; it is acted upon later
  CrashBefore,   // the process dies, nothing happened
  CrashAfter,    // the process dies, it was acted upon
  CrashDelayed,  // the process dies, it is acted upon later
  TimedOut,      // it was acted upon, and meanwhile the pass reached its deadline
  Conflict,      // 409
  NotFound,      // 404: the path is not served for a moment
  Expired,       // 410, of a list
  Invalid,       // 422
  Quota,         // 403 exceeded quota
  TooMany,       // 429
  Stale,         // answered from the past
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::Stale) + 1;

std::string_view to_string(Fault fault);
// What it is paid with. Delayed crashes cost both a crash and a delay.
Trouble price(Fault fault);
bool affordable(Fault fault, const Budget& left);
void pay(Fault fault, Budget& left);

// Whether an effect can end so at all. A read that nobody acted upon cannot be acted upon late; a
// server does not say that a thing is not there when it is.
bool makes_sense(Fault fault, const runtime::Effect& effect);
bool crashes(Fault fault);
// The server acts upon it now, whatever the caller learns.
bool acted_upon(Fault fault);
bool lands_later(Fault fault);

// The answer that the caller gets instead of the server's.
runtime::EffectReply instead(Fault fault, const runtime::Effect& effect);

// "create configmaps", "patch greetings/status", "probe INFO".
std::string site_of(const runtime::Effect& effect);

}  // namespace fixpoint::verify::world
