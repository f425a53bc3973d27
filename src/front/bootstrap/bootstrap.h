// SPDX-License-Identifier: Apache-2.0
//
// What a new cluster begins with. Objects that are already there are left as they are, so a later
// start never takes back what a person changed.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "front/service.h"

#include <string_view>

namespace fixpoint::front {

// One JSON object a line.
extern const std::string_view kBootstrapObjects;
extern const std::string_view kFlowObjects;

Result<void> bootstrap(Service& service, Instant now);

}  // namespace fixpoint::front
