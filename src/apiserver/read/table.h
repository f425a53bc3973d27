// SPDX-License-Identifier: Apache-2.0
//
// Table and PartialObjectMetadata: the forms in which kubectl and metadata clients read objects.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "json/value.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

// The apiVersion of these forms; there is an older one, "meta.k8s.io/v1beta1".
inline constexpr std::string_view kMetaVersion = "meta.k8s.io/v1";

// How much of an object stands beside its row.
enum class IncludeObject : std::uint8_t { None, Metadata, Object };
// The ?includeObject= parameter; Metadata when it is not given.
kube::Answer<IncludeObject> parse_include_object(std::string_view text);

enum class Columns : std::uint8_t { Named, Omitted };  // a watch names them only once

struct TableOptions {
  IncludeObject include = IncludeObject::Metadata;
  Columns columns = Columns::Named;
  Instant now;
  std::string_view version = kMetaVersion;
};

// A table of objects already in the requested version. `metadata` is the list's or, for one object,
// its resourceVersion.
json::Value table_of(const Resource& resource, const std::vector<json::Value>& objects,
                     json::View metadata, const TableOptions& options);

// The same of one object's scale, whose columns are those of no kind.
json::Value scale_table_of(const Resource& resource, const json::Value& scale, json::View metadata,
                           const TableOptions& options);

json::Value partial_object(json::View object, std::string_view version = kMetaVersion);
json::Value partial_list(const std::vector<json::Value>& objects, json::View metadata,
                         std::string_view version = kMetaVersion);

}  // namespace fixpoint::apiserver
