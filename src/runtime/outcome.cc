// SPDX-License-Identifier: Apache-2.0
//
// Which failure asks for what (architecture rule 10).
#include "runtime/outcome.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::runtime {
namespace {

// A server that says "too many requests" without a time means about this, as Kubernetes does.
constexpr Duration kRetryAfterDefault = std::chrono::seconds(1);
// A quota is raised by a person or freed by somebody's deletion, and nobody tells us.
constexpr Duration kQuotaAgain = std::chrono::minutes(1);

bool has_cause(const kube::Status& status, std::string_view reason) {
  return status.details && std::ranges::any_of(status.details->causes, [&](const auto& cause) {
           return cause.reason == reason;
         });
}

bool is_about_quota(const kube::Status& status) {
  return status.code == 403 && status.message.find("exceeded quota") != std::string::npos;
}

// 403 is three things: no right (a person must grant it), no quota (said at once and tried slowly:
// it is no accident), and a namespace on its way out (it will be gone).
ErrorClass class_of_forbidden(const kube::Status& status) {
  if (is_about_quota(status)) return ErrorClass::Throttled;
  const bool passes = has_cause(status, "NamespaceTerminating") ||
                      status.message.find("not yet ready to handle request") != std::string::npos;
  return passes ? ErrorClass::Transient : ErrorClass::Permanent;
}

// A write that carries the uid of an object which has been replaced meanwhile: Kubernetes answers
// 422, the uid cannot be changed. For us it is a conflict like any other.
bool meant_another_object(const kube::Status& status) {
  return status.code == 422 && status.details &&
         std::ranges::any_of(status.details->causes,
                             [](const auto& cause) { return cause.field == "metadata.uid"; });
}

ErrorClass class_of_refusal(const client::CallError& error) {
  switch (error.status.code) {
    case 429: return ErrorClass::Throttled;
    case 503: return error.retry_after ? ErrorClass::Throttled : ErrorClass::Transient;
    case 400:
    case 413:
    case 422: return ErrorClass::Invalid;
    case 403: return class_of_forbidden(error.status);
    case 405:
    case 406:
    case 415: return ErrorClass::Permanent;
    // 401 passes when a token was rotated, 404 when a namespace or kind appears, 409 and 410 by
    // starting over, the rest when the server is well again.
    default: return ErrorClass::Transient;
  }
}

std::string_view reason_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::NotFound: return "NotFound";
    case ErrorKind::Conflict: return "Conflict";
    case ErrorKind::Invalid: return "Invalid";
    case ErrorKind::Gone: return "Gone";
    case ErrorKind::Exhausted: return "Exhausted";
    case ErrorKind::Unavailable: return "Unavailable";
    case ErrorKind::Internal: return "InternalError";
  }
  return "Unknown";
}

ErrorClass class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Invalid: return ErrorClass::Invalid;
    case ErrorKind::Internal: return ErrorClass::Permanent;
    default: return ErrorClass::Transient;
  }
}

}  // namespace

bool succeeded(const Outcome& outcome) {
  return outcome.state == StepState::Done || outcome.state == StepState::Unchanged;
}

std::string_view to_string(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::None: return "None";
    case ErrorClass::Transient: return "Transient";
    case ErrorClass::Throttled: return "Throttled";
    case ErrorClass::Invalid: return "Invalid";
    case ErrorClass::Permanent: return "Permanent";
  }
  return "Unknown";
}

std::string_view to_string(StepState state) {
  switch (state) {
    case StepState::Done: return "Done";
    case StepState::Unchanged: return "Unchanged";
    case StepState::Waiting: return "Waiting";
    case StepState::Failed: return "Failed";
    case StepState::Skipped: return "Skipped";
    case StepState::Paused: return "Paused";
  }
  return "Unknown";
}

StepFailure classify(const client::CallError& error) {
  StepFailure failure{.message = error.status.message};
  switch (error.fate) {
    case client::Fate::NotSent: failure.reason = "Unreachable"; return failure;
    case client::Fate::Unknown: failure.reason = "OutcomeUnknown"; return failure;
    case client::Fate::Refused: break;
  }
  if (meant_another_object(error.status)) {
    failure.reason = "Conflict";
    return failure;
  }
  failure.error_class = class_of_refusal(error);
  failure.reason = error.status.reason.empty() ? "Refused" : error.status.reason;
  const bool quota = is_about_quota(error.status);
  if (quota) {
    failure.reason = kQuotaExceeded;
    failure.message += kQuotaWayOut;
  }
  if (failure.error_class == ErrorClass::Throttled) {
    failure.retry_after = error.retry_after.value_or(quota ? kQuotaAgain : kRetryAfterDefault);
  }
  return failure;
}

StepFailure classify(const Error& error) {
  return {.error_class = class_of(error.kind),
          .reason = std::string{reason_of(error.kind)},
          .message = error.message};
}

bool Outcomes::all_succeeded() const {
  return std::ranges::all_of(steps, succeeded);
}

const Outcome* Outcomes::problem() const {
  const auto found = std::ranges::find_if_not(steps, succeeded);
  return found == steps.end() ? nullptr : &*found;
}

const Outcome* Outcomes::problem(std::string_view branch) const {
  const auto found = std::ranges::find_if(steps, [&](const Outcome& outcome) {
    return outcome.branch == branch && !succeeded(outcome);
  });
  return found == steps.end() ? nullptr : &*found;
}

const Outcome* Outcomes::find(std::string_view branch, std::size_t step) const {
  const auto found = std::ranges::find_if(steps, [&](const Outcome& outcome) {
    return outcome.branch == branch && outcome.step == step;
  });
  return found == steps.end() ? nullptr : &*found;
}

bool Outcomes::wrote() const {
  return std::ranges::any_of(
      steps, [](const Outcome& outcome) { return outcome.state == StepState::Done; });
}

}  // namespace fixpoint::runtime
