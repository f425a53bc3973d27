// SPDX-License-Identifier: Apache-2.0
//
// What the operator follows, and about whom each change is.
#include "kube/meta/metadata.h"
#include "operators/stellar/observe.h"
#include "runtime/typed.h"
#include "types/decode.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

// Whoever is about to go first comes first: policies before what they are about, the data last.
constexpr std::array<const ChildKind*, 15> kChildKinds{
    &kinds::kPeerAuthentication,
    &kinds::kRequestAuthentication,
    &kinds::kDestinationRule,
    &kinds::kVirtualService,
    &kinds::kServer,
    &kinds::kServerAuthorization,
    &kinds::kServiceMonitor,
    &kinds::kIngress,
    &kinds::kAutoscaler,
    &kinds::kDisruptionBudget,
    &kinds::kService,
    &kinds::kStatefulSet,
    &kinds::kDeployment,
    &kinds::kNetworkPolicy,
    &kinds::kConfigMap,
};

client::Resource resource_of(const ChildKind& kind) {
  if (kind.plural.empty()) return runtime::builtin(kind.api_version, kind.kind);
  return {
      .kind = kind.gvk(), .plural = std::string{kind.plural}, .scope = client::Scope::Namespaced};
}

runtime::Watch owned(const ChildKind& kind) {
  runtime::Watch watch;
  watch.role = runtime::WatchRole::Owned;
  watch.collection.resource = resource_of(kind);
  watch.optional = !kind.plural.empty();
  return watch;
}

std::vector<kube::Key> by_instance(json::View object) {
  const auto name = kube::label_of(object, kInstanceLabel);
  if (name.empty()) return {};
  return {
      {std::string{kube::namespace_of(object)}, std::string{name}}
  };
}

// Pods are followed for their addresses and readiness.
runtime::Watch pods() {
  runtime::Watch watch;
  watch.role = runtime::WatchRole::Mapped;
  watch.collection.resource = resource_of(kinds::kPod);
  watch.collection.selector.labels = std::string{kNameLabel} + "=" + std::string{kNameValue};
  watch.map = by_instance;
  watch.indexes.push_back(
      {.name = std::string{kInstanceIndex},
       .values = [](json::View pod, const std::function<void(std::string_view)>& add) {
         for (const auto& node : by_instance(pod)) add(node.ns + "/" + node.name);
       }});
  return watch;
}

// A StatefulSet that cannot make pods says so in events alone.
runtime::Watch refusals() {
  runtime::Watch watch;
  watch.role = runtime::WatchRole::Mapped;
  watch.collection.resource = resource_of(kinds::kEvent);
  watch.collection.selector.fields = "reason=FailedCreate,involvedObject.kind=StatefulSet";
  watch.map = [](json::View event) -> std::vector<kube::Key> {
    const auto about = event.get("involvedObject");
    return {
        {std::string{about.get("namespace").as_string()},
         std::string{about.get("name").as_string()}}
    };
  };
  watch.indexes.push_back(
      {.name = std::string{kAboutIndex},
       .values = [](json::View event, const std::function<void(std::string_view)>& add) {
         add(event.get("involvedObject", "uid").as_string());
       }});
  return watch;
}

constexpr std::string_view kSecretIndex = "secret";

runtime::Watch nodes() {
  auto watch = runtime::reconciles(stellar_node_kind());
  watch.indexes.push_back(
      {.name = std::string{kSecretIndex},
       .values = [](json::View node, const std::function<void(std::string_view)>& add) {
         const auto spec = types::decode<Spec>(node.get("spec")).value;
         const std::string ns{kube::namespace_of(node)};
         for (const auto& name : secrets_of(spec, kube::name_of(node)))
           add(fmt::format("{}/{}", ns, name));
         if (!spec.passphrase_secret_ref.empty())
           add(fmt::format("{}/{}", ns, spec.passphrase_secret_ref));
       }});
  watch.indexes.push_back(
      {.name = std::string{kNetworkIndex},
       .values = [](json::View node, const std::function<void(std::string_view)>& add) {
         if (kube::being_deleted(node)) return;
         add(fmt::format("{}/{}", kube::namespace_of(node), name_of_network(node.get("spec"))));
       }});
  return watch;
}

// Only that they are there and of which version: what is in a Secret is the pods' to know.
runtime::Watch secrets() {
  runtime::Watch watch;
  watch.role = runtime::WatchRole::Mapped;
  watch.named_by = kSecretIndex;
  watch.collection.resource = resource_of(kinds::kSecret);
  watch.collection.metadata_only = true;
  return watch;
}

}  // namespace

std::string_view name_of_network(json::View spec) {
  const auto network = spec.get("network").as_string();
  const bool named = network != "custom" && !spec.contains("passphraseSecretRef") &&
                     !spec.contains("customNetworkPassphrase");
  return named ? network : kUnnamed;
}

std::span<const ChildKind* const> child_kinds() {
  return kChildKinds;
}

std::vector<runtime::Watch> watches() {
  std::vector<runtime::Watch> all{nodes()};
  for (const auto* kind : kChildKinds) all.push_back(owned(*kind));
  all.push_back(owned(kinds::kClaim));
  all.push_back(pods());
  all.push_back(refusals());
  all.push_back(secrets());
  return all;
}

}  // namespace fixpoint::operators::stellar
