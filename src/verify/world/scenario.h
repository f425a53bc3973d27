// SPDX-License-Identifier: Apache-2.0
//
// Scenario: what an author adds to an operator to have it verified: how the world begins, who does
// what in it besides the operator, and how one sees that the operator has done its work (`match`).
//
// Everything that can go wrong by itself is not a scenario's business: crashes, lost answers, late
// requests, caches that lag come from the budget (budget.h), for every operator alike.
#pragma once

#include "client/call.h"
#include "json/value.h"
#include "runtime/guard/settings.h"
#include "runtime/operator.h"
#include "runtime/registry.h"
#include "verify/property.h"
#include "verify/world/budget.h"
#include "verify/world/server.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {

// The cluster as it is, for looking at it quickly: objects as they are stored; and what is outside.
class Look {
 public:
  explicit Look(const store::Snapshot& snapshot, json::View outside = {})
      : snapshot_(snapshot), outside_(outside) {}
  // Null when it is not there. Good as long as the snapshot.
  json::View get(const client::Resource& resource, const kube::Key& key) const;
  std::vector<json::View> list(const client::Resource& resource) const;
  json::View outside() const { return outside_; }

 private:
  const store::Snapshot& snapshot_;
  json::View outside_;
};

// The cluster as somebody in it sees it, and acts on it.
class Stage {
 public:
  // What is asked of the server is noted in `asked`, if given.
  explicit Stage(store::Store& store, apiserver::Weakness weakness = apiserver::Weakness::None,
                 json::Value* outside = nullptr, std::vector<apiserver::Request>* asked = nullptr)
      : server_(store, weakness), outside_(outside), asked_(asked) {}

  Look look() {
    return Look{server_.latest(), outside_ == nullptr ? json::View{} : outside_->view()};
  }
  // Each of these returns whether the server let it happen.
  bool create(const client::Resource& resource, std::string_view object, std::string_view ns);
  bool patch(const client::Resource& resource, const kube::Key& key, std::string_view merge_patch,
             std::string_view subresource = {});
  bool remove(const client::Resource& resource, const kube::Key& key);
  // Only in a scenario with an outside.
  void set_outside(json::Value state) { *outside_ = std::move(state); }
  Server& server() { return server_; }

 private:
  bool ask(const client::Call& call);

  Server server_;
  json::Value* outside_;
  std::vector<apiserver::Request>* asked_;
};

// Something that somebody may do. It happens at any time at which it changes something.
struct Deed {
  std::string who;   // "person", "kubelet"
  std::string what;  // "deletes greeting hello"
  // What it is paid with. Nothing: it may happen again and again.
  std::optional<Trouble> price;
  // It does happen, sooner or later, as long as it can: what a cluster does by itself.
  bool fair = false;
  std::function<void(Stage&)> act;
  // False: trying is a waste of time. May be null.
  std::function<bool(const Look&)> possible;
};

// A built-in controller that runs in the scenario's cluster: the code that ships, a step at a time,
// at any time. Pods that it makes are nobody's who runs them: that is a deed.
struct BuiltIn {
  std::string name;
  std::function<std::unique_ptr<cluster::Controller>()> make;
};
namespace built_in {
BuiltIn definitions();  // of kinds: one that goes takes its objects with it
BuiltIn deployments();
BuiltIn replica_sets();
BuiltIn stateful_sets();
BuiltIn claims();  // binds them to volumes
BuiltIn quotas();  // counts what is used
}  // namespace built_in

// A system outside the API that the operator probes and acts upon: a value and what becomes of it.
// Probes and acts may stay without an answer, acted upon or not, and acts may come late. What the
// system does by itself is a deed (Stage::set_outside).
struct OutsideModel {
  json::Value state;  // at the beginning
  std::function<Result<json::Value>(const json::Value& state, const runtime::Probe&)> probe;
  std::function<Result<json::Value>(json::Value& state, const runtime::EffectStep&)> perform;
};

// The pass whose call a step was.
struct Acting {
  json::View snapshot;               // the object, as the pass believes it to be
  std::vector<json::Value> answers;  // of the outside, to this pass
};

// The cluster and the outside at one moment.
struct Glance {
  Look look;
  json::View outside;
  // Who brought this about; null where it was no pass, and where no step is looked at.
  const Acting* by = nullptr;
};

// What the author promises besides, of every step: "never two disks", "a Deployment only after its
// page". `after` says who acted.
struct Promise {
  std::string name;
  std::function<bool(const Glance& before, const Glance& after)> kept;
};

// What the author claims of states, and of runs under the fairness of the report: that `holds` is
// always so, or somewhere, or follows some day, or comes to stay; each wherever `when` is so.
struct Claim {
  enum class Kind : std::uint8_t { Always, Sometimes, LeadsTo, EventuallyStable };
  using OnGlance = std::function<bool(const Glance&)>;
  std::string name;
  Kind kind = Kind::Always;
  OnGlance when;  // may be null: always
  OnGlance holds;
};

// The life cycle that no run may leave; nothing while there is nobody to have a phase.
struct LifeCycle {
  PhaseTable table;
  std::function<std::optional<int>(const Glance&)> phase;
};

// The most passes and writes that it takes, on any path, until nothing is left to do.
struct WorkBound {
  std::uint32_t passes = 0;  // 0: not counted, of an operator that looks again for ever
  std::uint32_t writes = 0;
};

struct Scenario {
  std::string name;
  std::string summary;
  Budget budget;
  std::vector<std::string> objects;  // at the beginning, as YAML or JSON
  // Of the trial's definitions those that this cluster does not have, by name. Whoever follows such
  // a kind must say that it can do without.
  std::vector<std::string> absent{};
  std::vector<Deed> deeds;
  // Whether the cluster is as this object wants it. Asked while it exists and is not being deleted.
  std::function<bool(const Look&, json::View primary)> match;
  std::uint8_t processes = 1;
  // Passes of one process that run side by side, at most; 0: as many as the operator declares.
  std::uint8_t passes = 0;
  // Too large to be explored with the others, and by mutants that belong elsewhere.
  bool by_name_only = false;
  std::optional<OutsideModel> outside;
  // Nothing: no edit-war guard. Its numbers decide how long a war is, so small ones are explored
  // sooner.
  std::optional<runtime::GuardSettings> guard;
  std::vector<BuiltIn> loops{};
  std::vector<Promise> promises{};
  std::vector<Claim> claims{};
  std::optional<LifeCycle> life{};
  // Asked when given, and when the budget is not larger than the scenario's. Somebody who never
  // stops, or a pass that is repeated for ever, has no bound.
  std::optional<WorkBound> bound{};
};

// The operator with a mistake that only its author can think of: the bug that a rule of its domain
// is there to prevent.
struct Variant {
  std::string name;
  // The case or rule that must notice it; a scenario of that name is where it is looked for first.
  std::string belongs_to;
  std::shared_ptr<const runtime::Operator> reconciler;
  // What it takes to see it, where that scenario's own budget is not enough; as Budget::with.
  std::string budget{};
};

// An operator and what it is put through.
struct Trial {
  std::string name;
  std::string summary;
  std::shared_ptr<const runtime::Operator> reconciler;
  std::vector<json::Value> definitions;  // CustomResourceDefinitions of its kinds
  std::vector<Scenario> scenarios;
  std::vector<Variant> variants{};
  // Mutants that no property need notice, "group: name", and why that is right.
  std::map<std::string, std::string> explained{};
};

}  // namespace fixpoint::verify::world
