// SPDX-License-Identifier: Apache-2.0
//
// What is said of the certificates, keys and requests inside objects, if there is somebody who can
// read them (certificates.h).
#pragma once

#include "apiserver/write/write.h"

namespace fixpoint::apiserver {

// Warns of a TLS secret whose halves are no pair.
void note_bad_pair(WriteCall& call, json::View object);

// Adds what is wrong inside a certificate signing request, in its place among the errors.
void add_request_problem(const WriteCall& call, json::View object, kube::FieldErrors& errors);

}  // namespace fixpoint::apiserver
