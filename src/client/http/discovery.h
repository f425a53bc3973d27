// SPDX-License-Identifier: Apache-2.0
//
// Discovery: where a kind is served, asked of the server in one to a few small requests.
//
// Nothing is remembered: definitions come and go, and a wrong memory costs more than a request.
#pragma once

#include "client/client.h"
#include "client/http/requester.h"

#include <memory>

namespace fixpoint::client {

void discover(const std::shared_ptr<Requester>& requester, kube::GroupVersionKind kind,
              Client::Resolved done);

// The resource of this kind in an APIResourceList; nothing when it lists none.
std::optional<Resource> find_resource(json::View resource_list, const kube::GroupVersionKind& kind);
// 404, in the words kubectl uses.
CallError no_such_kind(const kube::GroupVersionKind& kind);

}  // namespace fixpoint::client
