// SPDX-License-Identifier: Apache-2.0
//
// The reference page of a kind, in Markdown: every field with its type, default and meaning.
#pragma once

#include "types/kind.h"

#include <string>

namespace fixpoint::types {

std::string reference_page(const Kind& kind);

}  // namespace fixpoint::types
