// SPDX-License-Identifier: Apache-2.0
//
// The programs of a node as a scenario's outside: each address is in one of the modes of the
// stand-ins (`fixpoint sim stellar`), and answers what a stand-in in that mode answers. A late
// answer is none: the operator waits until its deadline and no longer.
//
// health_model_test.cc compares the two.
#pragma once

#include "verify/world/scenario.h"

#include <string_view>

namespace fixpoint::trials::stellar {

// "sync", "lag", "hang", "fail" and "die", as sim::Mode names them.
inline constexpr std::string_view kSync = "sync";
inline constexpr std::string_view kLag = "lag";
inline constexpr std::string_view kHang = "hang";
inline constexpr std::string_view kFail = "fail";
inline constexpr std::string_view kDie = "die";

// Everybody is well until a deed says otherwise.
verify::world::OutsideModel programs();

// The mode of who is at the address.
std::string_view mode_of(json::View outside, std::string_view address);
json::Value with_mode(json::View outside, std::string_view address, std::string_view mode);

}  // namespace fixpoint::trials::stellar
