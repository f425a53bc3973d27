// SPDX-License-Identifier: Apache-2.0
//
// Steps that conversions share.
#pragma once

#include "json/draft.h"

#include <string_view>

namespace fixpoint::kinds {

// Moves a member to another name; nothing when it is absent.
void rename(json::Draft& object, std::string_view from, std::string_view to);
// Replaces apiVersion where there is one: items of lists have none.
void set_version(json::Draft& object, std::string_view api_version);
// Decodes the object as the type ("core.v1.Event").
void canonicalize(json::Draft& object, std::string_view type);

}  // namespace fixpoint::kinds
