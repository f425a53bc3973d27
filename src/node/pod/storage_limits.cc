// SPDX-License-Identifier: Apache-2.0
#include "node/pod/storage_limits.h"

#include "kube/scalars/quantity.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

std::optional<kube::Quantity> limit_of(json::View container) {
  const json::View limit = container.get("resources", "limits", "ephemeral-storage");
  if (limit.is_null()) return std::nullopt;
  const auto parsed = kube::Quantity::parse(limit.as_string());
  return parsed ? std::optional{*parsed} : std::nullopt;
}

std::optional<kube::Quantity> limit_of_volume(json::View volume) {
  const json::View limit = volume.get("emptyDir", "sizeLimit");
  if (limit.is_null()) return std::nullopt;
  const auto parsed = kube::Quantity::parse(limit.as_string());
  return parsed ? std::optional{*parsed} : std::nullopt;
}

bool exceeds(std::uint64_t used, const kube::Quantity& limit) {
  return limit.sign() > 0 && used > static_cast<std::uint64_t>(limit.value());
}

bool is_sidecar(json::View container) {
  return container.get("restartPolicy").as_string() == "Always";
}

void add(std::optional<kube::Quantity>& sum, const kube::Quantity& one) {
  sum = sum ? *sum + one : one;
}

// Of all its containers together: those that run beside each other, or the largest that runs alone.
std::optional<kube::Quantity> limit_of_pod(json::View pod) {
  std::optional<kube::Quantity> beside;
  std::optional<kube::Quantity> alone;
  for (const json::View container : pod.get("spec", "containers").elements()) {
    if (const auto limit = limit_of(container)) add(beside, *limit);
  }
  for (const json::View container : pod.get("spec", "initContainers").elements()) {
    const auto limit = limit_of(container);
    if (!limit) continue;
    if (is_sidecar(container)) {
      add(beside, *limit);
    } else if (!alone || *alone < *limit) {
      alone = limit;
    }
  }
  return alone && (!beside || *beside < *alone) ? alone : beside;
}

template <class Map>
std::uint64_t used_by(const Map& used, std::string_view name) {
  const auto found = used.find(name);
  return found == used.end() ? 0 : found->second;
}

}  // namespace

bool has_storage_limits(json::View pod) {
  const auto limited_volume = [](json::View one) { return limit_of_volume(one).has_value(); };
  return std::ranges::any_of(pod.get("spec", "volumes").elements(), limited_volume) ||
         limit_of_pod(pod).has_value();
}

std::optional<std::string> over_storage_limit(json::View pod, const StorageUse& use) {
  for (const json::View volume : pod.get("spec", "volumes").elements()) {
    const auto limit = limit_of_volume(volume);
    const auto name = volume.get("name").as_string();
    if (limit && exceeds(used_by(use.volumes, name), *limit)) {
      return fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ", name,
                         limit->to_string());
    }
  }
  std::uint64_t all = 0;
  for (const auto& [name, bytes] : use.volumes) all += bytes;
  for (const auto& [name, bytes] : use.containers) all += bytes;
  if (const auto limit = limit_of_pod(pod); limit && exceeds(all, *limit)) {
    return fmt::format(
        "Pod ephemeral local storage usage exceeds the total limit of containers {}. ",
        limit->to_string());
  }
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::View container : pod.get("spec", list).elements()) {
      const auto limit = limit_of(container);
      const auto name = container.get("name").as_string();
      if (limit && exceeds(used_by(use.containers, name), *limit)) {
        return fmt::format("Container {} exceeded its local ephemeral storage limit \"{}\". ", name,
                           limit->to_string());
      }
    }
  }
  return std::nullopt;
}

}  // namespace fixpoint::node
