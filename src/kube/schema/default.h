// SPDX-License-Identifier: Apache-2.0
//
// Defaulting of custom resources: absent fields, and nulls that are not allowed, take the schema's
// default; defaults are filled in below defaults.
#pragma once

#include "json/value.h"
#include "kube/schema/schema.h"

#include <cstddef>

namespace fixpoint::kube {

// A small object can ask for a large default many times. With so much of them, filling stops: what
// holds this is many times larger than anything that is stored, and is refused for that.
inline constexpr std::size_t kDefaultBytesMax = std::size_t{64} << 20U;

// Gives back the very same Value when nothing was missing.
json::Value set_defaults(const json::Value& value, const Schema& schema);

}  // namespace fixpoint::kube
