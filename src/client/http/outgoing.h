// SPDX-License-Identifier: Apache-2.0
//
// Outgoing: calls, lists and watches as the requests they are on the wire.
//
// There is one translation for both clients: a call becomes the request that the API-server core
// takes, and over HTTP that request becomes a method and a URL.
#pragma once

#include "apiserver/request.h"
#include "client/call.h"
#include "client/collection.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::client {

apiserver::Request request_of(const Call& call);
apiserver::Request request_of(const ListCall& call);
apiserver::Request request_of(const WatchCall& call);

// "/apis/apps/v1/namespaces/n/deployments/d/status?dryRun=All"
std::string target_of(const apiserver::Request& request);
std::string escape_path(std::string_view segment);
std::string escape_query(std::string_view text);

struct Outgoing {
  std::string method;
  std::string target;
  std::string verb;  // as metrics name it
  std::string accept = "application/json";
  std::string content_type;
  std::string body;
  std::string as_user;
  std::vector<std::string> as_groups;

  // Nothing changes when it is sent twice.
  bool is_read() const { return method == "GET"; }
};

Outgoing outgoing(const Call& call);
Outgoing outgoing(const ListCall& call);
Outgoing outgoing(const WatchCall& call);
Outgoing get_of(std::string target);

}  // namespace fixpoint::client
