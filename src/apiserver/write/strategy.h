// SPDX-License-Identifier: Apache-2.0
//
// Strategy: what a kind does to an object between decoding and storing, the same questions answered
// for built-in kinds (kinds/) and custom resources (their CRD).
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "json/draft.h"
#include "kube/errors/field_error.h"
#include "kube/ownership/managed_fields.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

// Status is not the creator's to set; generation starts at 1 where the kind counts it.
void prepare_create(const Resource& resource, json::Draft& object, const Environment& environment,
                    std::vector<std::string>& warnings);

// A main write keeps the old status, a status write changes little else; generation moves with what
// the kind says matters; identity and deletion stamps stay.
void prepare_update(const Resource& resource, std::string_view subresource, json::Draft& object,
                    json::View old_object, const Environment& environment);

kube::FieldErrors validate_create(const Resource& resource, json::View object);
// Rules that fail on what did not change are warned of.
kube::FieldErrors validate_update(const Resource& resource, std::string_view subresource,
                                  json::View object, json::View old_object,
                                  std::vector<std::string>& warnings);
void note_warnings(const Resource& resource, json::View object, json::View old_object,
                   std::vector<std::string>& warnings);
void note_status_warnings(const Resource& resource, json::View object,
                          std::vector<std::string>& warnings);

// Fields a write through this endpoint can never own, because it cannot set them.
std::vector<std::vector<std::string>> reset_fields(const Resource& resource,
                                                   std::string_view subresource);

// The apiVersions under which owners of fields are kept; others no longer exist. Empty: all do.
std::vector<std::string> served_api_versions(const Resource& resource);
// The versions of a kind between which objects are converted; empty for most kinds.
std::vector<kube::Writer::Form> version_forms(const Resource& resource);

}  // namespace fixpoint::apiserver
