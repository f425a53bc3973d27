// SPDX-License-Identifier: Apache-2.0
//
// JSON values as Go's fmt prints them: the patch errors of Kubernetes quote values this way.
#pragma once

#include "json/value.h"

#include <string>
#include <string_view>

namespace fixpoint::kube {

// %v: map[a:b], [1 2], text bare, <nil>.
std::string go_printed(json::View value);
// %s: text bare, what is no text as %!s(int64=1).
std::string go_as_text(json::View value);
// %#v: map[string]interface {}{"a":"b"}, []interface {}{1, 2}.
std::string go_literal(json::View value);
// %T, or reflect.TypeOf: string, int64, map[string]interface {}.
std::string_view go_type_name(json::Type type);

}  // namespace fixpoint::kube
