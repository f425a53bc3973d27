// SPDX-License-Identifier: Apache-2.0
//
// Kind: a custom resource as its author declares it; crd() makes the CustomResourceDefinition.
//
// Every version has a status with `conditions` and `observedGeneration`, which the runtime writes;
// a status table adds the rest. Read next: reference.h for the page people read.
#pragma once

#include "json/value.h"
#include "kube/meta/gvk.h"
#include "kube/meta/validate_metadata.h"
#include "kube/schema/validate.h"
#include "types/table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::types {

// What `kubectl get` shows.
struct Column {
  std::string name{};
  std::string path{};           // ".spec.size"
  std::string type = "string";  // integer, number, boolean, date
  std::string doc{};
  int priority = 0;  // > 0: only with -o wide
};
// The columns nearly every kind ends with: the status of condition Ready, and the age.
Column ready_column();
Column age_column();

struct Version {
  std::string name = "v1";
  const Table* spec = nullptr;  // none: the kind has no spec
  const Table* status = nullptr;
  bool served = true;
  bool storage = true;
  bool deprecated = false;
  std::string deprecation_warning{};
  std::vector<Column> columns{};  // none: ready_column and age_column
  std::optional<kube::ScalePaths> scale{};
  std::vector<std::string> selectable_fields{};
  std::vector<Rule> rules{};  // about the whole object
};

struct Kind {
  std::string group{};
  std::string name{};    // "ValkeyCluster"
  std::string plural{};  // "valkeyclusters"
  std::string doc{};
  std::string singular{};  // empty: the name in lower case
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  kube::Scope scope = kube::Scope::Namespaced;
  // Children append to the name: shorter ones than Kubernetes allows may be all that fits.
  std::optional<std::size_t> name_length_max{};
  std::vector<Version> versions{};

  const Version& storage_version() const;
  kube::GroupVersionKind gvk() const;  // of the storage version
  std::string crd_name() const { return plural + "." + group; }
};

json::Value crd(const Kind& kind);
// The part of it that says what `spec`, `status` and the rest may hold.
json::Value open_api_schema(const Kind& kind, const Version& version);
std::vector<std::string> mistakes(const Kind& kind);

}  // namespace fixpoint::types
