// SPDX-License-Identifier: Apache-2.0
//
// Kind: everything the API server must know about one built-in kind, as one row of one table.
//
// The row is the only source: storage, defaulting, validation, printer columns, discovery and
// OpenAPI all read it. Hooks are pure functions over JSON; the server calls them in Kubernetes'
// order (decode, default, admit, prepare, validate). Custom resources do not pass through here:
// apiserver/resource.h makes the same row out of a CRD.
#pragma once

#include "base/clock.h"
#include "json/draft.h"
#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/meta/gvk.h"
#include "kube/schema/schema.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kinds {

struct Column {
  std::string name;
  std::string type;    // "string", "integer", "date", "boolean", "number"
  std::string format;  // "name" for the first column of most kinds, else ""
  std::string description;
  int priority = 0;  // > 0 only with -o wide
};

enum class NameRule : std::uint8_t {
  DnsSubdomain,  // most kinds
  DnsLabel,      // Namespace, Service (1035 there)
  DnsLabel1035,  // Service
  PathSegment,   // RBAC: anything without / and %
};

// What DELETE does when the request names no propagation policy.
enum class DefaultPropagation : std::uint8_t { Background, Orphan };

// What a hook may look at besides the object. No clock, no store.
struct HookContext {
  Instant now;
  // What preparing a new object is warned of; null: nobody listens.
  std::vector<std::string>* warnings = nullptr;
};

struct Subresource {
  std::string name;             // "status", "scale", "token", "binding", "eviction", "finalize", …
  kube::GroupVersionKind kind;  // of the bodies, e.g. autoscaling/v1 Scale
  std::vector<std::string> verbs;
};

// A field that `--field-selector` may name besides metadata.name and metadata.namespace.
struct SelectableField {
  std::string name;  // "spec.nodeName"
  std::string (*value)(json::View object);
};

struct Kind {
  kube::GroupVersionKind gvk;
  std::string resource;  // plural
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  std::vector<std::string> verbs;  // alphabetical, as discovery lists them
  std::vector<Subresource> subresources;
  // Resource whose objects these are when this row is another version or view of it: "events" of
  // events.k8s.io are the core events, autoscaling/v1 HPAs are the v2 ones. Empty: stored as
  // itself.
  kube::GroupVersionResource stored_as;
  NameRule name_rule = NameRule::DnsSubdomain;
  bool has_status = false;         // a status subresource: main writes keep the old status
  bool tracks_generation = false;  // api-subtleties fact 28
  bool create_on_update =
      false;  // PUT of an absent name creates (Lease, Event, …: AllowCreateOnUpdate)
  bool unconditional_update = true;  // PUT without resourceVersion is allowed
  DefaultPropagation propagation = DefaultPropagation::Background;
  bool shows_deleted = false;  // DELETE answers with the object, even when it is gone at once
  std::int64_t default_grace_seconds = 0;  // Pod: from its spec, 30

  // The root schema, loaded from the generated table on first use (thread-safe).
  const kube::Schema* (*schema)() = nullptr;

  // Hooks; null means nothing to do. `old_object` is null View on create.
  void (*set_defaults)(json::Draft& object) = nullptr;
  // The registry strategy's PrepareForCreate/Update: drop disallowed fields, keep server-owned
  // ones. Status reset and generation are the server's, by has_status and tracks_generation.
  void (*prepare)(json::Draft& object, json::View old_object, const HookContext& context) = nullptr;
  // What a real server fills in whenever it reads such an object, after all else.
  void (*as_read)(json::Draft& object) = nullptr;
  // What it takes away in its answers, except those of the status subresource; the store keeps it.
  void (*as_shown)(json::Draft& object) = nullptr;
  kube::FieldErrors (*validate)(json::View object) = nullptr;
  kube::FieldErrors (*validate_update)(json::View object, json::View old_object) = nullptr;
  kube::FieldErrors (*validate_status_update)(json::View object, json::View old_object) = nullptr;
  // Texts for the Warning header (deprecated fields, kinds).
  std::vector<std::string> (*warnings)(json::View object) = nullptr;
  // The same of an update, where it depends on what was there before; null: as on create.
  std::vector<std::string> (*update_warnings)(json::View object, json::View old_object) = nullptr;
  // The same of a write of the status.
  std::vector<std::string> (*status_warnings)(json::View object) = nullptr;
  // What generation watches besides "everything but metadata and status"; null for the default.
  bool (*generation_changes)(json::View object, json::View old_object) = nullptr;

  std::vector<Column> columns;
  // One row's cells in column order.
  std::vector<json::Draft> (*cells)(json::View object, Instant now) = nullptr;
  std::vector<SelectableField> selectable_fields;

  // Conversion to and from the stored version when stored_as names another version.
  void (*to_stored)(json::Draft& object) = nullptr;
  void (*from_stored)(json::Draft& object) = nullptr;

  kube::GroupResource group_resource() const { return {gvk.group, resource}; }
  const Subresource* subresource(std::string_view name) const;
};

// Every built-in kind, in discovery order. Built once on first use.
std::span<const Kind> all();
const Kind* find(const kube::GroupVersionResource& resource);
const Kind* find(const kube::GroupVersionKind& kind);

}  // namespace fixpoint::kinds
