// SPDX-License-Identifier: Apache-2.0
//
// Who owns which field: metadata.managedFields, kept on every write, and server-side apply.
//
// Ownership is a set of field paths per (manager, operation, apiVersion, subresource), stored in
// FieldsV1 form. An ordinary write takes what it changed; an apply declares its whole intent, is
// refused (409) where it would change another manager's field, and gives up what it left out.
// Read next: field_set.h for the sets, merge.h for the three-way merge.
#pragma once

#include "base/clock.h"
#include "json/draft.h"
#include "json/value.h"
#include "kube/errors/status.h"
#include "kube/schema/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

// One write, as far as ownership is concerned.
struct Writer {
  const Schema* schema = nullptr;  // of the whole object, in the version written
  GroupVersionKind kind;
  std::string manager;
  std::string subresource;  // "status", "scale", or empty
  Instant now;
  // Fields this endpoint resets and therefore never owns ("status" on the main resource, …),
  // as paths like {"status"} or {"spec"}, {"metadata"}.
  std::vector<std::vector<std::string>> reset_fields;
  // The apiVersions in which this kind still exists; entries of others are dropped. Empty: all do.
  std::vector<std::string> api_versions;
  // The schema of each of them: what an owner has is looked at in the version it was written in.
  std::vector<const Schema*> version_schemas;
  // The same of a built-in kind whose versions have other fields: an object is converted first.
  struct Form {
    std::string api_version;
    const Schema* schema = nullptr;
    void (*convert)(json::Draft& object) = nullptr;  // from any other version to this one
  };
  std::vector<Form> forms;
};

// Its place in a request: after decoding and defaulting, before admission and the kind's own
// preparation, so that what those add (a priority, a cluster IP, a finalizer) belongs to nobody.
// Ordinary create (`live` null), update or patch: sets metadata.managedFields of `object` from the
// difference to `live`. Entries whose sets did not change keep their time. Entries that `object`
// brings are taken if they decode (on the main resource only; `[]` and `[{}]` start afresh), those
// of `live` otherwise. An object whose ownership was dropped is not tracked until it is applied to.
Answer<void> track_update(const Writer& writer, json::View live, json::Draft& object);

enum class Force : std::uint8_t { No, Yes };

// Server-side apply of `config` onto `live` (null when the object does not exist yet). The answer
// is the merged object with managedFields set; 409 with FieldManagerConflict causes otherwise.
Answer<json::Value> apply(const Writer& writer, json::View live, json::View config, Force force);

// Puts the times of `live` back into `object` if they are all that changed: call it last, so that a
// write that says nothing new does not become a new version.
void keep_unchanged_times(json::View live, json::Draft& object);

}  // namespace fixpoint::kube
