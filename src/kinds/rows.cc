// SPDX-License-Identifier: Apache-2.0
#include "kinds/rows.h"

#include "base/error.h"
#include "kinds/table.h"
#include "kube/go/text.h"

namespace fixpoint::kinds {
namespace {

std::vector<std::string> strings(std::string_view text, char separator) {
  const auto parts = split(text, separator);
  return {parts.begin(), parts.end()};
}

std::vector<std::string> verbs_of(unsigned traits) {
  if ((traits & kReview) != 0) return {"create"};
  if ((traits & kReadOnly) != 0) return {"get", "list"};
  std::vector<std::string> verbs{"create", "delete", "deletecollection", "get",
                                 "list",   "patch",  "update",           "watch"};
  if ((traits & kNoCollection) != 0) std::erase(verbs, "deletecollection");
  return verbs;
}

// "token:create:authentication.k8s.io/v1/TokenRequest"
Subresource read_subresource(std::string_view text, const kube::GroupVersionKind& owner) {
  const auto parts = split(text, ':');
  FP_CHECK(parts.size() == 2 || parts.size() == 3);
  Subresource made{std::string{parts[0]}, owner, strings(parts[1], ',')};
  if (parts.size() == 3) {
    const auto kind = split(parts[2], '/');
    FP_CHECK(kind.size() == 3 || kind.size() == 2);
    made.kind = kind.size() == 3
                    ? kube::GroupVersionKind{std::string{kind[0]}, std::string{kind[1]},
                                             std::string{kind[2]}}
                    : kube::GroupVersionKind{"", std::string{kind[0]}, std::string{kind[1]}};
  }
  return made;
}

std::vector<Subresource> subresources_of(const Row& row, const kube::GroupVersionKind& owner) {
  constexpr std::string_view kReadAndWrite = "get,patch,update";
  std::vector<Subresource> made;
  for (const auto text : split(row.subresources, ' '))
    made.push_back(read_subresource(text, owner));
  if ((row.traits & kStatus) != 0) {
    made.push_back({"status", owner, strings(kReadAndWrite, ',')});
  }
  if ((row.traits & kScale) != 0) {
    made.push_back({
        "scale", {"autoscaling", "v1", "Scale"},
         strings(kReadAndWrite, ',')
    });
  }
  std::ranges::sort(made, {}, &Subresource::name);
  return made;
}

Kind make(const kube::GroupVersion& version, const Row& row) {
  const auto has = [&](Trait trait) { return (row.traits & trait) != 0; };
  Kind kind;
  kind.gvk = {version.group, version.version, std::string{row.kind}};
  kind.resource = row.resource;
  kind.singular = kube::lower_case(row.kind);
  kind.short_names = strings(row.short_names, ',');
  kind.categories = strings(row.categories, ',');
  kind.namespaced = !has(kCluster);
  kind.verbs = verbs_of(row.traits);
  kind.subresources = subresources_of(row, kind.gvk);
  kind.name_rule = row.name_rule;
  kind.has_status = has(kStatus);
  kind.tracks_generation = has(kGeneration);
  kind.create_on_update = has(kCreateOnUpdate);
  kind.unconditional_update = !has(kNeedsVersion);
  kind.propagation = has(kOrphans) ? DefaultPropagation::Orphan : DefaultPropagation::Background;
  kind.shows_deleted = has(kShowsDeleted);
  kind.schema = row.schema;
  return kind;
}

}  // namespace

void append_rows(const kube::GroupVersion& version, std::span<const Row> rows,
                 std::vector<Kind>& to) {
  for (const auto& row : rows) to.push_back(make(version, row));
}

}  // namespace fixpoint::kinds
