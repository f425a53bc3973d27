// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/picture.h"

#include "kube/meta/metadata.h"
#include "operators/stellar/check.h"
#include "operators/stellar/observe.h"
#include "operators/stellar/stellar.h"
#include "runtime/ownership.h"
#include "types/decode.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace fixpoint::trials::stellar {

using namespace operators::stellar;
namespace kinds = operators::stellar::kinds;

const client::Resource& nodes() {
  static const auto kNodes = runtime::resource_of(runtime::kind_of<Author>());
  return kNodes;
}

const std::vector<const ChildKind*>& all_kinds() {
  static const auto kKinds = [] {
    const auto declared = child_kinds();
    std::vector<const ChildKind*> all(declared.begin(), declared.end());
    all.push_back(&kinds::kClaim);
    return all;
  }();
  return kKinds;
}

const client::Resource& resource_of(const ChildKind& kind) {
  static const auto kResources = [] {
    std::map<const ChildKind*, client::Resource> made;
    for (const auto& watch : watches()) {
      for (const auto* one : all_kinds()) {
        if (watch.collection.resource.kind == one->gvk()) made[one] = watch.collection.resource;
      }
    }
    return made;
  }();
  return kResources.at(&kind);
}

bool is_mesh(const ChildKind& kind) {
  return kind.api_version.find("istio.io") != std::string_view::npos ||
         kind.api_version.find("linkerd.io") != std::string_view::npos;
}

json::View node_of(const Look& look, std::string_view name) {
  return look.get(nodes(), key(name));
}

bool is_alive(json::View node) {
  return !node.is_null() && !kube::being_deleted(node);
}

bool is_leaving(json::View node) {
  return !node.is_null() && kube::being_deleted(node);
}

namespace {

bool has_claim(json::View spec) {
  const auto type = spec.get("nodeType").as_string();
  if (type == "Validator") return true;
  const bool several = spec.get("replicas").as_int(1) > 1 || spec.contains("autoscaling");
  return !several &&
         (type == "SorobanRpc" || spec.get("horizonConfig", "enableIngest").as_bool(true));
}

bool is_validator(json::View spec) {
  return spec.get("nodeType").as_string() == "Validator";
}

const ChildKind& workload_kind_of(json::View spec) {
  return is_validator(spec) ? kinds::kStatefulSet : kinds::kDeployment;
}

std::vector<std::pair<const ChildKind*, std::string_view>> mesh_of(json::View spec) {
  const auto mesh = spec.get("serviceMesh");
  if (mesh.contains("istio")) {
    std::vector<std::pair<const ChildKind*, std::string_view>> made{
        {&kinds::kPeerAuthentication, "-peer-auth"},
        {&kinds::kDestinationRule,    "-dest-rule"}
    };
    if (!is_validator(spec)) made.emplace_back(&kinds::kVirtualService, "-virtual-svc");
    return made;
  }
  if (mesh.get("linkerd", "policyMode").as_string() == "deny") {
    return {
        {&kinds::kServer,              "-server"},
        {&kinds::kServerAuthorization, "-auth"  }
    };
  }
  return {};
}

}  // namespace

bool keeps_claim(json::View node) {
  return node.get("spec", "storage", "retentionPolicy").as_string() == "Retain";
}

std::vector<Wanted> wanted_by(json::View node, const std::vector<std::string>& absent) {
  const auto spec = node.get("spec");
  const std::string name{kube::name_of(node)};
  std::vector<Wanted> all;
  const auto want = [&](const ChildKind& kind, std::string_view suffix) {
    const auto& resource = resource_of(kind);
    if (std::ranges::count(absent, resource.plural + "." + resource.kind.group) > 0) return;
    all.push_back({&kind, key(name + std::string{suffix})});
  };
  want(kinds::kConfigMap, "-config");
  want(kinds::kService, "-headless");
  want(kinds::kService, "");
  if (has_claim(spec)) want(kinds::kClaim, "-data");
  if (is_validator(spec) && spec.get("networkPolicy", "enabled").as_bool(true)) {
    want(kinds::kNetworkPolicy, "-netpol");
  }
  want(workload_kind_of(spec), "");
  if (!is_validator(spec)) {
    if (spec.get("replicas").as_int(1) > 1) want(kinds::kDisruptionBudget, "");
    want(kinds::kServiceMonitor, "-service-monitor");
  }
  if (spec.get("alerting").as_bool()) want(kinds::kConfigMap, "-alerts");
  for (const auto& [kind, suffix] : mesh_of(spec)) want(*kind, suffix);
  return all;
}

std::vector<json::View> owned_by(const Look& look, std::string_view uid) {
  std::vector<json::View> owned;
  for (const auto* kind : all_kinds()) {
    for (const auto object : look.list(resource_of(*kind))) {
      if (runtime::owner_uid_of(object) == uid) owned.push_back(object);
    }
  }
  return owned;
}

json::View workload_of(const Look& look, json::View node) {
  const auto found =
      look.get(resource_of(workload_kind_of(node.get("spec"))), key(kube::name_of(node)));
  return runtime::owner_uid_of(found) == kube::uid_of(node) ? found : json::View{};
}

std::int64_t made_from(json::View child) {
  const auto text = kube::annotation_of(child, kGenerationAnnotation);
  std::int64_t generation = 0;
  std::from_chars(text.data(), text.data() + text.size(), generation);
  return generation;
}

bool is_current(const Look& look, json::View node, const Wanted& wanted) {
  const auto child = look.get(resource_of(*wanted.kind), wanted.key);
  if (child.is_null() || made_from(child) != kube::generation_of(node)) return false;
  if (wanted.kind == &kinds::kClaim && keeps_claim(node)) {
    return runtime::owner_uid_of(child).empty();
  }
  return runtime::owner_uid_of(child) == kube::uid_of(node);
}

std::string_view phase_of(json::View node) {
  return node.get("status", "phase").as_string();
}

bool says_running(json::View node) {
  return phase_of(node) == "Running";
}

bool is_observed(json::View node) {
  return node.get("status", "observedGeneration").as_int() == kube::generation_of(node);
}

std::string_view condition(json::View node, std::string_view type) {
  return kube::condition_of(node, type).get("status").as_string();
}

bool is_valid(json::View node) {
  const auto decoded = types::decode<Spec>(node.get("spec"));
  return decoded.ok() && check(decoded.value).empty();
}

}  // namespace fixpoint::trials::stellar
