// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/status_fields.h"

#include <algorithm>
#include <array>

namespace fixpoint::apiserver {
namespace {

constexpr std::array<std::string_view, 1> kLabels{"labels"};
constexpr std::array<std::string_view, 2> kOfPods{"deletionTimestamp", "ownerReferences"};
constexpr std::array<std::string_view, 4> kAll{"labels", "annotations", "finalizers",
                                               "ownerReferences"};

struct Row {
  std::string_view prefix;
  std::span<const std::string_view> kept;
  // Of metadata; an empty name is all of it.
  std::array<std::string_view, 2> reset = {};
  int resets = 1;
};

const std::array<Row, 9> kRows{
    {{"deployments.apps/", kLabels, {"labels"}},
     {"pods/", kOfPods, {"deletionTimestamp", "ownerReferences"}, 2},
     {"volumeattachments.storage.k8s.io/", kAll, {""}},
     // Its metadata may not be edited, and still belongs to whoever sent it.
     {"servicecidrs.networking.k8s.io/", kAll, {}, 0},
     {"validatingadmissionpolicies.admissionregistration.k8s.io/", kAll, {""}},
     {"flowschemas.flowcontrol.apiserver.k8s.io/", kAll, {""}},
     {"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/", kAll, {""}},
     {"apiservices.apiregistration.k8s.io/", kAll, {""}},
     // Its metadata may be edited, and still belongs to nobody.
     {"customresourcedefinitions.apiextensions.k8s.io/", {}, {""}}}
};

const Row* row_of(std::string_view prefix) {
  const auto row = std::ranges::find(kRows, prefix, &Row::prefix);
  return row == kRows.end() ? nullptr : &*row;
}

}  // namespace

std::span<const std::string_view> metadata_kept_by_status(std::string_view prefix) {
  const Row* row = row_of(prefix);
  return row == nullptr ? std::span<const std::string_view>{} : row->kept;
}

std::vector<std::vector<std::string>> fields_reset_by_status(std::string_view prefix) {
  std::vector<std::vector<std::string>> fields{{"spec"}};
  const Row* row = row_of(prefix);
  for (int i = 0; row != nullptr && i < row->resets; ++i) {
    auto& path = fields.emplace_back();
    path.emplace_back("metadata");
    const auto member = row->reset[static_cast<std::size_t>(i)];
    if (!member.empty()) path.emplace_back(member);
  }
  return fields;
}

}  // namespace fixpoint::apiserver
