// SPDX-License-Identifier: Apache-2.0
//
// What a write through /status of a built-in kind leaves alone besides the spec. Most kinds let
// such a write edit metadata; the exceptions are a table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

// Members of metadata that stay as they are; `prefix` is the resource's in the store.
std::span<const std::string_view> metadata_kept_by_status(std::string_view prefix);

// Fields that a status write resets, and so never owns.
std::vector<std::vector<std::string>> fields_reset_by_status(std::string_view prefix);

}  // namespace fixpoint::apiserver
