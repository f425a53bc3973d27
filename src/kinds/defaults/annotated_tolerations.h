// SPDX-License-Identifier: Apache-2.0
//
// Tolerations that a pod tells by an annotation, a JSON text. It is read into the server's internal
// type by Go's plain decoder: names of fields count in any case, and what does not fit is told in
// that type's words.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <string_view>

namespace fixpoint::kinds {

// In their published form, or the decoder's sentence about the first thing that is wrong.
Result<json::Value> read_tolerations(std::string_view text);

}  // namespace fixpoint::kinds
