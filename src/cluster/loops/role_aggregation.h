// SPDX-License-Identifier: Apache-2.0
//
// RoleAggregation: a ClusterRole with an aggregationRule gets the rules of all ClusterRoles that
// its selectors name, by name, each rule once. Applied as clusterrole-aggregation-controller, by
// force: what people write into such a role's rules does not last.
#pragma once

#include "cluster/controller.h"

namespace fixpoint::cluster {

class RoleAggregation final : public Controller {
 public:
  std::string_view name() const override { return "clusterrole-aggregation"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;

 private:
  // Roles are few and who aggregates whom is not kept: any change looks at every aggregate.
  bool changed_ = false;
  KeyQueue aggregates_;
};

}  // namespace fixpoint::cluster
