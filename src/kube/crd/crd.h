// SPDX-License-Identifier: Apache-2.0
//
// CustomResource: what a CustomResourceDefinition says, read once into C++.
//
// Reading never fails: validate.h has seen the object before. Absent is empty.
// Read next: schema.h for the schemas, names.h for who may use which name.
#pragma once

#include "json/draft.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "kube/meta/validate_metadata.h"
#include "kube/schema/validate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

struct CustomNames {
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;

  bool operator==(const CustomNames&) const = default;
};

struct CustomColumn {
  std::string name;
  std::string type;  // string, integer, number, boolean, date
  std::string format;
  std::string description;  // never empty: the server's own words where the CRD has none
  int priority = 0;
  std::string json_path;
};

struct CustomVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  bool deprecated = false;
  std::string deprecation_warning;  // the header's text; set for every deprecated version
  json::Value schema;               // openAPIV3Schema as given; null if there is none
  bool has_status = false;
  std::optional<ScalePaths> scale;
  std::vector<CustomColumn> columns;           // without the name, which comes first in every table
  std::vector<std::string> selectable_fields;  // JSON paths, ".spec.color"
};

struct CustomResource {
  std::string group;
  CustomNames names;           // as asked for
  CustomNames accepted_names;  // as granted: what discovery and paths use
  Scope scope = Scope::Namespaced;
  bool preserve_unknown_fields = false;  // of old; new CRDs cannot set it
  bool webhook_conversion = false;
  std::vector<CustomVersion> versions;  // in the CRD's order
  std::vector<std::string> stored_versions;
  bool names_accepted = false;
  bool established = false;
  bool terminating = false;  // instances are being deleted: creates are refused

  const CustomVersion* version(std::string_view name) const;
  const CustomVersion* storage_version() const;
  GroupResource group_resource() const { return {group, names.plural}; }
};

CustomResource read_custom_resource(json::View crd);

// Version names in the order discovery prefers them: v2, v1, v1beta2, v1alpha1, then others.
bool newer_version(std::string_view a, std::string_view b);

// The registry's part in a write, as the hooks of a kind (kinds/kind.h) want it.
void set_crd_defaults(json::Draft& crd);
// `old_crd` is null on create. Status belongs to the server; storedVersions gains the storage
// version.
void prepare_crd(json::Draft& crd, json::View old_crd);
// Formats nobody enforces: `unrecognized format "foo"`, only new ones on update.
std::vector<std::string> crd_warnings(json::View crd, json::View old_crd);

// Warnings for a write of an instance: finalizers that it adds (`old_object` null on create) and
// whose names may clash.
std::vector<std::string> custom_resource_warnings(json::View object, json::View old_object);

}  // namespace fixpoint::kube
