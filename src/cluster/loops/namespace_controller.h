// SPDX-License-Identifier: Apache-2.0
//
// NamespaceController: a deleted namespace goes when everything in it is gone.
//
// It deletes the content in no particular order, says in the namespace's conditions what remains
// and which finalizers hold it, and takes its own finalizer off only when a live look finds
// nothing.
#pragma once

#include "cluster/controller.h"

namespace fixpoint::cluster {

inline constexpr std::string_view kNamespaces = "namespaces/";

class NamespaceController final : public Controller {
 public:
  std::string_view name() const override { return "namespace"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;

 private:
  KeyQueue terminating_;  // keys of namespaces
};

}  // namespace fixpoint::cluster
