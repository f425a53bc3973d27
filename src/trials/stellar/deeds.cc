// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/deeds.h"

#include "kube/meta/metadata.h"
#include "runtime/typed.h"
#include "trials/stellar/health_model.h"

#include <utility>

#include <fmt/format.h>

namespace fixpoint::trials::stellar {

using operators::stellar::ChildKind;
using verify::world::Deed;
using verify::world::Stage;
using verify::world::Trouble;

namespace {

const client::Resource kPods = runtime::builtin("v1", "Pod");
const client::Resource kQuotas = runtime::builtin("v1", "ResourceQuota");
const kube::Key kFull{"default", "full"};

kube::Key pod_of(std::string_view name) {
  return key(fmt::format("{}-0", name));
}

// Who has pods to run, as it is there: a StatefulSet or a Deployment.
struct Workload {
  const client::Resource* resource = nullptr;
  json::View object{};
};

Workload workload_named(const Look& look, std::string_view name) {
  for (const auto* kind :
       {&operators::stellar::kinds::kStatefulSet, &operators::stellar::kinds::kDeployment}) {
    const auto& resource = resource_of(*kind);
    if (const auto found = look.get(resource, key(name)); !found.is_null()) {
      return {&resource, found};
    }
  }
  return {};
}

bool pods_are_refused(const Look& look) {
  return look.get(kQuotas, kFull).get("spec", "hard").contains("pods");
}

bool is_settled(json::View workload) {
  const auto status = workload.get("status");
  const auto wanted = workload.get("spec", "replicas").as_int(1);
  return status.get("observedGeneration").as_int() == kube::generation_of(workload) &&
         status.get("readyReplicas").as_int() == wanted &&
         status.get("replicas").as_int() == wanted;
}

bool says_refused(json::View workload) {
  return kube::condition_is_true(workload, "ReplicaFailure");
}

void set_status(Stage& stage, const Workload& workload, std::string_view name, std::int64_t pods,
                std::int64_t ready, bool refused) {
  const std::string_view failure =
      R"([{"type":"ReplicaFailure","status":"True","reason":"FailedCreate",)"
      R"("message":"pods is forbidden: exceeded quota: full"}])";
  stage.patch(*workload.resource, key(name),
              fmt::format(R"({{"status":{{"observedGeneration":{},"replicas":{},)"
                          R"("readyReplicas":{},"updatedReplicas":{},"conditions":{}}}}})",
                          kube::generation_of(workload.object), pods, ready, pods,
                          refused ? failure : "null"),
              "status");
}

void run_pod(Stage& stage, std::string_view name, json::View workload) {
  const auto pod = pod_of(name);
  if (stage.look().get(kPods, pod).is_null()) {
    stage.create(
        kPods,
        fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"app.kubernetes.io/name":)"
                    R"("stellar-node","app.kubernetes.io/instance":"{}"}},"ownerReferences":[)"
                    R"({{"apiVersion":"apps/v1","kind":"{}","name":"{}","uid":"{}",)"
                    R"("controller":true,"blockOwnerDeletion":true}}]}},)"
                    R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
                    pod.name, name, workload.get("kind").as_string(), name, kube::uid_of(workload)),
        "default");
  }
  stage.patch(kPods, pod,
              fmt::format(R"({{"status":{{"phase":"Running","podIP":"{}","conditions":[)"
                          R"({{"type":"Ready","status":"True"}}]}}}})",
                          address_of(name)),
              "status");
}

Deed by(std::string who, std::string what, std::optional<Trouble> price,
        std::function<void(Stage&)> act, std::function<bool(const Look&)> possible) {
  return {.who = std::move(who),
          .what = std::move(what),
          .price = price,
          .fair = !price,
          .act = std::move(act),
          .possible = std::move(possible)};
}

}  // namespace

std::string address_of(std::string_view name) {
  return fmt::format("10.0.0.{}", name.size());
}

Deed runs_pods(std::string_view who) {
  const std::string name{who};
  return by(
      "kubelet", fmt::format("runs the pods of {}", name), std::nullopt,
      [name](Stage& stage) {
        const auto workload = workload_named(stage.look(), name);
        const auto wanted = workload.object.get("spec", "replicas").as_int(1);
        const bool there = !stage.look().get(kPods, pod_of(name)).is_null();
        const bool refused = wanted > 0 && !there && pods_are_refused(stage.look());
        const auto pods = refused ? 0 : wanted;
        if (pods > 0) {
          run_pod(stage, name, workload.object);
        } else if (there) {
          stage.remove(kPods, pod_of(name));
        }
        set_status(stage, workload_named(stage.look(), name), name, pods, pods, refused);
      },
      [name](const Look& look) {
        const auto workload = workload_named(look, name);
        if (workload.object.is_null() || kube::being_deleted(workload.object)) return false;
        const bool there = !look.get(kPods, pod_of(name)).is_null();
        if (!there && pods_are_refused(look)) return !says_refused(workload.object);
        return !is_settled(workload.object);
      });
}

Deed releases_claim(std::string_view who) {
  const auto claim = key(fmt::format("{}-data", who));
  const auto& claims = resource_of(operators::stellar::kinds::kClaim);
  return by(
      "volume controller", fmt::format("releases {}", claim.name), std::nullopt,
      [=](Stage& stage) { stage.patch(claims, claim, R"({"metadata":{"finalizers":null}})"); },
      [=](const Look& look) {
        const auto there = look.get(claims, claim);
        return is_leaving(there) && !kube::finalizers_of(there).empty();
      });
}

namespace {

Deed changes_mode(std::string_view who, std::string_view to, std::optional<Trouble> price) {
  const std::string name{who};
  const std::string mode{to};
  return by(
      name, price ? fmt::format("is told: {}", mode) : "is well again", price,
      [=](Stage& stage) {
        stage.set_outside(with_mode(stage.look().outside(), address_of(name), mode));
      },
      [=](const Look& look) { return mode_of(look.outside(), address_of(name)) != mode; });
}

}  // namespace

Deed gets_well(std::string_view name) {
  return changes_mode(name, kSync, std::nullopt);
}

Deed gets_into(std::string_view name, std::string_view mode) {
  return changes_mode(name, mode, Trouble::Flap);
}

Deed loses_pod(std::string_view who) {
  const std::string name{who};
  return by(
      "kubelet", fmt::format("sees the pod of {} die", name), Trouble::Flap,
      [name](Stage& stage) {
        stage.remove(kPods, pod_of(name));
        const auto workload = workload_named(stage.look(), name);
        set_status(stage, workload, name, workload.object.get("spec", "replicas").as_int(1), 0,
                   false);
      },
      [name](const Look& look) {
        const auto workload = workload_named(look, name);
        return is_alive(workload.object) && !look.get(kPods, pod_of(name)).is_null();
      });
}

Deed edits(std::string_view who, std::string what, const std::string& spec_patch) {
  const std::string name{who};
  return by(
      "person", std::move(what), Trouble::Edit,
      [=](Stage& stage) {
        stage.patch(nodes(), key(name), fmt::format(R"({{"spec":{}}})", spec_patch));
      },
      [=](const Look& look) { return !node_of(look, name).is_null(); });
}

Deed deletes(std::string_view who) {
  const std::string name{who};
  return by(
      "person", fmt::format("deletes {}", name), Trouble::Edit,
      [=](Stage& stage) { stage.remove(nodes(), key(name)); },
      [=](const Look& look) { return is_alive(node_of(look, name)); });
}

Deed creates(std::string_view who, std::string object) {
  const std::string name{who};
  return by(
      "person", fmt::format("creates another {}", name), Trouble::Edit,
      [object = std::move(object)](Stage& stage) { stage.create(nodes(), object, "default"); },
      [=](const Look& look) { return node_of(look, name).is_null(); });
}

Deed fills_quota_of(std::string_view resource) {
  const auto hard = fmt::format(R"({{"{}":"0"}})", resource);
  return by(
      "person", fmt::format("allows no {}", resource), Trouble::Foreign,
      [=](Stage& stage) {
        stage.create(kQuotas,
                     fmt::format(R"({{"metadata":{{"name":"full"}},"spec":{{"hard":{}}}}})", hard),
                     "default");
        stage.patch(kQuotas, kFull,
                    fmt::format(R"({{"status":{{"hard":{},"used":{}}}}})", hard, hard), "status");
      },
      [](const Look& look) { return look.get(kQuotas, kFull).is_null(); });
}

Deed lifts_quota() {
  return by(
      "person", "lifts the quota", std::nullopt, [](Stage& stage) { stage.remove(kQuotas, kFull); },
      [](const Look& look) { return !look.get(kQuotas, kFull).is_null(); });
}

namespace {

const client::Resource kDefinitions =
    runtime::builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition");

kube::Key definition_key(const ChildKind& kind) {
  return {"", fmt::format("{}.{}", kind.plural, kind.gvk().group)};
}

}  // namespace

bool is_defined(const Look& look, const ChildKind& kind) {
  return !look.get(kDefinitions, definition_key(kind)).is_null();
}

Deed undefines(const ChildKind& kind) {
  const auto definition = definition_key(kind);
  return by(
      "person", fmt::format("uninstalls {}", kind.kind), Trouble::Edit,
      [=](Stage& stage) { stage.remove(kDefinitions, definition); },
      [=](const Look& look) { return is_alive(look.get(kDefinitions, definition)); });
}

Deed namesake_goes(const ChildKind& kind, std::string_view name) {
  const auto& resource = resource_of(kind);
  const auto which = key(name);
  return by(
      "person", fmt::format("removes the namesake {}", name), std::nullopt,
      [=](Stage& stage) { stage.remove(resource, which); },
      [=](const Look& look) {
        const auto there = look.get(resource, which);
        return is_alive(there) && there.get("metadata", "ownerReferences").empty();
      });
}

}  // namespace fixpoint::trials::stellar
