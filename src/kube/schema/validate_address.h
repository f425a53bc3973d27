// SPDX-License-Identifier: Apache-2.0
//
// Network and mail addresses as Go's net, net/url and net/mail packages read them.
#pragma once

#include <cstdint>
#include <string_view>

namespace fixpoint::kube {

// "010.0.0.1": old Go took it, and where Kubernetes once accepted it, it still does.
enum class LeadingZeros : std::uint8_t { Allowed, Refused };

bool is_ip(std::string_view text, LeadingZeros zeros);
bool is_cidr(std::string_view text);
bool is_mac(std::string_view text);
// An absolute URI or an absolute path.
bool is_request_uri(std::string_view text);
// "ann@example.com" or "Ann Lee <ann@example.com>".
bool is_email(std::string_view text);

}  // namespace fixpoint::kube
