// SPDX-License-Identifier: Apache-2.0
//
// ServiceAddresses: the fields of a Service that depend on each other, and how one follows from
// another: its address, the list of its addresses, their families, and the policy about families.
//
// A server settles them before it looks at anything else of a Service, in a create from what its
// author said, in an update also from what was there. Read next: apiserver/admission/allocation.cc,
// which hands out.
#pragma once

#include "json/draft.h"
#include "kube/errors/field_error.h"

#include <optional>
#include <string>
#include <vector>

namespace fixpoint::kinds {

struct ServiceAddresses {
  std::string type;
  std::string address;                 // clusterIP
  std::vector<std::string> addresses;  // clusterIPs
  std::vector<std::string> families;   // ipFamilies
  std::optional<std::string> policy;   // ipFamilyPolicy
  bool selects = false;                // it has a selector

  static ServiceAddresses of(json::View spec);
  void write_to(json::Draft& spec) const;

  bool external_name() const { return type == "ExternalName"; }
  bool headless() const { return !addresses.empty() && addresses.front() == "None"; }
};

// An update that leaves out what was handed out keeps it; who changes the one address means the
// list, too. `before` is null on create.
void follow_old_addresses(ServiceAddresses& now, const ServiceAddresses* before);

// True when nothing about a service that would like two families has changed: then it is left as it
// is, whatever the cluster offers by now.
bool same_dual_wish(const ServiceAddresses& now, const ServiceAddresses* before);

// Fills in policy and families; errors where this cluster of one family cannot do what is asked.
kube::FieldErrors settle_families(ServiceAddresses& now, const ServiceAddresses* before);

}  // namespace fixpoint::kinds
