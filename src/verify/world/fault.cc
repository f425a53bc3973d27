// SPDX-License-Identifier: Apache-2.0
#include "verify/world/fault.h"

#include <chrono>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

using runtime::ApiEffect;
using runtime::Effect;
using runtime::EffectReply;
using runtime::ListEffect;
using runtime::OutsideEffect;
using runtime::ProbeEffect;
using runtime::ResolveEffect;

client::CallError unanswered(client::Fate fate, std::string message) {
  client::CallError error;
  error.fate = fate;
  error.status.message = std::move(message);
  return error;
}

client::CallError refused(int code, std::string reason, std::string message) {
  client::CallError error;
  error.fate = client::Fate::Refused;
  error.status.code = code;
  error.status.reason = std::move(reason);
  error.status.message = std::move(message);
  return error;
}

client::CallError too_many() {
  auto error = refused(429, "TooManyRequests", "the server is busy, try again later");
  error.retry_after = std::chrono::seconds(1);
  return error;
}

client::CallError error_of(Fault fault) {
  switch (fault) {
    case Fault::NotSent: return unanswered(client::Fate::NotSent, "connection refused");
    case Fault::ServerError: return refused(500, "InternalError", "etcdserver: no leader");
    case Fault::Conflict: return refused(409, "Conflict", "the object has been modified");
    case Fault::NotFound:
      return refused(404, "NotFound", "the server could not find the requested resource");
    case Fault::Expired: return refused(410, "Expired", "the continue token has expired");
    case Fault::Invalid: return refused(422, "Invalid", "denied by a policy: Invalid value");
    case Fault::Quota: return refused(403, "Forbidden", "forbidden: exceeded quota: small");
    case Fault::TooMany: return too_many();
    default: return unanswered(client::Fate::Unknown, "the connection broke");
  }
}

bool sense_of_call(Fault fault, const client::Call& call) {
  const bool write = call.verb != client::Verb::Get;
  const bool has_body = write && call.verb != client::Verb::Delete;
  switch (fault) {
    case Fault::None:
    case Fault::NotSent:
    case Fault::ServerError:
    case Fault::CrashBefore:
    case Fault::TooMany: return true;
    case Fault::LostBefore:
    case Fault::LostAfter:
    case Fault::Delayed:
    case Fault::CrashAfter:
    case Fault::CrashDelayed:
    case Fault::TimedOut:
    case Fault::Conflict:
    // The path is not served for a moment, as by a server that has not heard of a new kind yet.
    // That an object is not there nobody says who has it.
    case Fault::NotFound: return write;
    case Fault::Invalid: return has_body;
    case Fault::Quota: return call.verb == client::Verb::Create;
    case Fault::Stale: return !write;
    case Fault::Expired: return false;
  }
  return false;
}

bool sense_of_read(Fault fault) {
  return fault == Fault::None || fault == Fault::NotSent || fault == Fault::ServerError ||
         fault == Fault::CrashBefore || fault == Fault::TooMany;
}

bool sense_outside(Fault fault, bool acts) {
  switch (fault) {
    case Fault::None:
    case Fault::LostBefore:
    case Fault::CrashBefore: return true;
    case Fault::LostAfter:
    case Fault::Delayed:
    case Fault::CrashAfter:
    case Fault::CrashDelayed:
    case Fault::TimedOut: return acts;
    default: return false;
  }
}

struct Sense {
  Fault fault;
  bool operator()(const ApiEffect& api) const { return sense_of_call(fault, api.call); }
  bool operator()(const ListEffect&) const {
    return sense_of_read(fault) || fault == Fault::Expired || fault == Fault::Stale;
  }
  bool operator()(const ResolveEffect&) const { return sense_of_read(fault); }
  bool operator()(const ProbeEffect&) const { return sense_outside(fault, false); }
  bool operator()(const OutsideEffect&) const { return sense_outside(fault, true); }
};

struct Instead {
  Fault fault;
  EffectReply operator()(const ApiEffect&) const {
    return client::Reply{std::unexpected(error_of(fault))};
  }
  EffectReply operator()(const ListEffect&) const {
    return client::PageReply{std::unexpected(error_of(fault))};
  }
  EffectReply operator()(const ResolveEffect&) const {
    return std::expected<client::Resource, client::CallError>{std::unexpected(error_of(fault))};
  }
  EffectReply operator()(const ProbeEffect&) const { return silence(); }
  EffectReply operator()(const OutsideEffect&) const { return silence(); }
  static EffectReply silence() {
    return Result<json::Value>{fail(ErrorKind::Unavailable, "no answer in time")};
  }
};

std::string_view verb_name(client::Verb verb) {
  return verb == client::Verb::Apply ? "apply" : client::to_string(verb);
}

struct Site {
  std::string operator()(const ApiEffect& api) const {
    const auto& call = api.call;
    return fmt::format("{} {}{}{}", verb_name(call.verb), call.resource.plural,
                       call.subresource.empty() ? "" : "/", call.subresource);
  }
  std::string operator()(const ListEffect& list) const {
    return "list " + list.call.collection.resource.plural;
  }
  std::string operator()(const ResolveEffect& resolve) const {
    return "discover " + resolve.kind.kind;
  }
  std::string operator()(const ProbeEffect& probe) const { return "probe " + probe.probe.name; }
  std::string operator()(const OutsideEffect& outside) const { return "do " + outside.step.name; }
};

}  // namespace

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::None: return "none";
    case Fault::NotSent: return "not sent";
    case Fault::ServerError: return "500";
    case Fault::LostBefore: return "lost before";
    case Fault::LostAfter: return "lost after";
    case Fault::Delayed: return "delayed";
    case Fault::CrashBefore: return "crash before";
    case Fault::CrashAfter: return "crash after";
    case Fault::CrashDelayed: return "crash, delayed";
    case Fault::TimedOut: return "deadline";
    case Fault::Conflict: return "409";
    case Fault::NotFound: return "404";
    case Fault::Expired: return "410";
    case Fault::Invalid: return "422";
    case Fault::Quota: return "403 quota";
    case Fault::TooMany: return "429";
    case Fault::Stale: return "from the past";
  }
  return "unknown";
}

Trouble price(Fault fault) {
  if (crashes(fault)) return Trouble::Crash;
  if (fault == Fault::Delayed) return Trouble::Late;
  return fault == Fault::Stale ? Trouble::Past : Trouble::Error;
}

bool affordable(Fault fault, const Budget& left) {
  if (fault == Fault::None) return true;
  if (fault == Fault::CrashDelayed && left[Trouble::Late] == 0) return false;
  return left[price(fault)] > 0;
}

void pay(Fault fault, Budget& left) {
  if (fault == Fault::None) return;
  if (fault == Fault::CrashDelayed) --left[Trouble::Late];
  --left[price(fault)];
}

bool makes_sense(Fault fault, const Effect& effect) {
  return std::visit(Sense{fault}, effect.what);
}

bool crashes(Fault fault) {
  return fault == Fault::CrashBefore || fault == Fault::CrashAfter || fault == Fault::CrashDelayed;
}

bool acted_upon(Fault fault) {
  return fault == Fault::None || fault == Fault::LostAfter || fault == Fault::CrashAfter ||
         fault == Fault::TimedOut || fault == Fault::Stale;
}

bool lands_later(Fault fault) {
  return fault == Fault::Delayed || fault == Fault::CrashDelayed;
}

EffectReply instead(Fault fault, const Effect& effect) {
  return std::visit(Instead{fault}, effect.what);
}

std::string site_of(const Effect& effect) {
  return std::visit(Site{}, effect.what);
}

}  // namespace fixpoint::verify::world
