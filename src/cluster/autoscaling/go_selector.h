// SPDX-License-Identifier: Apache-2.0
//
// A label selector object as Go prints it, which is how some messages of real controllers show one.
#pragma once

#include "json/value.h"

#include <string>

namespace fixpoint::cluster::autoscaling {

std::string go_selector(json::View selector);

}  // namespace fixpoint::cluster::autoscaling
