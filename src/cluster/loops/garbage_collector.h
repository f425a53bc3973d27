// SPDX-License-Identifier: Apache-2.0
//
// GarbageCollector: dependents follow their owners.
//
// Background: an object all of whose owners are gone is deleted. Foreground: an owner waits until
// the dependents that block it are gone. Orphan: dependents lose the reference first. Owners are
// identified by uid alone: one of the same name with another uid is absent, and so is a namespaced
// owner in another namespace. Nothing is deleted on account of an owner of a kind that nobody
// serves, unless it was seen going. Every delete carries the uid it was decided for.
#pragma once

#include "cluster/controller.h"
#include "kube/meta/metadata.h"

#include <set>
#include <string>
#include <vector>

namespace fixpoint::cluster {

class GarbageCollector final : public Controller {
 public:
  std::string_view name() const override { return "garbage-collector"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  // One object out of turn: the verifier tries every order.
  void look_at(Api& api, std::string_view key);

 private:
  void consider(const store::RecordRef& record);
  void collect(Api& api, const store::RecordRef& record);
  void finish_foreground(Api& api, const store::RecordRef& owner);
  void finish_orphan(Api& api, const store::RecordRef& owner);

  // Uids of objects that went or are going: those they own are worth a look.
  std::vector<std::string> leaving_;
  // Of these, the ones that went and own something that is still to be looked at. Theirs was a kind
  // that may be served no more by then: its definition took it along.
  std::set<std::string, std::less<>> gone_;
  // Owners that an object let go, most often by going, by the name its references gave them.
  struct NamedOwner {
    kube::OwnerReference owner;
    std::string ns;
  };
  std::vector<NamedOwner> waiting_owners_;
  KeyQueue queue_;
};

}  // namespace fixpoint::cluster
