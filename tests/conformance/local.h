// SPDX-License-Identifier: Apache-2.0
//
// Local: our own server for comparisons, in this process on a thread of its own. Of the built-in
// loops only those run that a kube-apiserver has in itself (custom resource definitions), so that
// nothing but the requests changes its store; with `Loops::Api` those that keep the API's promises,
// with `Loops::All` it is what `fixpoint up` runs.
#pragma once

#include "apiserver/weakness.h"
#include "store/store.h"
#include "tests/conformance/server.h"

#include <memory>

namespace fixpoint::conformance {

enum class Loops : std::uint8_t { OnlyDefinitions, Api, All };

class Local {
 public:
  explicit Local(Loops loops);
  ~Local();
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  // The store as it is now; what a server in process begins every sequence with.
  store::Store fork() const;

 private:
  struct Thread;
  Endpoint endpoint_;
  std::unique_ptr<Thread> thread_;
};

// Our core in this thread, without HTTP. Every sequence begins with a fork of `base`. `weakness`
// switches one rule off.
std::unique_ptr<Server> make_core_server(store::Store base,
                                         apiserver::Weakness weakness = apiserver::Weakness::None);

}  // namespace fixpoint::conformance
