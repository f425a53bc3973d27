// SPDX-License-Identifier: Apache-2.0
//
// PodStreams: whoever runs pods in this process answers for their node: logs, and what else a
// kubelet is asked. Without one the API server says that nobody can be asked.
#pragma once

#include "apiserver/request.h"
#include "json/value.h"
#include "kube/errors/status.h"
#include "net/server.h"

#include <memory>

namespace fixpoint::front {

struct PodStreamCall {
  json::Value pod;
  apiserver::Request request;  // checked: its options make sense, its container exists
  net::Headers asked;          // the client's, with what it wants to upgrade to
  net::Headers headers;        // that every answer carries
  std::shared_ptr<net::Exchange> exchange;
};

class PodStreams {
 public:
  virtual ~PodStreams() = default;
  // False: the pod runs elsewhere. The error is sent to the caller, and nothing else was.
  virtual kube::Answer<bool> serve(const PodStreamCall& call) = 0;
};

}  // namespace fixpoint::front
