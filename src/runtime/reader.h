// SPDX-License-Identifier: Apache-2.0
//
// Reader and Probes: all that observe() can learn from.
//
// Cached reads answer at once and copy nothing: a View is good while observe() runs, keep Values.
// What needs I/O (a live read, a probe) is *asked*: the first time the answer is not there yet,
// the call returns an error, and observe() should return it. The runtime gets everything that was
// asked and calls observe() again; asks that were answered stay answered for the pass. So observe()
// is an ordinary function, several questions asked before the first FP_TRY run side by side, and
// the verifier can answer each of them late, wrongly or never.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/plan.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// Rounds of asking in one pass; more is a bug of the operator (a question that depends on time,
// say).
inline constexpr int kObserveRoundsMax = 32;

// An author's facts, whatever type they have.
using Facts = std::shared_ptr<const void>;

class Reader {
 public:
  virtual ~Reader() = default;

  // The object this pass is about, as it was when the pass began.
  virtual json::View primary() const = 0;
  // What Operator::inspect() made of it; null where there was no check: of an object on its way
  // out.
  virtual Facts decoded() const { return nullptr; }

  // Cached; the kind must be among the operator's watches. Null when there is none.
  virtual json::View get(const kube::GroupVersionKind& kind, const kube::Key& key) const = 0;
  // Those that carry the primary's uid, in order of key.
  virtual std::vector<json::View> owned(const kube::GroupVersionKind& kind) const = 0;
  virtual std::vector<json::View> list(const kube::GroupVersionKind& kind,
                                       std::string_view ns) const = 0;
  // Whether the server has this kind: false only of an optional one (Watch::optional).
  virtual bool serves(const kube::GroupVersionKind&) const { return true; }
  // By a declared index (Watch::indexes).
  virtual std::vector<json::View> indexed(const kube::GroupVersionKind& kind,
                                          std::string_view index, std::string_view value) const = 0;

  // Asked: past the cache, the newest state. A null Value when the object is not there.
  virtual Result<json::Value> live(const ObjectRef& object) const = 0;
};

struct Probe {
  std::string name;  // what is asked: "INFO", "/info"
  json::Value arguments;
  Duration deadline = std::chrono::seconds(3);
};
// Whatever time there is to answer it.
bool same_question(const Probe& a, const Probe& b);

class Probes {
 public:
  virtual ~Probes() = default;
  // Asked. The answer, or an error that is a fact like any other: *unknown* is a third value, and
  // deciding what it means is the operator's. `still_asking` tells that from not answered yet.
  virtual Result<json::Value> ask(const Probe& probe) = 0;
};

// True for the error that an ask returns while its answer is not there yet.
bool still_asking(const Error& error);
Error not_answered_yet();

}  // namespace fixpoint::runtime
