// SPDX-License-Identifier: Apache-2.0
//
// Core: the semantics of the Kubernetes API as one synchronous function of request and store.
//
// No I/O, no threads, no clock of its own: `fixpoint up` puts HTTP and a disk around it, tests and
// built-in controllers call it in process, the verifier forks the store and calls it a million
// times. Invariants: a refused request changes nothing
// (but a quota is charged for a name that is taken, as a real one is); every change is one event of
// the store; answers are those of a real kube-apiserver, word for word.
//
// A Core remembers only compilations (resource.h) and what the Services of a store it knows again
// hold (apiserver/admission/service_holdings.h), so any Core may serve any Store; one thread at a
// time. Read next: apiserver/write/create.cc, apiserver/write/update.cc, apiserver/write/patch.cc,
// apiserver/write/remove.cc, apiserver/read/list.cc, apiserver/read/watch.h.
#pragma once

#include "apiserver/access/certificates.h"
#include "apiserver/access/tokens.h"
#include "apiserver/admission/service_holdings.h"
#include "apiserver/read/watch.h"
#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "store/store.h"

namespace fixpoint::apiserver {

struct WriteCall;

class Core {
 public:
  // Both may be null and must outlive the core. Without `certificates` nobody is told what is wrong
  // with one.
  explicit Core(const Tokens* tokens = nullptr, const Certificates* certificates = nullptr)
      : tokens_(tokens), certificates_(certificates) {}

  // The resource a request is about, if it may be asked that at all; else the 404, 405 or 400.
  kube::Answer<Resource> resolve(const Request& request, const store::Snapshot& snapshot);

  // Everything but watches. `resource` is what resolve() made of the same request and store.
  Response handle(const Request& request, const Resource& resource, store::Store& store,
                  const Environment& environment);
  Response handle(const Request& request, store::Store& store, const Environment& environment);

  // A watch is a filter and a starting point; whoever holds it feeds it the store's events.
  kube::Answer<Watch> open_watch(const Request& request, const store::Store& store,
                                 const Environment& environment);

  CustomKinds& kinds() { return kinds_; }

 private:
  Response dispatch(const Request& request, const Resource& resource, store::Store& store,
                    const Environment& environment);
  Response handle_subresource(const WriteCall& call);

  const Tokens* tokens_;
  const Certificates* certificates_;
  CustomKinds kinds_;
  ServiceHoldings holdings_;
};

// A path or verb that no route of a real server's leads to: nobody who knows the resource is asked.
bool refused_by_router(const kube::Status& status);

}  // namespace fixpoint::apiserver
