// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI documents: v3 per group version, v2 for everything at once.
//
// Schemas come from the generated tables, paths from the rows, descriptions are our own. The text
// is written straight out, without a tree: the core group's is several hundred kilobytes, and is
// asked for rarely. Making one takes milliseconds; whoever serves it keeps it. The deprecated
// /watch/ paths and the connecting subresources (exec, proxy, …) are left out.
#pragma once

#include "kinds/kind.h"
#include "kube/gvk.h"

#include <string>
#include <utility>
#include <vector>

namespace fixpoint::kinds {

enum class OpenApi : std::uint8_t { V2, V3 };

// One resource of a document; built-in or custom.
struct OpenApiResource {
  kube::GroupVersionKind kind;
  std::string resource;
  bool namespaced = true;
  std::vector<std::string> verbs;
  std::vector<Subresource> subresources;
  std::string definition;       // of its objects; empty when there is none
  std::string list_definition;  // of its lists
  bool strategic_merge = true;  // built-ins only
};

struct OpenApiDocument {
  std::vector<OpenApiResource> resources;
  // Built-in definitions to include, by OpenAPI name, with all that they reach. Those that
  // operations need (DeleteOptions, Status, Patch) are always there.
  std::vector<std::string> definitions;
  // Further definitions: name and JSON text.
  std::vector<std::pair<std::string, std::string>> extra;
};

inline constexpr std::string_view kObjectMetaDefinition =
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
inline constexpr std::string_view kListMetaDefinition =
    "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

std::string openapi_text(const OpenApiDocument& document, OpenApi version);

// The built-in kinds of one group version.
OpenApiDocument builtin_document(const kube::GroupVersion& version);

// Empty when no built-in kind has that group version.
std::string openapi_v3(const kube::GroupVersion& version);
// All built-in kinds, as Swagger 2 JSON. (kubectl asks for a protobuf form first, which a server
// may refuse with 406.)
std::string openapi_v2();

}  // namespace fixpoint::kinds
