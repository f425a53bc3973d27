// SPDX-License-Identifier: Apache-2.0
#include "verify/report/live.h"

#include "json/draft.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fixpoint::verify {
namespace {

constexpr std::array<std::string_view, 6> kOfOneCluster{"uid",           "resourceVersion",
                                                        "managedFields", "creationTimestamp",
                                                        "selfLink",      "lastTransitionTime"};

json::Draft essence(json::View value) {
  if (value.type() == json::Type::Array) {
    auto list = json::Draft::array();
    for (const json::View element : value.elements()) list.push_back(essence(element));
    return list;
  }
  if (value.type() != json::Type::Object) return json::Draft(json::Value(value));
  auto object = json::Draft::object();
  for (const auto [key, member] : value.members()) {
    if (std::ranges::find(kOfOneCluster, key) != kOfOneCluster.end()) continue;
    // That it is being deleted counts, not since when.
    object[key] = key == "deletionTimestamp" ? json::Draft(true) : essence(member);
  }
  return object;
}

}  // namespace

json::Value essence_of(json::View object) {
  return essence(object).freeze();
}

}  // namespace fixpoint::verify
