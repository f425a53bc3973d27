// SPDX-License-Identifier: Apache-2.0
//
// GET of one object and of lists: selectors, pages, and the meanings of resourceVersion.
#pragma once

#include "apiserver/read/watch.h"
#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "store/store.h"

namespace fixpoint::apiserver {

Response get(const Request& request, const Resource& resource, const store::Store& store,
             const Environment& environment);
Response list(const Request& request, const Resource& resource, const store::Store& store,
              const Environment& environment);
kube::Answer<Watch> open_watch(const Request& request, const Resource& resource,
                               const store::Store& store, const Environment& environment);

// Selectors checked against what the resource lets one select by.
kube::Answer<Selection> selection_of(const Request& request, const Resource& resource,
                                     const ListOptions& options);

}  // namespace fixpoint::apiserver
