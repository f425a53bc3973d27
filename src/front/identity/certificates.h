// SPDX-License-Identifier: Apache-2.0
//
// The core's Certificates, read by net.
#pragma once

#include "apiserver/access/certificates.h"

namespace fixpoint::front {

// One for the whole process: it keeps nothing.
const apiserver::Certificates& certificates();

}  // namespace fixpoint::front
