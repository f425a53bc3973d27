// SPDX-License-Identifier: Apache-2.0
//
// Operator: what an author writes; the runtime and the verifier both drive exactly this.
//
// A pass is observe → decide → (the executor acts) → conclude. decide, cleanup, conclude and check
// are pure: same input, same output, no clock, no client, no memory. There is no operator state
// outside the cluster: a pass may die between any two steps and the next one starts over.
// Read next: typed.h, which makes one of these from four functions on C++ types; plan.h; reader.h.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "client/collection.h"
#include "json/shape/shape.h"
#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/meta/gvk.h"
#include "runtime/outcome.h"
#include "runtime/plan.h"
#include "runtime/reader.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::runtime {

enum class WatchRole : std::uint8_t {
  Primary,  // the kind this operator reconciles; exactly one
  Owned,    // children: a change is about the owner whose uid they carry
  Mapped,   // anything else: `map` says whom a change is about
  Cached,   // only read; a change starts nothing
};

// A value an object is found by; an object may have several or none.
struct Index {
  std::string name;
  std::function<void(json::View object, const std::function<void(std::string_view)>& add)> values;
};

struct Watch {
  WatchRole role = WatchRole::Primary;
  client::Collection collection;
  // What the cache keeps of each object; managedFields never are.
  json::Shape shape = json::Shape::all();
  std::vector<Index> indexes;
  std::function<std::vector<kube::Key>(json::View object)> map;  // Mapped
  // Mapped: an index of the primary's watch whose values are "namespace/name" of objects of this
  // kind. A change is about every primary that is found by the object's.
  std::string named_by{};
  // False: this change starts no pass. Null asks for the default: the primary's status-only and
  // metadata.managedFields-only changes start none (its generation, labels, annotations, finalizers
  // and deletion do), of everything else each change does. `before` or `after` may be null.
  std::function<bool(json::View before, json::View after)> predicate;
  // The operator lives without this kind: it starts before the kind is served and goes on when it
  // disappears; reads of it find nothing.
  bool optional = false;
};

// What a plan may do, for RBAC: the verbs on each kind beyond reading what is watched.
struct Permission {
  client::Resource resource;
  std::vector<std::string> verbs;
  std::string subresource;
};

// A number about each object, on the metrics page. Its labels are namespace and name of the object,
// then those of ObjectMetrics.
struct ObjectGauge {
  std::string name;  // after the prefix: "node_up"
  std::string help;
};

// What an operator tells about its objects and about itself on the metrics page (metrics/
// operator_metrics.h has the names that every prefix gets). No two operators share a prefix.
struct ObjectMetrics {
  std::string prefix{};               // "stellar_"; empty: nothing
  std::vector<std::string> labels{};  // of each object, beside namespace and name
  std::vector<ObjectGauge> gauges{};
};

// What one pass knows of an object: a value of each label, and the gauges that have one. A gauge
// that is left out is not on the page: nobody knows it.
struct Samples {
  std::vector<std::string> labels{};
  std::vector<std::pair<std::string_view, double>> values{};  // by ObjectGauge::name
};

struct Declaration {
  std::string name;  // of the controller, in metrics, logs, events and as part of the field manager
  std::vector<Watch> watches{};
  // On the primary before the first step that needs cleanup; empty: nothing needs any, garbage
  // collection by owner is enough.
  std::string finalizer{};
  std::vector<Permission> permissions{};
  int concurrency = 16;  // passes of different keys at once; never two of one key
  Duration deadline = std::chrono::minutes(2);  // of one pass
  // Something may change without an event: look at everything again this often. Zero: never.
  Duration resync{};
  ObjectMetrics metrics{};

  const Watch& primary() const;
  const Watch* find(const kube::GroupVersionKind& kind) const;
};

struct Condition {
  std::string type;
  bool is_true = false;
  bool unknown = false;
  std::string reason{};  // CamelCase, never empty
  std::string message{};
};

// What the status shall say. The runtime adds observedGeneration and the conditions' times, and
// writes only when that differs from what is there.
struct Conclusion {
  json::Value status;  // an object without conditions; null: conditions only
  std::vector<Condition> conditions;
  // Said when the status changes to this. Of reject(): what tells of the refusal, instead of the
  // usual event.
  std::optional<EmitStep> event{};
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual const Declaration& declaration() const = 0;

  // All that is wrong with the object, at once, each with field, message and how to fix it. While
  // there is anything, nothing is observed or decided: the status says what `reject` makes of it.
  virtual kube::FieldErrors check(json::View object) const = 0;
  // The same, with what was decoded on the way, if that is worth keeping: observe() of the same
  // pass finds it as Reader::decoded().
  struct Checked {
    kube::FieldErrors errors;
    Facts decoded;
  };
  virtual Checked inspect(json::View object) const { return {check(object), nullptr}; }
  // By default nothing remains of an earlier status: it would say that all is well.
  virtual Conclusion reject(json::View object, const kube::FieldErrors& errors) const;

  virtual Result<Facts> observe(const Reader& reader, Probes& probes,
                                const kube::Key& key) const = 0;
  virtual Plan decide(const Facts& facts, Instant now) const = 0;
  // Instead of decide() once the object is being deleted and carries our finalizer: only
  // DeleteStep, WaitStep, EmitStep, PatchStep and EffectStep are carried out. The finalizer comes
  // off when every step succeeded and no owned object is left, seen by a live read.
  virtual Plan cleanup(const Facts& facts, Instant now) const;
  virtual Conclusion conclude(const Facts& facts, const Outcomes& outcomes) const = 0;
  // For the metrics page, of the gauges that the declaration names.
  virtual Samples samples(const Facts& facts) const;
};

// The world outside the API. Calls block and run on worker threads, several at once; each returns
// within the deadline it was given. The verifier puts models in its place.
class Outside {
 public:
  virtual ~Outside() = default;
  virtual Result<json::Value> probe(const Probe& probe) = 0;
  virtual Result<json::Value> perform(const EffectStep& effect) = 0;
};

}  // namespace fixpoint::runtime
