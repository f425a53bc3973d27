// SPDX-License-Identifier: Apache-2.0
//
// Why a text is no address, or no network: in the words of Go's netip, which rules show to people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cel {

// "ParseAddr("1.2.3"): IPv4 address too short"; nothing if it is an address. Zones are allowed.
std::optional<std::string> address_problem(std::string_view text);
// The same of "10.0.0.0/8", without its beginning "netip.ParsePrefix(…): ".
std::optional<std::string> network_problem(std::string_view text);

}  // namespace fixpoint::cel
