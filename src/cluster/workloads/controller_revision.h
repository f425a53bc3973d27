// SPDX-License-Identifier: Apache-2.0
//
// ControllerRevisions: the templates a set has had, each an object of its own, numbered.
//
// A template that comes back is the revision it was, under a new number. Their names hash their
// data; a taken name is a collision, and the next try counts one more.
#pragma once

#include "cluster/decision.h"
#include "json/value.h"
#include "store/store.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace fixpoint::cluster {

inline const kube::GroupVersionResource kRevisionResource{"apps", "v1", "controllerrevisions"};
inline constexpr std::string_view kRevisionPrefix = "controllerrevisions.apps/";
// Of pods: the revision they are of, by name or, those of DaemonSets, by hash.
inline constexpr std::string_view kPodRevisionLabel = "controller-revision-hash";

// By number, then age, then name.
void sort_revisions(std::vector<store::RecordRef>& revisions);

// What a revision's hash is of: a StatefulSet's of its data, a DaemonSet's of the template.
enum class RevisionHash : std::uint8_t { OfData, OfTemplate };

// The revision of the owner's template today. What has to be asked for it is added to `decision`.
struct CurrentRevision {
  std::string name;
  json::Value data;
  std::string hash;
};
CurrentRevision sync_revision(json::View owner, RevisionHash hashed, std::int64_t collisions,
                              const std::vector<store::RecordRef>& sorted, Decision& decision);

// Of a revision's data.
json::View template_in(json::View data);

// Deletes the oldest of those that nothing refers to, beyond the owner's limit.
void truncate_history(json::View owner, const std::vector<store::RecordRef>& sorted,
                      const std::set<std::string, std::less<>>& live, Decision& decision);

}  // namespace fixpoint::cluster
