// SPDX-License-Identifier: Apache-2.0
//
// DefinitionController: a deleted CRD goes when its last instance is gone.
#pragma once

#include "cluster/controller.h"

namespace fixpoint::cluster {

class DefinitionController final : public Controller {
 public:
  std::string_view name() const override { return "customresourcedefinition-finalizer"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;

 private:
  KeyQueue leaving_;  // keys of definitions
};

}  // namespace fixpoint::cluster
