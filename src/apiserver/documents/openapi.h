// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI of what is served right now: built-in group versions from the tables of kinds, custom
// ones from their CRDs. v3 has a document for each path of its index: "api/v1", "apis/apps/v1",
// "apis/apps", "version".
#pragma once

#include "apiserver/resource.h"
#include "base/error.h"
#include "kube/meta/gvk.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

// The paths of all v3 documents.
std::vector<std::string> openapi_v3_paths(const std::vector<Resource>& resources);
// The v3 document at a path; empty when there is none.
std::string openapi_v3(const std::vector<Resource>& resources, std::string_view path);
// Changes when the v3 document does, without making it.
std::string openapi_v3_tag(const std::vector<Resource>& resources, std::string_view path);

std::string openapi_v2(const std::vector<Resource>& resources);
// The same document in the form that kubectl asks for. Fails when custom kinds have made it larger
// than json reads (kTextBytesMax).
Result<std::string> openapi_v2_protobuf(const std::vector<Resource>& resources);
std::string openapi_v2_tag(const std::vector<Resource>& resources);

}  // namespace fixpoint::apiserver
