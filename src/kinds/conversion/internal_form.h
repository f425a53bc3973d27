// SPDX-License-Identifier: Apache-2.0
//
// How a kube-apiserver prints an object that it has inside: under Go's names, in another order than
// the published form, with everything that is not set. Some of its messages do.
#pragma once

#include "json/value.h"

#include <string>
#include <string_view>

namespace fixpoint::kinds {

// `type` is one of tables/internal_*.inc, "PodTemplateSpec" for one; `published` is in
// its v1 form. On one line, as in "Invalid value: …".
std::string internal_text(std::string_view type, json::View published);

// What changed, as messages about fields that must not change list it.
std::string internal_diff(std::string_view type, json::View before, json::View after);

}  // namespace fixpoint::kinds
