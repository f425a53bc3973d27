// SPDX-License-Identifier: Apache-2.0
//
// What is said of addresses that older fields take in spellings of which later versions may not:
// leading zeroes, IPv4 inside IPv6, IPv6 that is not in its one short form.
#pragma once

#include "kinds/validation/warnings.h"
#include "kube/errors/field_error.h"

#include <string_view>

namespace fixpoint::kinds {

// Nothing is said of what is no address at all.
void warn_of_ip(std::string_view ip, const kube::FieldPath& path, Warnings& warnings);
// The field "ip" of every item of a list.
void warn_of_ips(json::View items, const kube::FieldPath& path, Warnings& warnings);
void warn_of_cidr(std::string_view cidr, const kube::FieldPath& path, Warnings& warnings);

}  // namespace fixpoint::kinds
