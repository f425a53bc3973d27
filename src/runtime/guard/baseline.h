// SPDX-License-Identifier: Apache-2.0
//
// Baseline: what our fields were when our own last write came back.
//
// If they still are, nobody touched them, however much else changed; where one differs, somebody
// wrote. Which fields are ours is read from the managedFields of the answer. Objects of the same
// shape share one table of paths, so an object costs eight bytes a field.
#pragma once

#include "base/hash.h"
#include "json/value.h"
#include "kube/ownership/path_element.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::runtime {

// More fields than this are looked at in coarser pieces (spec.template as a whole, say).
inline constexpr std::size_t kBaselinePathsMax = 1'000;

using PathTable = std::vector<kube::Path>;

// The part of an object at a path; nothing when it is not there.
std::optional<json::View> at_path(json::View object, const kube::Path& path);
std::uint64_t value_hash(json::View object, const kube::Path& path);

// One copy of each table; a value that is copied with the guard.
class PathTables {
 public:
  // Of what `manager` applied, as the object's managedFields say; without such an entry, of every
  // leaf of `applied`.
  std::shared_ptr<const PathTable> of(json::View object, json::View applied,
                                      std::string_view manager);
  // From texts in FieldsV1 spelling, for what was stored.
  std::shared_ptr<const PathTable> of_fields_v1(json::View fields);
  std::size_t size() const { return tables_.size(); }

 private:
  std::shared_ptr<const PathTable> intern(const Hash128& hash, PathTable table);
  std::map<Hash128, std::weak_ptr<const PathTable>> tables_;
  std::size_t sweep_at_ = 0;  // so many tables: time to look for those that nobody uses
};

class Baseline {
 public:
  Baseline() = default;
  Baseline(std::shared_ptr<const PathTable> paths, json::View object);

  bool known() const { return paths_ != nullptr; }
  // Which of our fields are not what they were, as indexes into paths().
  std::vector<std::size_t> differing(json::View live) const;
  const PathTable& paths() const { return *paths_; }

  // {"fields": FieldsV1, "hashes": ["…"]}
  json::Value to_json() const;
  static Baseline from_json(json::View stored, PathTables& tables);

 private:
  std::shared_ptr<const PathTable> paths_;
  std::vector<std::uint64_t> hashes_;
};

// Who wrote: the manager and operation of the managedFields entry that holds most of these paths.
struct Actor {
  std::string manager = "unknown";
  std::string operation;  // "Apply", "Update"; empty when unknown

  bool operator==(const Actor&) const = default;
};
Actor actor_of(json::View live, const std::vector<kube::Path>& paths, std::string_view ourselves);

}  // namespace fixpoint::runtime
