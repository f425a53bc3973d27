// SPDX-License-Identifier: Apache-2.0
#include "kinds/resource_list.h"

namespace fixpoint::kinds {

ResourceList read_resources(json::View amounts) {
  ResourceList list;
  for (const auto& [name, value] : amounts.members()) {
    // A number in JSON is an amount too.
    const std::string number = value.is_int() ? std::to_string(value.as_int()) : std::string{};
    auto amount = kube::Quantity::parse(value.is_int() ? number : value.as_string());
    if (amount) list.emplace(name, *std::move(amount));
  }
  return list;
}

json::Draft to_draft(const ResourceList& amounts) {
  json::Draft draft = json::Draft::object();
  for (const auto& [name, amount] : amounts) draft[name] = amount.to_string();
  return draft;
}

std::string to_text(const ResourceList& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    if (!text.empty()) text += ',';
    text += name + "=" + amount.to_string();
  }
  return text;
}

void add(ResourceList& sum, const ResourceList& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, fresh] = sum.try_emplace(name, amount);
    if (!fresh) at->second += amount;
  }
}

void raise(ResourceList& most, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, fresh] = most.try_emplace(name, amount);
    if (!fresh && amount > at->second) at->second = amount;
  }
}

ResourceList containers_total(json::View spec, std::string_view member) {
  ResourceList total;
  for (const json::View container : spec.get("containers").elements()) {
    add(total, read_resources(container.get("resources", member)));
  }
  ResourceList sidecars;
  ResourceList highest;
  for (const json::View container : spec.get("initContainers").elements()) {
    auto amounts = read_resources(container.get("resources", member));
    if (container.get("restartPolicy").as_string() == "Always") {
      // A sidecar stays: it adds to the running sum and to every later init container's turn.
      add(total, amounts);
      add(sidecars, amounts);
      raise(highest, sidecars);
    } else {
      add(amounts, sidecars);
      raise(highest, amounts);
    }
  }
  raise(total, highest);
  return total;
}

}  // namespace fixpoint::kinds
