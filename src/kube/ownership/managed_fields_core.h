// SPDX-License-Identifier: Apache-2.0
//
// What ordinary writes and applies share: how a change of an object moves fields between owners.
// Internal to managed_fields.cc and apply.cc.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/ownership/managed_fields.h"
#include "kube/ownership/merge.h"
#include "kube/ownership/ownership.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

inline constexpr std::string_view kBeforeFirstApply = "before-first-apply";

Owner identity_of(const Writer& writer, std::string_view manager, Operation operation);

// `fields` without those this endpoint resets, and everything below them.
FieldSet without_reset(const Writer& writer, FieldSet fields);
// `fields` without the parts of an object that nobody owns: name, uid, resourceVersion, ….
FieldSet without_server_fields(FieldSet fields);

// Whether an object in the writer's version is also one of another version that it is served in.
// The error is in the words of Kubernetes. Between versions nothing is converted, so fields that
// one of them does not declare do not fit.
Result<void> check_fits(const Writer& writer, std::string_view api_version, json::View object);
// Drops entries of versions that are gone; makes the others fit the schema of today. Fails if the
// object does not fit a version in which somebody owns fields.
Result<void> refresh(const Writer& writer, json::View live, Ownership& ownership);

struct FieldConflict {
  std::string owner;  // as messages show it
  Path path;
};

// One change as each version that somebody owns fields in sees it, by apiVersion.
using Changes = std::map<std::string, Comparison>;
// The error is in the words of Kubernetes: an object may not fit the schema of an owner's version.
Result<Changes> changes_between(const Writer& writer, json::View before, json::View after,
                                const Ownership& ownership, std::string_view self);

// The schema that a version's owners go by.
const Schema& schema_at(const Writer& writer, std::string_view api_version);
// An object in version `from` as the owners of `to` see it.
json::Value in_form(const Writer& writer, json::View object, std::string_view from,
                    std::string_view to);

// Where the change touches fields of owners other than `self`.
std::vector<FieldConflict> conflicts_of(const Ownership& ownership, const Changes& changes,
                                        std::string_view self);
// Takes what the change touched, and what it removed, from every owner other than `self`.
void take_fields(Ownership& ownership, const Changes& changes, std::string_view self);

// An ordinary write from `before` to `after` by `manager`.
Result<void> record_update(const Writer& writer, std::string_view manager, json::View before,
                           json::View after, Ownership& ownership);

// metadata.managedFields of `object`, or its absence.
void set_managed_fields(json::Draft& object, const Ownership& ownership);

}  // namespace fixpoint::kube
