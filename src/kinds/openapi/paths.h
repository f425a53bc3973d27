// SPDX-License-Identifier: Apache-2.0
//
// The paths of OpenAPI documents: every operation on a resource and its subresources, the
// deprecated watches, and the pages that are no resources. What all operations of a path are given
// is said once, for the path.
#pragma once

#include "kinds/openapi/json_text.h"
#include "kinds/openapi/openapi.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

void write_paths(const OpenApiResource& resource, OpenApi version, JsonText& to);
// A page that only answers: discovery, the version.
void write_page(const OpenApiPage& page, OpenApi version, JsonText& to);

// "flowcontrol.apiserver.k8s.io" -> "flowcontrolApiserver", or "FlowcontrolApiserver".
enum class FirstLetter : std::uint8_t { Lower, Upper };
std::string operation_word(std::string_view text, FirstLetter first);
// The part of a group's name that operations are named by; "core" for the empty one.
std::string_view group_word(std::string_view group);

}  // namespace fixpoint::kinds
