// SPDX-License-Identifier: Apache-2.0
//
// StellarFixture: the operator, pass by pass, on the API server that ships. Pods, their readiness
// and what the programs answer are the test's to say.
#pragma once

#include "json/print.h"
#include "kube/meta/metadata.h"
#include "operators/stellar/health/health.h"
#include "operators/stellar/observe.h"
#include "operators/stellar/stellar.h"
#include "runtime/controller/pass_fixture.h"
#include "runtime/typed.h"

#include <cctype>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::operators::stellar {

inline constexpr std::string_view kValidatorSpec = R"({"nodeType":"Validator","network":"testnet",
  "version":"22.1.0","storage":{"size":"10Gi"},"validatorConfig":{"seedSecretRef":"seed"}})";
inline constexpr std::string_view kHorizonSpec = R"({"nodeType":"Horizon","network":"testnet",
  "version":"22.1.0","replicas":2,"horizonConfig":{"databaseSecretRef":"seed",
  "stellarCoreUrl":"http://core:11626"}})";
inline constexpr std::string_view kIstioSpec = R"({"nodeType":"Validator","network":"testnet",
  "version":"22.1.0","validatorConfig":{"seedSecretRef":"seed"},
  "serviceMesh":{"istio":{"circuitBreaker":{}}}})";

// The text with each %, in order, replaced.
inline std::string filled(std::string_view text, std::initializer_list<std::string> values) {
  std::string made;
  auto value = values.begin();
  for (const char character : text) {
    if (character == '%' && value != values.end()) {
      made += *value++;
    } else {
      made += character;
    }
  }
  return made;
}

class StellarFixture : public runtime::PassFixture {
 protected:
  StellarFixture() {
    settings_.reconciler = &reconciler_;
    settings_.field_manager = "stellar-operator";
    install(types::crd(runtime::kind_of<Author>()));
    for (const auto& watch : reconciler_.declaration().watches) {
      if (!watch.optional) follow(watch);
    }
    world_.create("", "v1", "secrets", "ns",
                  R"({"metadata":{"name":"seed"},"stringData":{"STELLAR_CORE_SEED":"S"}})");
    on_probe_ = [this](const runtime::Probe&) -> Result<json::Value> { return health.to_json(); };
    health.verdict = Verdict::Healthy;
    health.reason = "Synced";
    health.message = "ledger 5000, 3 seconds old";
    health.ledger = 5000;
    health.age_seconds = 3;
  }

  void follow(const runtime::Watch& watch) {
    const auto& resource = watch.collection.resource;
    if (!world_.contents.contains(resource.kind)) world_.follow(resource, watch.indexes);
  }
  static client::Resource resource_of(const ChildKind& kind) {
    return runtime::Typed<Author>{}.declaration().find(kind.gvk())->collection.resource;
  }
  // As if it was served: there are no controllers here that would say so.
  void install(const json::Value& definition) {
    world_.create("apiextensions.k8s.io", "v1", "customresourcedefinitions", "",
                  json::to_text(definition));
    json::Draft status = json::Draft::object();
    const auto versions = definition.get("spec", "versions");
    const auto condition = [](std::string_view type) {
      return runtime::object({
          {"type",               type                  },
          {"status",             "True"                },
          {"reason",             "Accepted"            },
          {"message",            ""                    },
          {"lastTransitionTime", "2026-01-01T00:00:00Z"}
      });
    };
    status["status"] = runtime::object({
        {"acceptedNames", definition.get("spec", "names")},
        {"storedVersions", runtime::list({versions[0].get("name")})},
        {"conditions", runtime::list({condition("NamesAccepted"), condition("Established")})}
    });
    const auto patch = status.freeze();
    world_.patch(runtime::builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
                 definition.get("metadata", "name").as_string(), json::to_text(patch), "status");
  }
  // The definition as an operator without rules would have installed it.
  void drop_rules() {
    const auto definitions =
        runtime::builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const auto live = world_.get(definitions, "stellarnodes.stellar.org");
    json::Draft bare(live);
    strip(bare);
    const auto reply = world_.call({
        .verb = client::Verb::Update,
        .resource = definitions,
        .key = {"", "stellarnodes.stellar.org"},
        .body = bare.freeze()
    });
    ASSERT_TRUE(reply.has_value()) << reply.error().status.message;
  }
  static void strip(json::Draft& draft) {
    if (draft.is_object()) {
      draft.erase("x-kubernetes-validations");
      for (auto& [key, value] : draft.members()) strip(value);
    } else if (draft.is_array()) {
      for (auto& element : draft.elements()) strip(element);
    }
  }
  // A mesh's kinds, all or all but one, without any schema.
  void install_mesh(const ChildKind* except = nullptr) {
    for (const auto* kind : child_kinds()) {
      if (kind->plural.empty() || kind == except) continue;
      const auto gvk = kind->gvk();
      const std::string plural{kind->plural};
      const auto definition = json::parse(
          filled(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"%.%"},"spec":{"group":"%","scope":"Namespaced",
          "names":{"plural":"%","singular":"%","kind":"%","listKind":"%List"},
          "versions":[{"name":"%","served":true,"storage":true,"schema":{"openAPIV3Schema":
          {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})",
                 {plural, gvk.group, gvk.group, plural, lower(gvk.kind), gvk.kind, gvk.kind,
                  gvk.version}));
      install(*definition);
      follow(*reconciler_.declaration().find(gvk));
    }
  }
  static std::string lower(std::string text) {
    for (auto& character : text) character = static_cast<char>(std::tolower(character));
    return text;
  }

  void make(std::string_view name, std::string_view spec) {
    world_.create("stellar.org", "v1alpha1", "stellarnodes", "ns",
                  filled(R"({"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
                  "metadata":{"name":"%"},"spec":%})",
                         {std::string{name}, std::string{spec}}));
  }
  void edit(std::string_view name, std::string_view patch) { world_.patch(nodes_, name, patch); }
  json::Value node(std::string_view name = "alice") { return world_.get(nodes_, name); }
  std::string phase(std::string_view name = "alice") {
    return world_.text(nodes_, name, "status", "phase");
  }
  // "True SomeReason", "" when it is not there.
  std::string condition(std::string_view type, std::string_view name = "alice") {
    const auto object = node(name);
    const auto found = kube::condition_of(object, type);
    if (found.is_null()) return "";
    return filled("% %", {std::string{found.get("status").as_string()},
                          std::string{found.get("reason").as_string()}});
  }
  std::string told(std::string_view type, std::string_view name = "alice") {
    const auto object = node(name);
    return std::string{kube::condition_of(object, type).get("message").as_string()};
  }
  json::Value child(const ChildKind& kind, std::string_view name) {
    return world_.get(resource_of(kind), name);
  }
  bool has(const ChildKind& kind, std::string_view name) { return !child(kind, name).is_null(); }

  // Of the spec that the child was made from.
  std::string generation_of(const ChildKind& kind, std::string_view name) {
    return world_.text(resource_of(kind), name, "metadata", "annotations", kGenerationAnnotation);
  }

  static bool is_write(const client::Call& call) { return call.verb != client::Verb::Get; }
  std::vector<json::Value> all(const ChildKind& kind) {
    return world_.list({.collection = {.resource = resource_of(kind)}})->items;
  }
  // What a node's life left, without what differs from run to run.
  std::string picture() {
    std::string text;
    for (const auto* kind : child_kinds()) {
      if (!world_.contents.contains(kind->gvk())) continue;
      for (const auto& object : all(*kind)) {
        json::Draft spec(object.get("spec"));
        spec.erase("clusterIP");
        spec.erase("clusterIPs");
        const auto shown = spec.freeze();
        text += filled("%/% %\n", {std::string{kind->kind}, std::string{kube::name_of(object)},
                                   json::to_text(shown)});
      }
    }
    return text + phase();
  }
  std::vector<std::string> owned_names() {
    std::vector<std::string> names;
    for (const auto* kind : child_kinds()) {
      if (!world_.contents.contains(kind->gvk())) continue;
      for (const auto& object : all(*kind)) {
        names.push_back(std::string{kind->kind} + "/" + std::string{kube::name_of(object)});
      }
    }
    return names;
  }
  void delete_node(std::string_view name = "alice") { world_.remove(nodes_, name); }
  void finish_deletion(std::string_view name = "alice") {
    for (int pass = 0; pass < 12 && !node(name).is_null(); ++pass) {
      world_.sync();
      release_claim(name);
      world_.sync();
      (void)run(name);
    }
  }
  // What volumes' controllers would do once no pod uses the claim.
  void release_claim(std::string_view name) {
    const auto claim = child(kinds::kClaim, std::string{name} + "-data");
    if (claim.is_null() || !kube::being_deleted(claim)) return;
    world_.patch(resource_of(kinds::kClaim), kube::name_of(claim),
                 R"({"metadata":{"finalizers":null}})");
  }

  // Passes until one writes nothing; the watch goes on between them.
  runtime::PassEnd settle(std::string_view name = "alice", int passes_max = 20) {
    runtime::PassEnd end;
    for (int pass = 0; pass < passes_max; ++pass) {
      world_.sync();
      end = run(name);
      if (end.writes == 0 && end.requeue_after != Duration::zero()) return end;
    }
    ADD_FAILURE() << "did not settle: " << end.failure.reason << " " << end.failure.message;
    return end;
  }
  // The workload's pods run and are ready, as its controllers and a kubelet would say.
  void start_pods(std::string_view name = "alice", bool ready = true) {
    const auto& kind = has(kinds::kStatefulSet, name) ? kinds::kStatefulSet : kinds::kDeployment;
    const auto workload = child(kind, name);
    const auto count = workload.get("spec", "replicas").as_int();
    world_.patch(resource_of(kind), name,
                 filled(R"({"status":{"observedGeneration":%,"replicas":%,"readyReplicas":%,
                 "updatedReplicas":%}})",
                        {std::to_string(kube::generation_of(workload)), std::to_string(count),
                         std::to_string(ready ? count : 0), std::to_string(count)}),
                 "status");
    const auto pod_name = std::string{name} + "-0";
    if (!has(kinds::kPod, pod_name)) {
      world_.create("", "v1", "pods", "ns",
                    filled(R"({"metadata":{"name":"%","labels":{
                    "app.kubernetes.io/name":"stellar-node","app.kubernetes.io/instance":"%"}},
                    "spec":{"containers":[{"name":"c","image":"i"}]}})",
                           {pod_name, std::string{name}}));
    }
    world_.patch(resource_of(kinds::kPod), pod_name,
                 filled(R"({"status":{"phase":"Running","podIP":"127.1.0.1","conditions":[
                 {"type":"Ready","status":"%"}]}})",
                        {ready ? "True" : "False"}),
                 "status");
  }
  // Makes a node and brings it to Running.
  void bring_up(std::string_view name, std::string_view spec) {
    make(name, spec);
    settle(name);
    start_pods(name);
    settle(name);
    ASSERT_EQ(phase(name), "Running") << told("Ready", name);
  }
  // Reasons of the events said in a pass.
  static std::vector<std::string> reasons(const runtime::PassEnd& end) {
    std::vector<std::string> all;
    for (const auto& event : end.events) all.push_back(event.reason);
    return all;
  }

  runtime::Typed<Author> reconciler_;
  client::Resource nodes_ = runtime::resource_of(runtime::kind_of<Author>());
  Health health;  // what every probe answers
};

}  // namespace fixpoint::operators::stellar
