// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI documents: v3 per group version, v2 for everything at once.
//
// Schemas come from the generated tables, paths from the rows, descriptions are our own; all else
// is as a real server has it (tests/conformance/documents_test.cc). The text is written straight
// out, without a tree: the core group's is a megabyte, and is asked for rarely. Making one takes
// milliseconds. Read next: paths.h, schemas.h.
#pragma once

#include "kinds/kind.h"
#include "kube/meta/gvk.h"

#include <span>
#include <string>
#include <string_view>
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
  bool custom = false;          // other media types and patches
  bool shows_deleted = false;   // DELETE answers with the object
};

// A page that only answers.
struct OpenApiPage {
  std::string path;  // "/apis/apps/"
  std::string tag;
  std::string operation;
  std::string description;
  std::string definition;  // of the answer; empty for plain text
  std::span<const std::string_view> consumes;
  std::span<const std::string_view> produces;
};

struct OpenApiDocument {
  std::vector<OpenApiPage> pages;
  std::vector<OpenApiResource> resources;
  // Built-in definitions to include, by OpenAPI name, with all that they reach. Those that
  // operations need (DeleteOptions, Status, Patch) come by themselves.
  std::vector<std::string> definitions;
  // Further definitions: name and JSON text.
  std::vector<std::pair<std::string, std::string>> extra;
};

inline constexpr std::string_view kObjectMetaDefinition =
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
inline constexpr std::string_view kListMetaDefinition =
    "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

std::string openapi_text(const OpenApiDocument& document, OpenApi version);

// The built-in kinds of one group version; no resources when there are none.
OpenApiDocument builtin_document(const kube::GroupVersion& version);
// Everything built in, for v2.
OpenApiDocument builtin_document();

// v3 documents that are about no group version, by their paths: "api", "apis/apps", "version", …
std::vector<std::string> page_documents();
// No pages when there is no such document.
OpenApiDocument page_document(std::string_view path);

// Empty when no built-in kind has that group version.
std::string openapi_v3(const kube::GroupVersion& version);

}  // namespace fixpoint::kinds
