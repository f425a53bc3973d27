// SPDX-License-Identifier: Apache-2.0
//
// An OpenAPI v2 document as the protobuf message that clients of it ask for: kubectl takes no other
// form, and needs the document for whatever has no fieldValidation of its own, a List above all.
//
// The message is openapi.v2.Document of gnostic, which names every part that a document may have.
// What it has no field for is left out.
#pragma once

#include "json/value.h"

#include <string>

namespace fixpoint::kube {

std::string openapi_v2_protobuf(json::View document);

}  // namespace fixpoint::kube
