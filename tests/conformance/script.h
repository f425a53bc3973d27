// SPDX-License-Identifier: Apache-2.0
//
// Script: sequences as a person writes them down, to ask both servers something in particular.
//
//   # a title begins a sequence
//   POST /api/v1/namespaces/<<ns>>/configmaps?dryRun=All
//   content-type: application/yaml
//   {"metadata":{"name":"a"}}
//   MERGE /api/v1/namespaces/<<ns>>/configmaps/a
//   {"data":{"b":"2"}}
//
// MERGE, JSON, STRATEGIC and APPLY are PATCHes of that type, EDIT is a PUT of what was read last
// with the body merged in. "settle: 3" gives what was sent three seconds to be heard of. Read next:
// step.h, where the placeholders are.
#pragma once

#include "base/error.h"
#include "tests/conformance/step.h"

#include <string_view>
#include <vector>

namespace fixpoint::conformance {

// `area` of each sequence is its title.
Result<std::vector<Sequence>> parse_script(std::string_view text);

}  // namespace fixpoint::conformance
