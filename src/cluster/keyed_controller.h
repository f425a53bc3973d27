// SPDX-License-Identifier: Apache-2.0
//
// KeyedController: the shell around a pure decision, the same for every workload.
//
// It turns changes into keys of the objects it is responsible for, looks at one at a time, and
// sends what was decided, one request a step. What a pass wants is forgotten when the object's spec
// changes, when it is deleted, or when a request is refused; then the controller is told of the
// refusal at once (decision.h) and tries again after a pause that grows. An object with thousands
// of children is looked at a few times a second, not for every one of them that changes. Everything
// it keeps is a value: no thread, no clock, no randomness.
//
// A controller declares what it follows and implements pass(): gather the facts, decide.
#pragma once

#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/decision.h"
#include "cluster/event_recorder.h"
#include "cluster/reader.h"
#include "kube/meta/gvk.h"
#include "kube/selectors/label_selector.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster {

class KeyedController : public Controller {
 public:
  struct Declaration {
    std::string_view name;    // the source of its Events: "replicaset-controller"
    std::string_view prefix;  // of the keys of its objects: "replicasets.apps/"
    kube::GroupKind kind;     // as owner references name them
    // Kinds whose changes are the business of the object that controls them.
    std::vector<std::string_view> children;
    // Those of them that, without a controller, are the business of every object whose
    // spec.selector matches their labels.
    std::vector<std::string_view> adopts;
    // Kinds whose changes map() understands.
    std::vector<std::string_view> follows;
  };

  std::string_view name() const final { return declaration_.name; }
  void begin(Api& api) final;
  void observe(const store::Event& event) final;
  bool step(Api& api) final;
  std::optional<Instant> wakes() const final { return deadlines_.first(); }

 protected:
  explicit KeyedController(Declaration declaration)
      : declaration_(std::move(declaration)), recorder_(std::string{declaration_.name}) {}
  KeyedController(const KeyedController&) = default;

  // What a pass is about.
  struct Subject {
    KeyParts parts;
    store::RecordRef record;  // empty when it is gone
    std::optional<Refusal> refused;
    json::Value memory = {};  // of the last pass that got everything it asked for
  };
  // Gathers the facts and decides; changes nothing.
  virtual Decision pass(const Reader& reader, const Subject& subject, Instant now) const = 0;
  // Adds the keys of the objects that a change of a followed kind is about. A key of another kind
  // comes to pass() as a subject of its own.
  virtual void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const;

  // Adds the keys of what a change before the beginning may have left undone, besides the objects
  // there are.
  virtual void begin_with(const Reader& reader, KeyQueue& keys) const;

  // Which orphans an object adopts.
  virtual Result<kube::LabelSelector> selector_of(json::View object) const;

  // The key of one of this controller's objects.
  std::string key(std::string_view ns, std::string_view name) const;

 private:
  // As a real controller's queue, but for the longest pause: there nobody waits in front of it.
  static constexpr Duration kFirstPause = std::chrono::milliseconds(5);
  static constexpr Duration kLongestPause = std::chrono::seconds(30);

  // A pass over so many objects is worth waiting for more news; the wait is a few times what the
  // pass itself takes.
  static constexpr std::size_t kManyObjects = 500;
  static constexpr Duration kWaitPerObject = std::chrono::microseconds(20);

  // A decision being carried out.
  struct Work {
    std::string key;
    std::string uid;
    std::int64_t generation = 0;
    Decision decision;
    std::size_t next = 0;
    std::optional<Refusal> refused;  // this pass follows one that was refused
  };

  void map_changes(Api& api);
  void map_owned(std::string_view ns, json::View object);
  void map_orphan(json::View object, const Reader& reader);
  void begin_pass(Api& api, const std::string& key, std::optional<Refusal> refused);
  void send_next(Api& api);
  bool outdated(Api& api) const;
  bool too_early(const std::string& key, Instant now);
  void finish(Api& api);
  void end_refused(Api& api, Refusal refusal);

  Declaration declaration_;
  EventRecorder recorder_;
  std::vector<store::Event> changes_;  // not yet mapped to keys
  KeyQueue keys_;
  Deadlines deadlines_;
  std::map<std::string, int, std::less<>> failures_;          // passes refused in a row
  std::map<std::string, Instant, std::less<>> not_before_;    // of objects with many children
  std::map<std::string, json::Value, std::less<>> memories_;  // of objects that are there
  std::set<store::Revision> echoes_;  // own writes that are no reason for a pass, not yet heard of
  std::optional<Work> work_;
};

}  // namespace fixpoint::cluster
