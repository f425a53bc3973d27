// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/workloads.h"

#include "cli/demo/calls.h"
#include "cli/demo/manifests.h"
#include "cli/demo/valkey.h"
#include "node/agent/compose.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cli::demo {
namespace {

constexpr std::string_view kDemoPods = "/api/v1/namespaces/demo/pods";
constexpr std::string_view kDemoClaims = "/api/v1/namespaces/demo/persistentvolumeclaims";
constexpr std::string_view kDemoDeployments = "/apis/apps/v1/namespaces/demo/deployments";
constexpr std::string_view kDemoReplicaSets = "/apis/apps/v1/namespaces/demo/replicasets";
constexpr std::string_view kDemoStatefulSets = "/apis/apps/v1/namespaces/demo/statefulsets";
constexpr std::int64_t kReplicas = 3;

std::string of_app(std::string_view collection, std::string_view app) {
  return fmt::format("{}?labelSelector=app%3D{}", collection, app);
}

std::string uid_of(json::View object) {
  return std::string{object.get("metadata", "uid").as_string()};
}

// What `kubectl rollout status` waits for.
bool rolled_out(json::View object) {
  const auto status = object.get("status");
  return status.get("observedGeneration").as_int() ==
             object.get("metadata", "generation").as_int() &&
         status.get("replicas").as_int() == kReplicas &&
         status.get("updatedReplicas").as_int() == kReplicas &&
         status.get("availableReplicas").as_int() == kReplicas;
}

bool is_ready(json::View pod) {
  return std::ranges::any_of(pod.get("status", "conditions").elements(), [](json::View one) {
    return one.get("type").as_string() == "Ready" && one.get("status").as_string() == "True";
  });
}

// "valkey_version:8.0.1" of INFO: what really answers, whatever the image is called.
std::string version_in(std::string_view info) {
  for (const std::string_view name : {"valkey", "redis"}) {
    const auto key = fmt::format("\n{}_version:", name);
    const auto at = info.find(key);
    if (at == std::string_view::npos) continue;
    const auto rest = info.substr(at + key.size());
    return fmt::format("{} {}", name, rest.substr(0, rest.find('\r')));
  }
  return "a server that does not say its version";
}

}  // namespace

Result<void> Workloads::tell() {
  FP_TRY_VOID(session_.expect(201, post("/api/v1/namespaces", R"({"metadata":{"name":"demo"}})")));
  FP_TRY_VOID(deployment());
  FP_TRY_VOID(rolling_update());
  if (!node::find_in_path("valkey-server") && !node::find_in_path("redis-server")) {
    page_.text("\nNeither valkey-server nor redis-server is installed: no database is shown.");
    return {};
  }
  FP_TRY_VOID(stateful_set());
  return killed_pod();
}

Result<void> Workloads::deployment() {
  page_.section(
      "Pods that are processes",
      "The controllers of a cluster are built in, and so is a node: each pod is a group of\n"
      "local processes with a loopback address of its own. No container runtime.");
  page_.command("kubectl apply --server-side -f web.yaml     # a Deployment, replicas: 3");
  const auto begin = start_watch();
  FP_TRY_VOID(apply(session_, fmt::format("{}/web", kDemoDeployments), kWeb, "demo"));
  page_.text("deployment.apps/web serverside-applied");
  FP_TRY_VOID(until(session_, "the deployment", kDemoDeployments, "web", rolled_out));
  const double took = millis_since(begin);
  page_.command("kubectl get deployments,pods -n demo");
  FP_TRY_VOID(show_table(session_, page_, kDemoDeployments));
  FP_TRY_VOID(show_table(session_, page_, kDemoPods));
  page_.proved(fmt::format("three programs run {:.0f} ms after they were asked for", took));
  return {};
}

Result<void> Workloads::rolling_update() {
  page_.section("A rolling update",
                "A change of the template replaces the pods one by one, and never has fewer ready\n"
                "than were promised.");
  page_.command("kubectl set env deployment/web -n demo VERSION=2");
  const auto begin = start_watch();
  FP_TRY(changed, session_.expect(
                      200, {.method = "PATCH",
                            .target = fmt::format("{}/web", kDemoDeployments),
                            .body = R"({"spec":{"template":{"spec":{"containers":[{"name":"web",)"
                                    R"("env":[{"name":"VERSION","value":"2"}]}]}}}})",
                            .content_type = "application/strategic-merge-patch+json"}));
  page_.text("deployment.apps/web env updated");
  const auto generation = changed.get("metadata", "generation").as_int();
  std::int64_t fewest = kReplicas;
  FP_TRY_VOID(until(session_, "the rolling update", kDemoDeployments, "web", [&](json::View web) {
    fewest = std::min(fewest, web.get("status", "availableReplicas").as_int());
    return web.get("metadata", "generation").as_int() >= generation && rolled_out(web);
  }));
  const double took = millis_since(begin);
  page_.command("kubectl get replicasets -n demo");
  FP_TRY_VOID(show_table(session_, page_, kDemoReplicaSets));
  if (fewest < kReplicas) return wrong(fmt::format("only {} pods were available", fewest));
  page_.proved(
      fmt::format("rolled over in {:.0f} ms, with {} pods available all the time", took, fewest));
  return {};
}

Result<std::string> Workloads::ask_valkey(int ordinal, const std::vector<std::string>& words) {
  FP_TRY(pod, session_.expect(200, get(fmt::format("{}/valkey-{}", kDemoPods, ordinal))));
  return ask_valkey_server(std::string{pod.get("status", "podIP").as_string()}, words);
}

Result<void> Workloads::stateful_set() {
  page_.section(
      "Three real servers with a disk each",
      "A StatefulSet starts its pods in order; each keeps its name and its claim. The image\n"
      "valkey/valkey:8.0 stands for the server that is installed on this machine.");
  page_.command("kubectl apply --server-side -f valkey.yaml  # a Service, a StatefulSet");
  const auto begin = start_watch();
  FP_TRY_VOID(apply(session_, "/api/v1/namespaces/demo/services/valkey", kValkeyService, "demo"));
  FP_TRY_VOID(apply(session_, fmt::format("{}/valkey", kDemoStatefulSets), kValkey, "demo"));
  page_.text("service/valkey serverside-applied\nstatefulset.apps/valkey serverside-applied");
  FP_TRY_VOID(until(session_, "the servers", kDemoStatefulSets, "valkey", rolled_out));
  const double took = millis_since(begin);
  page_.command("kubectl get pods,persistentvolumeclaims -n demo -l app=valkey");
  FP_TRY_VOID(show_table(session_, page_, of_app(kDemoPods, "valkey")));
  FP_TRY_VOID(show_table(session_, page_, of_app(kDemoClaims, "valkey")));
  FP_TRY(info, ask_valkey(1, {"INFO", "server"}));
  page_.proved(fmt::format("valkey-1 answers as {}; all three ready after {:.1f} s",
                           version_in(info), took / 1000));
  return {};
}

Result<void> Workloads::killed_pod() {
  page_.section("A killed server comes back with its data",
                "The pod is deleted without mercy. Its successor has its name and its disk.");
  page_.command("valkey-cli -h valkey-1.valkey SET order:1 paid");
  FP_TRY(set, ask_valkey(1, {"SET", "order:1", "paid"}));
  page_.text(set);
  FP_TRY(before, session_.expect(200, get(fmt::format("{}/valkey-1", kDemoPods))));
  page_.command("kubectl delete pod valkey-1 -n demo --grace-period=0 --force");
  const auto begin = start_watch();
  FP_TRY_VOID(
      session_.expect(200, remove(fmt::format("{}/valkey-1?gracePeriodSeconds=0", kDemoPods))));
  page_.text("pod \"valkey-1\" force deleted");
  FP_TRY_VOID(until(session_, "its successor", kDemoPods, "valkey-1", [&](json::View pod) {
    return uid_of(pod) != uid_of(before) && is_ready(pod);
  }));
  const double took = millis_since(begin);
  page_.command("valkey-cli -h valkey-1.valkey GET order:1");
  FP_TRY(answer, ask_valkey(1, {"GET", "order:1"}));
  page_.text(fmt::format("\"{}\"", answer));
  if (answer != "paid") return wrong("the order is lost");
  page_.proved(fmt::format("another process, the same data, {:.1f} s after the kill", took / 1000));
  return {};
}

}  // namespace fixpoint::cli::demo
