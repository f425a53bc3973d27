// SPDX-License-Identifier: Apache-2.0
//
// RBAC: may this user do this? A pure function of the roles and bindings in the store.
//
// Members of system:masters may do everything, as on a real server. Every allowance says by which
// binding, because access reviews show it.
#pragma once

#include "apiserver/request.h"
#include "json/value.h"
#include "kube/errors/status.h"
#include "store/store.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

// What is asked for: a resource or, with `path` set, a URL that is none.
struct Attempt {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string ns;
  std::string name;
  std::string path;

  std::string full_resource() const;  // "pods/log"
};

Attempt attempt_of(const Request& request);

struct Decision {
  bool allowed = false;
  // "RBAC: allowed by …", or which roles were not there; empty for system:masters.
  std::string reason;
};

Decision authorize(const store::Snapshot& snapshot, const User& user, const Attempt& attempt);

// The 403 a refused user reads.
kube::Status refusal(const User& user, const Attempt& attempt, const Decision& decision);

// All rules that apply to the user in a namespace ("" for cluster-wide ones only).
struct RuleSet {
  std::vector<json::View> rules;
  store::Snapshot snapshot;  // keeps the Views alive
};
RuleSet rules_for(const store::Snapshot& snapshot, const User& user, std::string_view ns);

}  // namespace fixpoint::apiserver
