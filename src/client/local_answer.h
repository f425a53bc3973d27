// SPDX-License-Identifier: Apache-2.0
//
// What the API-server core answered, as the caller of a client gets it: for LocalClient, and for
// the verifier, which has no client between a pass and the core.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "client/call.h"
#include "client/collection.h"

#include <expected>
#include <memory>

namespace fixpoint::client {

CallError refused(json::View status);
CallError refused(const kube::Status& status);

// An object as this collection and shape show it.
json::Value cut(const json::Value& object, const Collection& collection,
                const std::shared_ptr<const json::Shape>& shape);

// `snapshot` is the store after the request.
Reply reply_of(apiserver::Response response, const apiserver::Request& request,
               apiserver::CustomKinds& kinds, const store::Snapshot& snapshot);
PageReply page_of(apiserver::Response response, const apiserver::Request& request,
                  const ListCall& call, apiserver::CustomKinds& kinds,
                  const store::Snapshot& snapshot);
// Where the kind is served; an empty version asks for the preferred one.
std::expected<Resource, CallError> resolve(const kube::GroupVersionKind& kind,
                                           apiserver::CustomKinds& kinds,
                                           const store::Snapshot& snapshot);

}  // namespace fixpoint::client
