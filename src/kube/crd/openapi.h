// SPDX-License-Identifier: Apache-2.0
//
// A custom resource's schema as /openapi/v3/apis/<group>/<version> and /openapi/v2 publish it: what
// the CRD says, the implied fields, and the kinds it belongs to. v2 leaves out what old clients
// stumble over.
#pragma once

#include "json/value.h"
#include "kube/crd/crd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::kube {

// "com.example.stable.v1.CronTab" for stable.example.com/v1 CronTab.
std::string definition_name(std::string_view group, std::string_view version,
                            std::string_view kind);

struct PublishedSchemas {
  std::string name;  // under components.schemas
  json::Value schema;
  std::string list_name;
  json::Value list_schema;
};

enum class PublishedFor : std::uint8_t { OpenApiV2, OpenApiV3 };

// They refer to io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta and .ListMeta, which the document
// must also hold. A version without a schema is an object of anything.
PublishedSchemas openapi_schemas(const CustomResource& resource, const CustomVersion& version,
                                 PublishedFor form = PublishedFor::OpenApiV3);

}  // namespace fixpoint::kube
