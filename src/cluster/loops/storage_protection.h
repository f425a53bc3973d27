// SPDX-License-Identifier: Apache-2.0
//
// StorageProtection: a claim in use by a pod, a volume bound to a claim, and a class of attributes
// that one of these names, wait to be deleted.
//
// Admission puts a finalizer on them when they are created; this loop takes it off once a live look
// shows that nobody needs them any more, and puts it back on claims and volumes that lost it.
#pragma once

#include "cluster/controller.h"

namespace fixpoint::cluster {

class StorageProtection final : public Controller {
 public:
  std::string_view name() const override { return "storage-protection"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;

 private:
  KeyQueue leaving_;  // keys of claims and volumes
};

}  // namespace fixpoint::cluster
