// SPDX-License-Identifier: Apache-2.0
//
// The text form of Stellar's keys: base32 of a version byte, 32 bytes of key and a checksum.
#pragma once

#include <string_view>

namespace fixpoint::operators::stellar {

bool is_public_key(std::string_view text);   // G…, a node's or an account's
bool is_secret_seed(std::string_view text);  // S…

}  // namespace fixpoint::operators::stellar
