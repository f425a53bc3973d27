// SPDX-License-Identifier: Apache-2.0
//
// What a body says it is: apiVersion and kind, read before anything else, and why that is not what
// a resource takes.
#pragma once

#include "apiserver/resource.h"
#include "base/error.h"
#include "json/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::apiserver {

// apiVersion and kind of well-formed text, and nothing else of it.
Result<json::Value> read_type_meta(std::string_view text);

// Why a body has no apiVersion and kind to read, in the decoder's words; nothing when it has.
std::optional<std::string> type_meta_problem(json::View body);
// Why a body cannot be of a built-in resource's type, in the decoder's words; nothing when it can.
std::optional<std::string> builtin_type_problem(const Resource& resource, json::View body);
// "core", "apps": how the words of conversions name a resource's group.
std::string internal_group(const Resource& resource);

}  // namespace fixpoint::apiserver
