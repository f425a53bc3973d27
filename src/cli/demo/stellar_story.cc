// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/stellar_story.h"

#include "base/file.h"
#include "cli/demo/calls.h"
#include "cli/demo/stellar_manifests.h"
#include "cli/program.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "runtime/registry.h"
#include "types/kind.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli::demo {
namespace {

constexpr std::string_view kNodes = "/apis/stellar.org/v1alpha1/namespaces/default/stellarnodes";
constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";
constexpr std::string_view kEvents = "/api/v1/namespaces/default/events";
constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kQuotas = "/api/v1/namespaces/default/resourcequotas";
constexpr std::string_view kSecrets = "/api/v1/namespaces/default/secrets";
constexpr std::string_view kServices = "/api/v1/namespaces/default/services";
constexpr std::string_view kStatefulSets = "/apis/apps/v1/namespaces/default/statefulsets";

// A kubeconfig or a report of the verifier.
constexpr std::size_t kFileBytesMax = 16 * 1024 * 1024;
// For every state of an operator, on a machine that is busy with other things.
constexpr auto kVerifyPatience = std::chrono::minutes(3);

// Where parts of a node are, and what kind of thing lies there.
struct Place {
  std::string_view collection;
  std::string_view kind;
};
constexpr std::array kPlaces{
    Place{kConfigMaps,                                                     "configmap"            },
    Place{kServices,                                                       "service"              },
    Place{kClaims,                                                         "persistentvolumeclaim"},
    Place{"/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", "networkpolicy"        },
    Place{kStatefulSets,                                                   "statefulset"          },
    Place{"/apis/apps/v1/namespaces/default/deployments",                  "deployment"           },
    Place{"/apis/policy/v1/namespaces/default/poddisruptionbudgets",       "poddisruptionbudget"  },
    Place{kPods,                                                           "pod"                  },
};

const runtime::OperatorEntry* stellar() {
  for (const auto& entry : operators()) {
    if (entry.name == "stellar") return &entry;
  }
  return nullptr;
}

json::View condition_of(json::View node, std::string_view type) {
  for (const auto one : node.get("status", "conditions").elements()) {
    if (one.get("type").as_string() == type) return one;
  }
  return {};
}

bool is_true(json::View node, std::string_view type) {
  return condition_of(node, type).get("status").as_string() == "True";
}

// The kubeconfig again, for somebody who reaches the server by another port.
Result<void> write_kubeconfig(const std::filesystem::path& from, const std::filesystem::path& to,
                              std::uint16_t server_port, std::uint16_t port) {
  FP_TRY(text, read_file(from, kFileBytesMax));
  const auto server = fmt::format("127.0.0.1:{}", server_port);
  const auto at = text.find(server);
  if (at == std::string::npos) return wrong("the kubeconfig does not name the server");
  text.replace(at, server.size(), fmt::format("127.0.0.1:{}", port));
  std::ofstream file(to, std::ios::binary);
  file << text;
  file.close();
  if (!file) return fail(ErrorKind::Unavailable, fmt::format("cannot write {}", to.string()));
  return {};
}

}  // namespace

Result<void> StellarStory::possible() {
  if (stellar() == nullptr) {
    return fail(ErrorKind::NotFound, "this program has no stellar operator");
  }
  if (::geteuid() != 0) {
    return fail(ErrorKind::Unavailable,
                "the configuration of Stellar's programs names paths of the pod, and only root can "
                "give a pod its own");
  }
  return {};
}

Result<void> StellarStory::tell() {
  const auto begin = start_watch();
  page_.title("Fixpoint demo: Stellar nodes on a Kubernetes cluster in one process");
  page_.text(
      "Lines with $ say what a person would type. The demo sends the same requests itself,\n"
      "over TLS, and checks every answer; kubectl is not needed.");
  FP_TRY_VOID(cluster_.introduce());
  FP_TRY_VOID(nodes());
  FP_TRY_VOID(mistake());
  FP_TRY_VOID(killed());
  FP_TRY_VOID(quota());
  FP_TRY_VOID(partition());
  FP_TRY_VOID(proof());
  FP_TRY_VOID(stop_operator());
  FP_TRY_VOID(cluster_.stop());
  page_.title(fmt::format(
      "\nEverything held, in {:.1f} s. To go on by hand: fixpoint up --ephemeral --operators "
      "stellar\nThe cluster itself (kinds, watches, rollouts, crashes): fixpoint demo cluster",
      millis_since(begin) / 1000));
  return {};
}

Result<void> StellarStory::install() {
  page_.command(
      "fixpoint manifests --operators stellar --only crds | kubectl apply --server-side -f -");
  for (const auto* kind : stellar()->kinds()) {
    const auto definition = types::crd(*kind);
    const auto text = json::to_text(definition);
    FP_TRY_VOID(
        apply(session(), fmt::format("{}/{}", kDefinitions, kind->crd_name()), text, "demo"));
    page_.text(fmt::format("customresourcedefinition.apiextensions.k8s.io/{} serverside-applied",
                           kind->crd_name()));
  }
  FP_TRY(link, Link::open(stage_.loop, cluster_.server().port()));
  link_ = std::move(link);
  return write_kubeconfig(cluster_.kubeconfig(), cluster_.directory() / "operator.kubeconfig",
                          cluster_.server().port(), link_->port());
}

Result<void> StellarStory::start_operator() {
  page_.command("fixpoint operator --operators stellar &");
  FP_TRY(started, Child::start(stage_.loop, {"operator", "--operators", "stellar", "--kubeconfig",
                                             cluster_.directory() / "operator.kubeconfig",
                                             "--metrics-bind", "0", "--health-bind", "0"}));
  operator_ = std::move(started);
  return {};
}

Result<void> StellarStory::make_secret(std::string_view name, std::string_view key,
                                       std::string_view value) {
  page_.command(fmt::format("kubectl create secret generic {} --from-literal={}={}…", name, key,
                            value.substr(0, 4)));
  FP_TRY_VOID(session().expect(
      201,
      post(kSecrets, fmt::format(R"({{"metadata":{{"name":"{}"}},"stringData":{{"{}":"{}"}}}})",
                                 name, key, value))));
  page_.text(fmt::format("secret/{} created", name));
  return {};
}

Result<void> StellarStory::make_node(std::string_view name, std::string_view yaml) {
  FP_TRY_VOID(apply(session(), fmt::format("{}/{}", kNodes, name), yaml, "demo"));
  page_.text(fmt::format("stellarnode.stellar.org/{} serverside-applied", name));
  return {};
}

Result<json::Value> StellarStory::until_running(std::string_view name) {
  return until(session(), fmt::format("{} in sync", name), kNodes, name, [](json::View node) {
    return node.get("status", "observedGeneration").as_int() ==
               node.get("metadata", "generation").as_int() &&
           is_true(node, "Ready");
  });
}

Result<std::vector<StellarStory::Part>> StellarStory::parts_of(std::string_view name) {
  std::vector<Part> parts;
  for (const auto& [collection, kind] : kPlaces) {
    FP_TRY(list, session().expect(
                     200, get(fmt::format("{}?labelSelector=app.kubernetes.io%2Finstance%3D{}",
                                          collection, name))));
    for (const auto object : list.get("items").elements()) {
      const auto metadata = object.get("metadata");
      parts.push_back({.kind = std::string{kind},
                       .name = std::string{metadata.get("name").as_string()},
                       .uid = std::string{metadata.get("uid").as_string()},
                       .version = std::string{metadata.get("resourceVersion").as_string()}});
    }
  }
  return parts;
}

void StellarStory::show(const std::vector<Part>& parts) const {
  for (const auto& part : parts) page_.text(fmt::format("{}/{}", part.kind, part.name));
  if (parts.empty()) page_.text("No resources found in default namespace.");
}

Result<void> StellarStory::nodes() {
  page_.section(
      "A validator and a Horizon",
      "A StellarNode becomes configuration, storage, services, a policy and pods. What runs in\n"
      "the pods are stand-ins for Stellar's programs: they read the same configuration, refuse\n"
      "what the real ones refuse, and answer the same questions.");
  FP_TRY_VOID(install());
  FP_TRY_VOID(start_operator());
  FP_TRY_VOID(make_secret("alice-seed", "STELLAR_CORE_SEED", kAliceSeed));
  FP_TRY_VOID(make_secret("hank-database", "DATABASE_URL", "postgres://horizon@db/horizon"));
  page_.command("cat alice.yaml");
  page_.text(kAlice);
  page_.command("kubectl apply --server-side -f alice.yaml -f hank.yaml");
  const auto begin = start_watch();
  FP_TRY_VOID(make_node("alice", kAlice));
  FP_TRY_VOID(make_node("hank", kHank));
  page_.command("kubectl wait --for=condition=Ready stellarnode/alice stellarnode/hank");
  for (const std::string_view name : {"alice", "hank"}) {
    FP_TRY_VOID(until_running(name));
    page_.text(fmt::format("stellarnode.stellar.org/{} condition met", name));
  }
  const double took = millis_since(begin);
  page_.command("kubectl get stellarnodes,pods");
  FP_TRY_VOID(show_table(session(), page_, kNodes));
  FP_TRY_VOID(show_table(session(), page_, kPods));
  FP_TRY(events,
         session().expect(200, get(fmt::format("{}?fieldSelector=reason%3DStandIn", kEvents))));
  page_.command("kubectl get events --field-selector reason=StandIn   # the messages");
  std::set<std::string_view> said;
  for (const auto event : events.get("items").elements()) {
    const auto message = event.get("message").as_string();
    if (said.insert(message).second) page_.text(message);
  }
  if (said.empty()) return wrong("nobody said that these are stand-ins");
  page_.proved(fmt::format("both in sync {:.1f} s after they were asked for", took / 1000));
  return {};
}

Result<void> StellarStory::mistake() {
  page_.section("A mistake is refused, and what runs goes on",
                "A circuit breaker that opens after no errors at all would cut the node off. The\n"
                "answer names the field, what is wrong with it, and the way out.");
  constexpr std::string_view kWrongMesh =
      R"({"spec":{"serviceMesh":{"istio":{"circuitBreaker":{"consecutiveErrors":0}}}}})";
  FP_TRY(before, parts_of("alice"));
  FP_TRY(node, session().expect(200, get(fmt::format("{}/alice", kNodes))));
  page_.command(fmt::format("kubectl patch stellarnode alice --type merge -p '{}'", kWrongMesh));
  FP_TRY(refusal, session().expect(422, merge_patch(fmt::format("{}/alice", kNodes), kWrongMesh)));
  page_.text("The StellarNode \"alice\" is invalid:");
  for (const auto cause : refusal.get("details", "causes").elements()) {
    page_.text(
        fmt::format("* {}: {}", cause.get("field").as_string(), cause.get("message").as_string()));
  }
  FP_TRY(after, parts_of("alice"));
  FP_TRY(still, session().expect(200, get(fmt::format("{}/alice", kNodes))));
  if (before != after) return wrong("something of alice was written to");
  if (!(node.get("spec") == still.get("spec"))) return wrong("alice's spec changed");
  page_.proved(fmt::format("none of alice's {} objects was written to; its pod is the same one",
                           after.size()));
  return {};
}

Result<void> StellarStory::killed() {
  page_.section("The operator is killed -9 in mid-creation",
                "Nothing of the work is in the operator's memory: the next one looks at what is\n"
                "there and does the rest. The line is made slow, to have the time to aim.");
  link_->set(Link::State::Slow);
  page_.command("kubectl apply --server-side -f ray.yaml     # nodeType: SorobanRpc");
  bool begun = false;
  const auto watching = session().watch(
      get(fmt::format("{}?watch=true&fieldSelector=metadata.name%3Dray-config", kConfigMaps)),
      [&](json::View) {
        if (!begun) link_->set(Link::State::Cut);
        begun = true;
      });
  FP_TRY_VOID(make_node("ray", kRay));
  FP_TRY_VOID(stage_.wait("ray's first object", [&] { return begun; }));
  page_.command(
      fmt::format("kill -9 {}   # the operator, after its first object", operator_->pid()));
  operator_->kill();
  FP_TRY(half, parts_of("ray"));
  page_.command("kubectl get all,configmaps,… -l app.kubernetes.io/instance=ray");
  show(half);
  if (std::ranges::any_of(half, [](const Part& part) { return part.kind == "pod"; })) {
    return wrong("the operator was killed too late");
  }
  link_->set(Link::State::Open);
  FP_TRY_VOID(start_operator());
  FP_TRY_VOID(until_running("ray"));
  page_.command("kubectl get all,configmaps,… -l app.kubernetes.io/instance=ray");
  FP_TRY(whole, parts_of("ray"));
  show(whole);
  for (const auto& part : half) {
    const bool kept = std::ranges::any_of(
        whole, [&](const Part& other) { return other.kind == part.kind && other.uid == part.uid; });
    if (!kept) return wrong(fmt::format("{} {} was made twice", part.kind, part.name));
  }
  page_.proved(
      fmt::format("{} of {} objects were there at the kill; the rest came, none was made "
                  "twice, and ray is in sync",
                  half.size(), whole.size()));
  return {};
}

Result<void> StellarStory::quota() {
  page_.section(
      "A quota blocks, and is lifted",
      "A quota is nobody's mistake: the node says what it lacks, and is tried again every\n"
      "minute. An annotation only spares us the wait.");
  FP_TRY(claims, session().expect(200, get(kClaims)));
  const auto used = claims.get("items").size();
  page_.command(fmt::format(
      "kubectl create quota small --hard=persistentvolumeclaims={}   # as many as there are",
      used));
  FP_TRY_VOID(session().expect(
      201, post(kQuotas, fmt::format(R"({{"metadata":{{"name":"small"}},"spec":{{"hard":{{)"
                                     R"("persistentvolumeclaims":"{}"}}}}}})",
                                     used))));
  FP_TRY_VOID(until(session(), "the quota", kQuotas, "small", [](json::View quota) {
    return !quota.get("status", "used", "persistentvolumeclaims").is_null();
  }));
  page_.text("resourcequota/small created");
  FP_TRY_VOID(make_secret("vera-seed", "STELLAR_CORE_SEED", kVeraSeed));
  page_.command("kubectl apply --server-side -f vera.yaml     # nodeType: Validator");
  FP_TRY_VOID(make_node("vera", kVera));
  FP_TRY(blocked, until(session(), "the word about the quota", kNodes, "vera",
                        [](json::View node) { return is_true(node, "QuotaExceeded"); }));
  page_.command("kubectl get stellarnode vera -o jsonpath=… # the condition QuotaExceeded");
  page_.text(condition_of(blocked, "QuotaExceeded").get("message").as_string());
  page_.command("kubectl delete quota small");
  FP_TRY_VOID(session().expect(200, remove(fmt::format("{}/small", kQuotas))));
  page_.text("resourcequota \"small\" deleted");
  page_.command("kubectl annotate stellarnode vera look=now");
  FP_TRY_VOID(session().expect(200, merge_patch(fmt::format("{}/vera", kNodes),
                                                R"({"metadata":{"annotations":{"look":"now"}}})")));
  page_.text("stellarnode.stellar.org/vera annotated");
  FP_TRY(running, until_running("vera"));
  page_.command("kubectl get stellarnodes");
  FP_TRY_VOID(show_table(session(), page_, kNodes));
  if (!condition_of(running, "QuotaExceeded").is_null()) return wrong("the quota is still named");
  page_.proved("vera is in sync, and nothing speaks of a quota any more");
  return {};
}

Result<void> StellarStory::partition() {
  page_.section("A deletion during a partition",
                "The line between operator and server breaks while a node is taken down. What is\n"
                "left stays named by the node, which goes last.");
  link_->set(Link::State::Slow);
  bool begun = false;
  bool gone = false;
  const auto sets = session().watch(
      get(fmt::format("{}?watch=true&fieldSelector=metadata.name%3Dalice", kStatefulSets)),
      [&](json::View event) {
        if (begun || event.get("object", "metadata", "deletionTimestamp").is_null()) return;
        begun = true;
        link_->set(Link::State::Cut);
      });
  const auto ends = session().watch(
      get(fmt::format("{}?watch=true&fieldSelector=metadata.name%3Dalice", kNodes)),
      [&](json::View event) { gone |= event.get("type").as_string() == "DELETED"; });
  page_.command("kubectl delete stellarnode alice --wait=false");
  FP_TRY_VOID(session().expect(200, remove(fmt::format("{}/alice", kNodes))));
  page_.text("stellarnode.stellar.org \"alice\" deleted");
  FP_TRY_VOID(stage_.wait("the first deletions", [&] { return begun; }));
  const auto broken = link_->broken();
  FP_TRY_VOID(stage_.wait("the operator's tries", [&] { return link_->broken() > broken; }));
  page_.text("The line is cut. The operator cannot reach the server:");
  page_.command("kubectl get stellarnode alice");
  FP_TRY_VOID(
      show_table(session(), page_, fmt::format("{}?fieldSelector=metadata.name%3Dalice", kNodes)));
  FP_TRY(left, parts_of("alice"));
  page_.command("kubectl get all,configmaps,… -l app.kubernetes.io/instance=alice");
  show(left);
  if (gone || left.empty()) return wrong("the line was cut too late");
  link_->set(Link::State::Open);
  page_.text("The line is mended.");
  FP_TRY_VOID(stage_.wait("the end of alice", [&] { return gone; }));
  page_.command("kubectl get stellarnode alice; kubectl get all,configmaps,… -l …instance=alice");
  FP_TRY(missing, session().expect(404, get(fmt::format("{}/alice", kNodes))));
  page_.text(fmt::format("Error from server (NotFound): {}", missing.get("message").as_string()));
  FP_TRY(rest, parts_of("alice"));
  show(rest);
  if (!rest.empty()) return wrong("something of alice outlived it");
  page_.proved("alice is gone, and so is everything that belonged to it, its disk included");
  return {};
}

Result<json::Value> StellarStory::verified(std::string_view scenario) {
  const auto report = cluster_.directory() / fmt::format("{}.json", scenario);
  page_.command(fmt::format("fixpoint verify stellar --scenario {}", scenario));
  FP_TRY(verifier, Child::start(stage_.loop,
                                {"verify", "stellar", "--scenario", std::string{scenario}, "--out",
                                 cluster_.directory() / "counterexamples", "--json", report}));
  FP_TRY_VOID(stage_.wait("the verdict", [&] { return verifier->ended(); }, kVerifyPatience));
  const int status = verifier->reap();
  if (status != 0) return wrong(fmt::format("verify ended with {}:\n{}", status, verifier->log()));
  FP_TRY(text, read_file(report));
  return json::parse(text);
}

Result<void> StellarStory::proof() {
  page_.section(
      "Every way it can go",
      "So far one run of each trouble. The verifier takes the code of the operator as it ships\n"
      "and goes through every state that failed calls, lost answers, crashes and edits can lead\n"
      "to. Here the troubles of the last three parts; without --scenario it is all twelve.");
  const auto begin = start_watch();
  std::vector<Row> rows{
      {"SCENARIO", "STATES", "PROPERTIES", "VERDICT"}
  };
  std::int64_t states = 0;
  for (const std::string_view scenario : {"ec1", "ec11", "ec8"}) {
    FP_TRY(verdict, verified(scenario));
    for (const auto one : verdict.get("reports").elements()) {
      states += one.get("distinct").as_int();
      rows.push_back({std::string{one.get("scenario").as_string()},
                      fmt::format("{}", one.get("distinct").as_int()),
                      fmt::format("{}", one.get("properties").size()),
                      std::string{one.get("conclusion").as_string()}});
    }
  }
  page_.table(rows);
  page_.proved(fmt::format("{} states, all of them, and every property holds in each; {:.1f} s",
                           states, millis_since(begin) / 1000));
  return {};
}

Result<void> StellarStory::stop_operator() {
  operator_->terminate();
  FP_TRY_VOID(stage_.wait("the operator's end", [&] { return operator_->ended(); }));
  if (const int status = operator_->reap(); status != 0) {
    return wrong(fmt::format("the operator ended with status {}", status));
  }
  return {};
}

}  // namespace fixpoint::cli::demo
