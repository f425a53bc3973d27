// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/warnings.h"

#include "kinds/validation/network/ip_warnings.h"
#include "kinds/validation/pods/pod_warnings.h"
#include "kinds/validation/pods/volume_warnings.h"
#include "kube/errors/field_error.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"
#include "kube/meta/names.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::View;
using kube::FieldPath;

void warn_of_name(View object, std::string_view used_in, Warnings& warnings) {
  const auto problems = kube::dns1123_label_problems(kube::name_of(object));
  if (problems.empty()) return;
  warnings.push_back(fmt::format(
      "metadata.name: this is used in {}, which can result in surprising behavior; a DNS "
      "label is recommended: [{}]",
      used_in, kube::joined(problems, " ")));
}

void warn_of_template(View owner_spec, Warnings& warnings) {
  const FieldPath spec{"spec"};
  const FieldPath place = spec.child("template");
  const View made = owner_spec.get("template");
  warn_of_pod({.spec = made.get("spec"), .metadata = made.get("metadata"), .place = &place},
              warnings);
}

constexpr std::string_view kStorageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void warn_of_storage_class(View object, Warnings& warnings) {
  if (!kube::annotations_of(object).contains(kStorageClassAnnotation)) return;
  warnings.push_back(
      fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" "
                  "attribute instead",
                  kStorageClassAnnotation));
}

}  // namespace

void warn(Warnings& warnings, const FieldPath& path, std::string_view text) {
  warnings.push_back(fmt::format("{}: {}", path.to_string(), text));
}

Warnings pod_warnings(View object) {
  Warnings warnings;
  warn_of_name(object, "the Pod's hostname", warnings);
  warn_of_pod({.spec = object.get("spec"), .metadata = object.get("metadata")}, warnings);
  return warnings;
}

Warnings pod_status_warnings(View object) {
  Warnings warnings;
  const FieldPath status{"status"};
  for (const std::string_view list : {"podIPs", "hostIPs"}) {
    warn_of_ips(object.get("status", list), status.child(list), warnings);
  }
  return warnings;
}

Warnings balancer_status_warnings(View object) {
  Warnings warnings;
  const FieldPath status{"status"};
  const FieldPath balancer = status.child("loadBalancer");
  const FieldPath path = balancer.child("ingress");
  const View ingress = object.get("status", "loadBalancer", "ingress");
  for (std::size_t i = 0; i < ingress.size(); ++i) {
    warn_of_ip(ingress[i].get("ip").as_string(), path.index(i), warnings);
  }
  return warnings;
}

Warnings named_workload_warnings(View object) {
  Warnings warnings;
  warn_of_name(object, "Pod names and hostnames", warnings);
  warn_of_template(object.get("spec"), warnings);
  return warnings;
}

// A real server looks at the old template when there is a new one.
Warnings replication_controller_update_warnings(View object, View old_object) {
  Warnings warnings;
  if (kube::generation_of(object) != kube::generation_of(old_object)) {
    warn_of_template(old_object.get("spec"), warnings);
  }
  return warnings;
}

Warnings daemon_set_warnings(View object) {
  Warnings warnings;
  warn_of_template(object.get("spec"), warnings);
  return warnings;
}

Warnings stateful_set_warnings(View object) {
  Warnings warnings;
  warn_of_template(object.get("spec"), warnings);
  if (object.get("spec", "revisionHistoryLimit").as_int() < 0) {
    warnings.push_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 is "
        "recommended");
  }
  return warnings;
}

Warnings cron_job_warnings(View object) {
  Warnings warnings;
  warn_of_name(object, "Pod names and hostnames", warnings);
  const FieldPath spec{"spec"};
  const FieldPath job_template = spec.child("jobTemplate");
  const FieldPath job = job_template.child("spec");
  const FieldPath place = job.child("template");
  const View made = object.get("spec", "jobTemplate", "spec").get("template");
  warn_of_pod({.spec = made.get("spec"), .metadata = made.get("metadata"), .place = &place},
              warnings);
  return warnings;
}

Warnings pod_template_warnings(View object) {
  Warnings warnings;
  const FieldPath place{"template"};
  const View made = object.get("template");
  warn_of_pod({.spec = made.get("spec"), .metadata = made.get("metadata"), .place = &place},
              warnings);
  return warnings;
}

Warnings ingress_warnings(View object) {
  if (!kube::annotations_of(object).contains("kubernetes.io/ingress.class")) return {};
  if (!object.get("spec", "ingressClassName").is_null()) return {};
  return {
      "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
      "'spec.ingressClassName' "
      "instead"};
}

namespace {

// Controllers write no odd addresses.
bool written_by(View object, std::initializer_list<std::string_view> controllers,
                std::string_view label) {
  const auto name = kube::labels_of(object).get(label).as_string();
  return std::ranges::find(controllers, name) != controllers.end();
}

Warnings slice_address_warnings(View object) {
  if (written_by(object,
                 {"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"},
                 "endpointslice.kubernetes.io/managed-by")) {
    return {};
  }
  Warnings warnings;
  const FieldPath path{"endpoints"};
  const View endpoints = object.get("endpoints");
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const FieldPath here = path.index(i);
    const FieldPath list = here.child("addresses");
    const View addresses = endpoints[i].get("addresses");
    for (std::size_t j = 0; j < addresses.size(); ++j) {
      warn_of_ip(addresses[j].as_string(), list.index(j), warnings);
    }
  }
  return warnings;
}

void warn_of_peers(View rules, std::string_view peers, const FieldPath& path, Warnings& warnings) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath rule = path.index(i);
    const FieldPath list = rule.child(peers);
    const View all = rules[i].get(peers);
    for (std::size_t j = 0; j < all.size(); ++j) {
      const View block = all[j].get("ipBlock");
      if (block.is_null()) continue;
      const FieldPath peer = list.index(j);
      const FieldPath here = peer.child("ipBlock");
      warn_of_cidr(block.get("cidr").as_string(), here.child("cidr"), warnings);
      const FieldPath except_path = here.child("except");
      const View except = block.get("except");
      for (std::size_t k = 0; k < except.size(); ++k) {
        warn_of_cidr(except[k].as_string(), except_path.index(k), warnings);
      }
    }
  }
}

}  // namespace

Warnings endpoint_slice_warnings(View object) {
  Warnings warnings;
  if (object.get("addressType").as_string() == "FQDN") {
    warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
  }
  std::ranges::move(slice_address_warnings(object), std::back_inserter(warnings));
  return warnings;
}

Warnings endpoint_slice_update_warnings(View object, View) {
  return slice_address_warnings(object);
}

Warnings endpoints_warnings(View object) {
  if (written_by(object, {"endpoint-controller"}, "endpoints.kubernetes.io/managed-by")) return {};
  Warnings warnings;
  const FieldPath path{"subsets"};
  const View subsets = object.get("subsets");
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    const FieldPath subset = path.index(i);
    for (const std::string_view name : {"addresses", "notReadyAddresses"}) {
      warn_of_ips(subsets[i].get(name), subset.child(name), warnings);
    }
  }
  return warnings;
}

Warnings network_policy_warnings(View object) {
  Warnings warnings;
  const FieldPath spec{"spec"};
  warn_of_peers(object.get("spec", "ingress"), "from", spec.child("ingress"), warnings);
  warn_of_peers(object.get("spec", "egress"), "to", spec.child("egress"), warnings);
  return warnings;
}

Warnings runtime_class_warnings(View object) {
  Warnings warnings;
  for (const auto [key, value] : object.get("scheduling", "nodeSelector").members()) {
    if (const auto text = deprecated_label(key)) {
      warnings.push_back("scheduling.nodeSelector: " + *text);
    }
  }
  return warnings;
}

Warnings storage_class_warnings(View object) {
  Warnings warnings;
  const FieldPath path{"allowedTopologies"};
  const View topologies = object.get("allowedTopologies");
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const FieldPath topology = path.index(i);
    const FieldPath list = topology.child("matchLabelExpressions");
    const View expressions = topologies[i].get("matchLabelExpressions");
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const FieldPath here = list.index(j);
      const auto text = deprecated_label(expressions[j].get("key").as_string());
      if (text) warn(warnings, here.child("key"), *text);
    }
  }
  return warnings;
}

Warnings storage_capacity_warnings(View object) {
  Warnings warnings;
  const FieldPath path{"nodeTopology"};
  const View topology = object.get("nodeTopology");
  warn_of_node_term(topology, TermValues::Unchecked, path, warnings);
  const FieldPath labels = path.child("matchLabels");
  for (const auto [key, value] : topology.get("matchLabels").members()) {
    if (const auto text = deprecated_label(key)) warn(warnings, labels.child(key), *text);
  }
  return warnings;
}

Warnings no_update_warnings(View, View) {
  return {};
}

namespace {

void warn_of_headless(View spec, Warnings& warnings) {
  if (spec.get("clusterIP").as_string() != "None") return;
  if (!spec.get("loadBalancerIP").as_string().empty()) {
    warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
  }
  if (!spec.get("externalIPs").empty()) {
    warnings.emplace_back("spec.externalIPs is ignored for headless services");
  }
  if (spec.get("sessionAffinity").as_string() == "ClientIP") {
    warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
  }
}

}  // namespace

Warnings service_warnings(View object) {
  Warnings warnings;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
  if (kube::annotations_of(object).contains(kHints)) {
    warnings.push_back(
        fmt::format("annotation {} is deprecated, please use "
                    "service.kubernetes.io/topology-mode instead",
                    kHints));
  }
  const auto tell = [&](std::string_view list, auto how) {
    const FieldPath list_path = path.child(list);
    const View all = spec.get(list);
    for (std::size_t i = 0; i < all.size(); ++i) {
      how(all[i].as_string(), list_path.index(i), warnings);
    }
  };
  const auto ip = spec.get("clusterIP").as_string();
  if (!ip.empty() && ip != "None") tell("clusterIPs", warn_of_ip);
  warn_of_headless(spec, warnings);
  tell("externalIPs", warn_of_ip);
  warn_of_ip(spec.get("loadBalancerIP").as_string(), path.child("loadBalancerIP"), warnings);
  tell("loadBalancerSourceRanges", warn_of_cidr);
  const bool named = spec.get("type").as_string() == "ExternalName";
  if (named && !spec.get("externalIPs").empty()) {
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (!named && !spec.get("externalName").as_string().empty()) {
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  return warnings;
}

Warnings persistent_volume_warnings(View object) {
  Warnings warnings;
  warn_of_storage_class(object, warnings);
  if (object.get("spec", "persistentVolumeReclaimPolicy").as_string() == "Recycle") {
    warnings.push_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
        "the "
        "recommended approach is to use dynamic provisioning.");
  }
  const FieldPath spec{"spec"};
  const FieldPath affinity = spec.child("nodeAffinity");
  const FieldPath required = affinity.child("required");
  const FieldPath path = required.child("nodeSelectorTerms");
  const View terms = object.get("spec", "nodeAffinity", "required").get("nodeSelectorTerms");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    warn_of_node_term(terms[i], TermValues::Unchecked, path.index(i), warnings);
  }
  warn_of_old_sources(object.get("spec"), spec, warnings);
  return warnings;
}

Warnings persistent_volume_claim_warnings(View object) {
  Warnings warnings;
  warn_of_storage_class(object, warnings);
  warn_of_claim(object.get("spec"), FieldPath{"spec"}, warnings);
  return warnings;
}

Warnings node_warnings(View object) {
  Warnings warnings;
  if (!object.get("spec", "configSource").is_null()) {
    warnings.emplace_back("spec.configSource: the feature is removed");
  }
  if (!object.get("spec", "externalID").as_string().empty()) {
    warnings.push_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("podCIDRs");
  const View blocks = object.get("spec", "podCIDRs");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    warn_of_cidr(blocks[i].as_string(), path.index(i), warnings);
  }
  return warnings;
}

Warnings service_account_update_warnings(View object, View old_object) {
  // Only who sets it anew is told.
  if (!service_account_warnings(old_object).empty()) return {};
  return service_account_warnings(object);
}

Warnings service_account_warnings(View object) {
  constexpr std::string_view kEnforce = "kubernetes.io/enforce-mountable-secrets";
  if (!kube::annotations_of(object).contains(kEnforce)) return {};
  return {
      fmt::format("metadata.annotations[{}]: deprecated in v1.32+; prefer separate namespaces to "
                  "isolate access to "
                  "mounted secrets",
                  kEnforce)};
}

}  // namespace fixpoint::kinds
