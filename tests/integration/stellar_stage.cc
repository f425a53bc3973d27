// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/stellar_stage.h"

#include "base/file.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/shipped_program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

const std::string kSecrets = "/api/v1/namespaces/default/secrets";
const std::string kPolicies = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
// Of a key that secures nothing.
constexpr std::string_view kSeed = "SBI3CZU7XZEWVXU7OZLW5MMUQAP334JFOPXSLTPOH43IRTEQ2QYXU5RG";

struct MeshKind {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
};
constexpr std::array<MeshKind, 7> kMeshKinds{
    MeshKind{"security.istio.io",     "v1beta1", "PeerAuthentication",    "peerauthentications"   },
    MeshKind{"security.istio.io",     "v1beta1", "RequestAuthentication", "requestauthentications"},
    MeshKind{"networking.istio.io",   "v1beta1", "DestinationRule",       "destinationrules"      },
    MeshKind{"networking.istio.io",   "v1beta1", "VirtualService",        "virtualservices"       },
    MeshKind{"policy.linkerd.io",     "v1beta1", "Server",                "servers"               },
    MeshKind{"policy.linkerd.io",     "v1beta1", "ServerAuthorization",   "serverauthorizations"  },
    MeshKind{"monitoring.coreos.com", "v1",      "ServiceMonitor",        "servicemonitors"       },
};

std::string running_status(std::string_view address) {
  return fmt::format(R"({{"status":{{"phase":"Running","podIP":"{0}","podIPs":[{{"ip":"{0}"}}],
                     "conditions":[{{"type":"Ready","status":"True"}}]}}}})",
                     address);
}

// Without what a server or its controllers add, and what is different in every cluster.
json::Value comparable(json::View object) {
  json::Draft draft = json::Draft::object();
  const auto metadata = object.get("metadata");
  draft.object_at("metadata")["name"] = metadata.get("name");
  draft.object_at("metadata")["labels"] = metadata.get("labels");
  auto& marks = draft.object_at("metadata").object_at("annotations");
  for (const auto [key, value] : metadata.get("annotations").members()) {
    if (key.starts_with("stellar.org/")) marks[key] = value;
  }
  json::Draft owners(metadata.get("ownerReferences"));
  if (owners.is_array()) {
    for (auto& owner : owners.elements()) owner.erase("uid");
    draft.object_at("metadata")["ownerReferences"] = std::move(owners);
  }
  if (!object.get("data").is_null()) draft["data"] = object.get("data");
  json::Draft spec(object.get("spec"));
  if (spec.is_object()) {
    for (const std::string_view key :
         {"clusterIP", "clusterIPs", "volumeName", "storageClassName"}) {
      spec.erase(key);
    }
    // Of the Secret as this cluster has it.
    if (auto* marks_of_pods = spec.find("template", "metadata", "annotations")) {
      marks_of_pods->erase("stellar.org/secrets-hash");
    }
    draft["spec"] = std::move(spec);
  }
  return draft.freeze();
}

}  // namespace

void StellarStage::install_stellar() const {
  const std::string binary = shipped_program();
  const auto file = scratch() / "crd.yaml";
  ASSERT_EQ(std::system(
                (binary + " manifests --operators stellar --only crds > " + file.string()).c_str()),
            0);
  const auto text = read_file(file);
  ASSERT_TRUE(text.has_value());
  const auto made = cluster().request("POST", kDefinitions, *text,
                                      {
                                          {"content-type", "application/yaml"}
  });
  ASSERT_TRUE(made.has_value());
  ASSERT_TRUE(made->status == 201 || made->status == 409) << made->body;
  ASSERT_TRUE(eventually([&] { return call("GET", kNodes).status == 200; }));
  call("POST", kSecrets,
       fmt::format(R"({{"metadata":{{"name":"seed"}},"stringData":{{"STELLAR_CORE_SEED":"{}"}}}})",
                   kSeed));
}

void StellarStage::make(std::string_view name, std::string_view more) const {
  const auto made = call("POST", kNodes,
                         fmt::format(R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
             "metadata":{{"name":"{}"}},"spec":{{"nodeType":"Validator","network":"testnet",
             "version":"22.1.0","podAntiAffinity":"Disabled","storage":{{"size":"1Gi"}},
             "resources":{{"requests":{{"cpu":"10m","memory":"16Mi"}}}},
             "validatorConfig":{{"seedSecretRef":"seed"}}{}}}}})",
                                     name, more));
  EXPECT_EQ(made.status, 201) << made.body;
}

bool StellarStage::gone(std::string_view name) const {
  const std::string suffix = "/" + std::string{name};
  return call("GET", kNodes + suffix).status == 404 && call("GET", kSets + suffix).status == 404 &&
         call("GET", kServices + suffix).status == 404 &&
         call("GET", kConfigMaps + suffix + "-config").status == 404;
}

std::unique_ptr<RunningOperator> StellarStage::run_stellar(const std::string& name,
                                                           std::vector<std::string> flags) const {
  return run({.kubeconfig = cluster().kubeconfig,
              .log = scratch() / (name + ".log"),
              .operators = "stellar",
              .flags = std::move(flags)});
}

std::unique_ptr<RunningOperator> StellarStage::run_stellar(const std::string& name,
                                                           const Meddler& wire,
                                                           std::vector<std::string> flags) const {
  return run({.kubeconfig = wire.kubeconfig(),
              .log = scratch() / (name + ".log"),
              .operators = "stellar",
              .flags = std::move(flags)});
}

void StellarStage::install_mesh() const {
  for (const auto& kind : kMeshKinds) install_kind(kind.plural);
}

void StellarStage::install_kind(std::string_view plural) const {
  const auto kind = *std::ranges::find(kMeshKinds, plural, &MeshKind::plural);
  std::string singular{kind.kind};
  std::ranges::transform(singular, singular.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  const auto made = call(
      "POST", kDefinitions,
      fmt::format(R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{{"name":"{0}.{1}"}},"spec":{{"group":"{1}","scope":"Namespaced",
      "names":{{"plural":"{0}","singular":"{2}","kind":"{3}","listKind":"{3}List"}},
      "versions":[{{"name":"{4}","served":true,"storage":true,"schema":{{"openAPIV3Schema":
      {{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}]}}}})",
                  kind.plural, kind.group, singular, kind.kind, kind.version));
  EXPECT_TRUE(made.status == 201 || made.status == 409) << made.body;
  ASSERT_TRUE(eventually([&] { return call("GET", mesh_path(plural)).status == 200; }));
}

void StellarStage::remove_kind(std::string_view plural) const {
  const auto kind = *std::ranges::find(kMeshKinds, plural, &MeshKind::plural);
  const auto path = fmt::format("{}/{}.{}", kDefinitions, kind.plural, kind.group);
  EXPECT_EQ(call("DELETE", path).status, 200);
  ASSERT_TRUE(eventually([&] { return call("GET", path).status == 404; }));
}

std::string StellarStage::mesh_path(std::string_view plural) {
  const auto kind = *std::ranges::find(kMeshKinds, plural, &MeshKind::plural);
  return fmt::format("/apis/{}/{}/namespaces/default/{}", kind.group, kind.version, kind.plural);
}

void StellarStage::look(std::string_view name) const {
  static std::atomic<int> looks = 0;
  const auto seen =
      call("PATCH", fmt::format("{}/{}", kNodes, name),
           fmt::format(R"({{"metadata":{{"annotations":{{"look":"{}"}}}}}})", ++looks));
  EXPECT_EQ(seen.status, 200) << seen.body;
}

void StellarStage::start_pods(std::string_view name, std::string_view address) const {
  const auto pods =
      cluster().get(fmt::format("{}?labelSelector=app.kubernetes.io%2Finstance%3D{}", kPods, name));
  for (const auto pod : pods.get("items").elements()) {
    if (!pod.get("status", "podIP").as_string().empty()) continue;
    // It may be replaced at this very moment.
    call("PATCH", fmt::format("{}/{}/status", kPods, pod.get("metadata", "name").as_string()),
         running_status(address));
  }
}

void StellarStage::start_pod(std::string_view name, std::string_view address) const {
  const auto pod = fmt::format("{}/{}-0", kPods, name);
  ASSERT_TRUE(eventually([&] { return call("GET", pod).status == 200; })) << status(name);
  const auto patched = call("PATCH", pod + "/status", running_status(address));
  EXPECT_EQ(patched.status, 200) << patched.body;
}

std::string StellarStage::picture(std::string_view name) const {
  std::string text;
  for (const auto& collection : {kConfigMaps, kServices, kClaims, kPolicies, kSets}) {
    const auto list = cluster().get(
        fmt::format("{}?labelSelector=app.kubernetes.io%2Finstance%3D{}", collection, name));
    for (const auto object : list.get("items").elements()) {
      const auto one = comparable(object);
      text += json::to_text(one) + "\n";
    }
  }
  return text;
}

}  // namespace fixpoint
