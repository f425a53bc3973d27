// SPDX-License-Identifier: Apache-2.0
//
// Weakness: one rule of the API, switched off on purpose. Only tests and the verifier do so, to
// show that their checks notice; a served cluster always has None.
//
// Each enumerator names what the weakened server gets wrong; the number is that of the rule in
// docs/CONFORMANCE.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fixpoint::apiserver {

enum class Weakness : std::uint8_t {
  None,
  IgnoresResourceVersionOnUpdate,  // 2
};

}  // namespace fixpoint::apiserver
