// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/children/names.h"

#include "base/hash.h"
#include "kube/meta/names.h"

#include <algorithm>
#include <cctype>

namespace fixpoint::operators::stellar {
namespace {

std::string lower(std::string_view text) {
  std::string made{text};
  std::ranges::transform(made, made.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  return made;
}

// The passphrase of a custom network is no label; this hash never changes its algorithm.
std::string network_label(const Spec& spec) {
  if (spec.network != Network::Custom) return std::string{to_string(spec.network)};
  const auto& text = spec.passphrase_secret_ref.empty() ? spec.custom_network_passphrase
                                                        : spec.passphrase_secret_ref;
  return "custom-" + hash128(text).hex().substr(0, 16);
}

}  // namespace

kube::GroupVersionKind ChildKind::gvk() const {
  const auto group_version = kube::parse_group_version(api_version);
  FP_CHECK(group_version.has_value());
  return {group_version->group, group_version->version, std::string{kind}};
}

kube::Key key_of(const Node& node, std::string_view suffix) {
  return {node.key.ns, node.key.name + std::string{suffix}};
}

bool runs_as_stateful_set(const Spec& spec) {
  return spec.node_type == NodeType::Validator;
}

const ChildKind& workload_kind(const Spec& spec) {
  return runs_as_stateful_set(spec) ? kinds::kStatefulSet : kinds::kDeployment;
}

json::Draft selector_labels(const Node& node) {
  return runtime::object({
      {kNameLabel,     kNameValue   },
      {kInstanceLabel, node.key.name}
  });
}

json::Draft labels(const Node& node) {
  auto made = selector_labels(node);
  made["app.kubernetes.io/component"] = lower(to_string(node.spec.node_type));
  made["app.kubernetes.io/managed-by"] = kManagedBy;
  // A digest is no label value, and nobody looks for one.
  const auto tag = node.spec.version.substr(0, node.spec.version.find('@'));
  if (kube::label_value_problems(tag).empty()) made["app.kubernetes.io/version"] = tag;
  made["stellar.org/node-type"] = to_string(node.spec.node_type);
  made["stellar-network"] = network_label(node.spec);
  return made;
}

json::Draft child_draft(const Node& node, const ChildKind& kind, std::string_view suffix) {
  json::Draft made(
      json::Value(runtime::child(key_of(node, suffix), kind.api_version, kind.kind, {})));
  auto& metadata = made.object_at("metadata");
  metadata["labels"] = labels(node);
  metadata.object_at("annotations")[kGenerationAnnotation] = std::to_string(node.generation);
  return made;
}

void add_external_dns(json::Draft& annotations, const ExternalDns& dns) {
  const auto add = [&](std::string_view what, const std::string& value) {
    const auto key = "external-dns.alpha.kubernetes.io/" + std::string{what};
    if (!annotations.contains(key)) annotations[key] = value;
  };
  add("hostname", dns.hostname);
  if (dns.ttl) add("ttl", std::to_string(*dns.ttl));
}

json::Draft strings(const std::map<std::string, std::string>& map) {
  auto made = json::Draft::object();
  for (const auto& [key, value] : map) made[key] = value;
  return made;
}

json::Draft values(const std::vector<json::Value>& list) {
  auto made = json::Draft::array();
  for (const auto& value : list) made.push_back(value);
  return made;
}

}  // namespace fixpoint::operators::stellar
