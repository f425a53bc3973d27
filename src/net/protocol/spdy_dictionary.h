// SPDX-License-Identifier: Apache-2.0
//
// What SPDY/3 packs its headers with: a text both sides know beforehand, from the protocol's draft.
#pragma once

#include <string>

namespace fixpoint::net {

const std::string& spdy_dictionary();

}  // namespace fixpoint::net
