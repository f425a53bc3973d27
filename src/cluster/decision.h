// SPDX-License-Identifier: Apache-2.0
//
// Decision: what a controller makes of the facts. Judgement is a pure function
//
//   Decision decide(const Facts& facts, Instant now);
//
// which the shell (keyed_controller.h) executes and the verifier explores. Nothing in it has
// happened yet: requests are sent in order, and the first refusal ends the pass.
#pragma once

#include "apiserver/request.h"
#include "base/clock.h"
#include "json/value.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::cluster {

// A Kubernetes Event to be.
struct Notice {
  enum class Type : std::uint8_t { Normal, Warning };
  json::Value object;  // the object it is about, as it was read
  Type type = Type::Normal;
  std::string reason;
  std::string message;
};

// One request of a decision and what is to be said of its outcome.
struct Effect {
  // Which refusals leave the pass as it is.
  enum class Tolerates : std::uint8_t { Nothing, Absence, Anything };

  apiserver::Request request;
  // "{}" in the message stands for the name of the object answered.
  std::optional<Notice> done;
  // "{}" in the message stands for the refusal's own.
  std::optional<Notice> refused;
  Tolerates tolerates = Tolerates::Nothing;
};

struct Decision {
  std::vector<Effect> requests;
  std::vector<Notice> notices;   // told when every request was made
  std::optional<Instant> again;  // look again then, although nothing changed
  // What the next pass is told of this one when every request was made. It dies with the process:
  // having forgotten it may cost time, and nothing else.
  json::Value memory = {};
};

// What ended a pass. It comes back as a fact of the pass that follows at once, in which a
// controller writes down what it means (a condition, a collision) and does not ask for the same
// again; the request itself is tried again by a later pass, after a pause.
struct Refusal {
  apiserver::Request request;
  int code = 0;
  json::Value status;  // the Status answered
};

// "AlreadyExists", "Forbidden", …
std::string_view reason_of(const Refusal& refusal);
std::string_view message_of(const Refusal& refusal);
// The namespace is going: nothing can be made in it any more, and nobody should be told.
bool namespace_is_terminating(const Refusal& refusal);

// The requests of built-in loops: JSON bodies, the system user, the field manager of a real
// controller manager.
apiserver::Request request_for(const kube::GroupVersionResource& resource, apiserver::Verb verb,
                               std::string_view ns, std::string_view name);
apiserver::Request create_request(const kube::GroupVersionResource& resource, json::View object);
// Carries the object's own resourceVersion: a race is a conflict.
apiserver::Request update_request(const kube::GroupVersionResource& resource, json::View object,
                                  std::string_view subresource = {});
// A strategic merge patch that only applies to the object with this uid.
apiserver::Request patch_request(const kube::GroupVersionResource& resource, json::View object,
                                 json::View patch);
// What becomes of what a deleted object owns.
enum class Propagation : std::uint8_t { KindsDefault, Background, Foreground };
// Carries the object's uid as a precondition. Without `grace` the object's own holds.
apiserver::Request delete_request(const kube::GroupVersionResource& resource, json::View object,
                                  std::optional<std::chrono::seconds> grace = std::nullopt,
                                  Propagation propagation = Propagation::KindsDefault);

}  // namespace fixpoint::cluster
