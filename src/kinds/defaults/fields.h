// SPDX-License-Identifier: Apache-2.0
//
// How a default is set: only where nothing was given.
#pragma once

#include "json/draft.h"

#include <string_view>

namespace fixpoint::kinds {

// Sets a member that is absent, null or the empty string.
void default_to(json::Draft& object, std::string_view key, json::Draft value);
// The same for numbers whose zero means "not given".
void default_nonzero(json::Draft& object, std::string_view key, int value);

// Calls `change` for each element of an array member; nothing when it is absent.
void for_each(json::Draft& object, std::string_view key, void (*change)(json::Draft& element));

// An amount finer than a thousandth is rounded up, as a real server does with every resource list.
void round_resources(json::Draft* resource_list);
// Both lists of a `resources` member.
void round_requirements(json::Draft& object);

}  // namespace fixpoint::kinds
