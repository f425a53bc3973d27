// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/controller_revision.h"

#include "cluster/workloads/template_hash.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace fixpoint::cluster {
namespace {

using json::Draft;
using json::View;

constexpr std::string_view kDataHashLabel = "controller.kubernetes.io/hash";
// Leaves room for the hash in a name.
constexpr std::size_t kPrefixMax = 223;
constexpr std::int64_t kDefaultLimit = 10;

std::int64_t number_of(View revision) {
  return revision.get("revision").as_int();
}

// A strategic merge patch that brings the template back.
json::Value data_of(View owner) {
  Draft pod_template{owner.get("spec", "template")};
  pod_template["$patch"] = "replace";
  return Draft::object({
                           {"spec", Draft::object({{"template", std::move(pod_template)}})}
  })
      .freeze();
}

std::string_view label_for(RevisionHash hashed) {
  return hashed == RevisionHash::OfData ? kDataHashLabel : kPodRevisionLabel;
}

Draft new_revision(View owner, RevisionHash hashed, const CurrentRevision& made,
                   std::int64_t number) {
  Draft labels{owner.get("spec", "template", "metadata", "labels")};
  if (!labels.is_object()) labels = Draft::object();
  labels[label_for(hashed)] = made.hash;
  auto metadata = Draft::object({
      {"name",            made.name                                                  },
      {"namespace",       kube::namespace_of(owner)                                  },
      {"labels",          std::move(labels)                                          },
      {"ownerReferences", Draft::array({kube::controller_reference(owner).to_json()})}
  });
  const View annotations = kube::annotations_of(owner);
  if (!annotations.empty()) metadata["annotations"] = annotations;
  return Draft::object({
      {"apiVersion", "apps/v1"           },
      {"kind",       "ControllerRevision"},
      {"metadata",   std::move(metadata) },
      {"data",       made.data           },
      {"revision",   number              }
  });
}

}  // namespace

void sort_revisions(std::vector<store::RecordRef>& revisions) {
  std::ranges::stable_sort(revisions, {}, [](const store::RecordRef& record) {
    const View revision = record->body;
    return std::tuple{number_of(revision), kube::creation_timestamp_of(revision),
                      kube::name_of(revision)};
  });
}

CurrentRevision sync_revision(View owner, RevisionHash hashed, std::int64_t collisions,
                              const std::vector<store::RecordRef>& sorted, Decision& decision) {
  const json::Value data = data_of(owner);
  const auto next = sorted.empty() ? 1 : number_of(sorted.back()->body) + 1;
  const auto equal = std::ranges::find_if(sorted.rbegin(), sorted.rend(), [&](const auto& record) {
    return record->body.get("data") == data.view();
  });
  if (equal != sorted.rend()) {
    if (equal != sorted.rbegin()) {
      Draft again{(*equal)->body};
      again["revision"] = next;
      const json::Value body = again.freeze();
      decision.requests.push_back({.request = update_request(kRevisionResource, body)});
    }
    return {.name = std::string{kube::name_of((*equal)->body)},
            .data = data,
            .hash = std::string{kube::label_of((*equal)->body, label_for(hashed))}};
  }
  CurrentRevision made{.data = data};
  if (hashed == RevisionHash::OfData) {
    made.hash = revision_hash(json::to_text(data), collisions);
  } else {
    made.hash = template_hash(owner.get("spec", "template"),
                              collisions == 0 ? std::nullopt : std::optional{collisions});
  }
  made.name = std::string{kube::name_of(owner)}.substr(0, kPrefixMax) + "-" + made.hash;
  const json::Value body = new_revision(owner, hashed, made, next).freeze();
  decision.requests.push_back({.request = create_request(kRevisionResource, body)});
  return made;
}

View template_in(View data) {
  return data.get("spec", "template");
}

void truncate_history(View owner, const std::vector<store::RecordRef>& sorted,
                      const std::set<std::string, std::less<>>& live, Decision& decision) {
  std::vector<store::RecordRef> history;
  std::ranges::copy_if(sorted, std::back_inserter(history), [&](const auto& record) {
    return !live.contains(kube::name_of(record->body));
  });
  const auto limit = owner.get("spec", "revisionHistoryLimit").as_int(kDefaultLimit);
  for (std::size_t i = 0; i + static_cast<std::size_t>(limit) < history.size(); ++i) {
    decision.requests.push_back({.request = delete_request(kRevisionResource, history[i]->body),
                                 .tolerates = Effect::Tolerates::Absence});
  }
}

}  // namespace fixpoint::cluster
