// SPDX-License-Identifier: Apache-2.0
//
// Plan: what one pass means to do, as data. decide() makes it, the executor carries it out.
//
// A plan is a graph of branches, each an ordered list of steps. Steps of a branch run in order and
// stop at the first that fails or waits; branches that do not name each other in `after` do not
// wait for each other's success. A Plan never says how: preconditions, owner references, no-op
// detection, retries and the edit-war guard are the executor's (controller/executor.h).
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "client/call.h"
#include "json/value.h"
#include "kube/meta/gvk.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fixpoint::runtime {

// A pass with more steps than this is refused as Permanent: a plan is bounded, the next pass goes
// on.
inline constexpr std::size_t kPlanStepsMax = 1'000;
// Kubernetes takes notes of at most 1024 bytes.
inline constexpr std::size_t kNoteBytesMax = 1'024;

struct ObjectRef {
  kube::GroupVersionKind kind;
  kube::Key key;

  auto operator<=>(const ObjectRef&) const = default;
};

// The object is the primary's: it carries its uid (a controller reference, or a label where the two
// cannot be linked by a reference) and is never confused with a namesake. `Shared` objects belong
// to nobody in particular: our fields are applied, nothing else is touched, nothing is removed with
// us. `Kept` objects are the primary's and outlive it: they carry no reference but a stamp, the
// annotation fixpoint.dev/kept-for, which the step's object must have. Whoever asks for an object
// with exactly that stamp later on, Owned or Kept, finds it to be theirs.
enum class Ownership : std::uint8_t { Owned, Shared, Kept };

// Makes it exist as described and leaves it alone afterwards, whatever becomes of it.
struct CreateStep {
  json::Value object;
  Ownership ownership = Ownership::Owned;
};
// Makes it exist and be as described, field by field (server-side apply); no write when it is so.
struct ApplyStep {
  json::Value object;
  Ownership ownership = Ownership::Owned;
};
// A change of an object that was observed; refused when it is another one by now.
struct PatchStep {
  ObjectRef target;
  kube::Uid uid;  // required
  client::PatchType type = client::PatchType::Merge;
  json::Value body;
  std::string subresource;
};
// Removes exactly the object that was observed, after a live read. Done when it was *seen gone*.
struct DeleteStep {
  ObjectRef target;
  kube::Uid uid;  // required
  client::Propagation propagation = client::Propagation::Background;
};
// Nothing more in this branch until something changes; looked at again at the latest after `again`.
struct WaitStep {
  std::string reason;   // CamelCase, for conditions
  std::string message;  // what is waited for
  Duration again = std::chrono::seconds(30);
};
enum class EventType : std::uint8_t { Normal, Warning };
// A Kubernetes Event about the primary; said again only when it was something else in between.
struct EmitStep {
  EventType type = EventType::Normal;
  std::string reason;
  std::string note;
  std::string action = "Reconcile";
};
// Something outside the API: done by the operator's Outside, with a deadline, at least once.
struct EffectStep {
  std::string name;
  json::Value arguments;
  Duration deadline = std::chrono::seconds(10);
};

using Step =
    std::variant<CreateStep, ApplyStep, PatchStep, DeleteStep, WaitStep, EmitStep, EffectStep>;

// "apply ConfigMap default/web", for logs, outcomes and counterexamples.
std::string describe(const Step& step);

// Whom the step is about; null when it is about no object.
std::shared_ptr<const ObjectRef> target_of(const Step& step);

struct Branch {
  std::string name;
  std::vector<std::string> after;  // branches that must have succeeded first
  std::vector<Step> steps;
};

struct Plan {
  std::vector<Branch> branches;
  // Come back after this even if nothing changes.
  std::optional<Duration> look_again;
  // Of cleanup() only: owned objects that do not hold the finalizer back, since a person said so.
  // They keep their owner reference: garbage collection removes them when it can.
  std::vector<ObjectRef> left_behind;

  // A new branch; the reference is good until the next one.
  Branch& branch(std::string name, std::vector<std::string> after = {});
  // Short forms for plans of one branch: steps go to the last branch, made if there is none.
  Plan& apply(json::Value object);
  Plan& create(json::Value object);
  Plan& remove(ObjectRef target, kube::Uid uid);
  Plan& wait(std::string reason, std::string message);
  Plan& emit(EventType type, std::string reason, std::string note);
  Plan& effect(std::string name, json::Value arguments);
  bool empty() const;
  std::size_t step_count() const;
};

// Where the branch of this name stands; past the last if there is none.
std::size_t branch_position(const Plan& plan, std::string_view name);
// The branches' positions, each after those it names, else as they stand in the plan. Names must be
// unique, `after` must name branches and hold no cycle; the error says which.
Result<std::vector<std::size_t>> order_of(const Plan& plan);
// Whether a pass can carry this out: an order and kPlanStepsMax.
Result<void> check(const Plan& plan);

}  // namespace fixpoint::runtime
