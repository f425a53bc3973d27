// SPDX-License-Identifier: Apache-2.0
//
// Who may let a certificate be issued. To write the approval of a request or its status is not
// enough: the right is to the signer that the request names, by its name or by its domain.
#pragma once

#include "apiserver/admission/admission.h"

namespace fixpoint::apiserver {

kube::Answer<void> check_signer(const AdmissionCall& call, const store::Snapshot& snapshot,
                                json::View request, json::View old_request);

}  // namespace fixpoint::apiserver
