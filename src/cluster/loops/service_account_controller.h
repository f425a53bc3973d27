// SPDX-License-Identifier: Apache-2.0
//
// ServiceAccountController: every namespace has a service account named default, and the ConfigMap
// kube-root-ca.crt with which pods verify the API server.
#pragma once

#include "cluster/controller.h"

namespace fixpoint::cluster {

class ServiceAccountController final : public Controller {
 public:
  explicit ServiceAccountController(std::string authority_pem)
      : authority_pem_(std::move(authority_pem)) {}
  std::string_view name() const override { return "serviceaccount"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;

 private:
  std::string authority_pem_;
  KeyQueue namespaces_;
};

}  // namespace fixpoint::cluster
