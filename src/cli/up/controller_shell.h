// SPDX-License-Identifier: Apache-2.0
//
// ControllerShell: runs the built-in loops of cluster/ beside the API server, on its loop.
//
// They learn of changes when those are durable, as everybody does, and work in slices so that a
// namespace with a million objects does not hold up a request.
#pragma once

#include "cluster/controllers.h"
#include "front/service.h"

#include <functional>
#include <memory>

namespace fixpoint::cli {

class ControllerShell final : public cluster::Server {
 public:
  // `make` gives the loops as they are at the beginning; asked again when the store was rewound.
  using Make = std::function<cluster::Controllers()>;
  ControllerShell(front::Service& service, Make make);
  ~ControllerShell() override;

  apiserver::Response call(const apiserver::Request& request) override;
  const store::Snapshot& latest() const override;
  apiserver::CustomKinds& kinds() override;
  Instant now() const override;

 private:
  void schedule();
  void work();

  front::Service& service_;
  Make make_;
  cluster::Controllers controllers_;
  bool scheduled_ = false;
  net::TimerId timer_;
  std::shared_ptr<ControllerShell*> self_ = std::make_shared<ControllerShell*>(this);
};

}  // namespace fixpoint::cli
