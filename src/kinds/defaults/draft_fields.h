// SPDX-License-Identifier: Apache-2.0
//
// Single fields of an object that is being written.
#pragma once

#include "json/draft.h"
#include "json/value.h"

#include <string>
#include <string_view>

namespace fixpoint::kinds {

// The text of a member; empty when it is absent or no text.
std::string text_at(const json::Draft& object, std::string_view key);

// Makes a member what it was in `from`; one that was absent there is removed.
void put_back(json::Draft& object, json::View from, std::string_view field);

}  // namespace fixpoint::kinds
