// SPDX-License-Identifier: Apache-2.0
//
// What surrounds pods (services' endpoints, claims and volumes, nodes) beside a real
// kube-controller-manager: after every deed of a person both come to rest in the same state.
//
// Whole objects are compared, without what must differ: uids, times, versions, random names.
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/patch/diff.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/local.h"
#include "tests/conformance/real_cluster.h"

#include <algorithm>
#include <chrono>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

using json::Draft;
using json::Value;
using json::View;

constexpr auto kSceneControllers =
    "endpoints-controller,endpointslice-controller,endpointslice-mirroring-controller,"
    "persistentvolume-binder-controller,persistentvolumeclaim-protection-controller,"
    "persistentvolume-protection-controller,node-lifecycle-controller,taint-eviction-controller,"
    "garbage-collector-controller";
constexpr auto kRealSceneQuiet = std::chrono::milliseconds(2000);
constexpr auto kOurSceneQuiet = std::chrono::milliseconds(400);
constexpr int kLooksMax = 100;

// "<ns>" in paths and bodies is the namespace, and begins the names of cluster-wide objects.
struct SceneDeed {
  std::string method;
  std::string path;
  std::string body = {};
  bool compared = true;  // else only what the next deed leads to is
};
struct Scene {
  std::string_view name;
  std::vector<std::string> collections;
  std::vector<SceneDeed> deeds;
};

constexpr auto kPods = "/api/v1/namespaces/<ns>/pods";
constexpr auto kServices = "/api/v1/namespaces/<ns>/services";
constexpr auto kEndpoints = "/api/v1/namespaces/<ns>/endpoints";
constexpr auto kSlices = "/apis/discovery.k8s.io/v1/namespaces/<ns>/endpointslices";
constexpr auto kClaims = "/api/v1/namespaces/<ns>/persistentvolumeclaims";
constexpr auto kVolumes = "/api/v1/persistentvolumes";
constexpr auto kNodes = "/api/v1/nodes";
constexpr auto kClasses = "/apis/storage.k8s.io/v1/storageclasses";

std::string at(std::string_view collection, std::string_view name) {
  return fmt::format("{}/{}", collection, name);
}

std::vector<SceneDeed> pod(std::string_view name, std::string_view ip, std::string_view ready,
                           std::string_view spec = "") {
  return {
      {"POST", kPods,
       fmt::format(
           R"({{"metadata":{{"name":"{}","labels":{{"app":"web"}}}},"spec":{{{}"nodeName":"<ns>-n",
        "tolerations":[{{"operator":"Exists"}}],
        "containers":[{{"name":"c","image":"i","ports":[{{"name":"http","containerPort":8080}}]}}]}}}})", name, spec)},
      {"PATCH", fmt::format("{}/{}/status", kPods, name),
       fmt::format(R"({{"status":{{"phase":"Running","podIP":"{0}","podIPs":[{{"ip":"{0}"}}],
        "conditions":[{{"type":"Ready","status":"{1}"}}]}}}})",
       ip, ready)},
  };
}

std::string claim(std::string_view name, std::string_view spec, std::string_view size = "1Gi") {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}"accessModes":["ReadWriteOnce"],
    "resources":{{"requests":{{"storage":"{}"}}}}}}}})",
                     name, spec, size);
}

std::string volume(std::string_view name, std::string_view size, std::string_view spec = "") {
  return fmt::format(R"({{"metadata":{{"name":"<ns>-{}"}},"spec":{{{}"storageClassName":"<ns>",
    "accessModes":["ReadWriteOnce"],"capacity":{{"storage":"{}"}},"hostPath":{{"path":"/x"}}}}}})",
                     name, spec, size);
}

// A real binder looks at a pending claim again after 15 seconds, or when it changes; and when its
// own write meets such a change, after 15 seconds again.
SceneDeed nudge(std::string_view word, bool compared) {
  return {"PATCH", at(kClaims, "c"),
          fmt::format(R"({{"metadata":{{"annotations":{{"look":"{}"}}}}}})", word), compared};
}

constexpr auto kOwnClass = R"("storageClassName":"<ns>",)";

std::vector<SceneDeed> joined_deeds(std::vector<std::vector<SceneDeed>> parts) {
  std::vector<SceneDeed> all;
  for (auto& part : parts) std::ranges::move(part, std::back_inserter(all));
  return all;
}

std::vector<Scene> scenes() {
  const std::vector<std::string> network{kEndpoints, kSlices};
  const std::vector<std::string> storage{kClaims, kVolumes};
  return {
      {"service with pods",         network,
       joined_deeds({{{"POST", kServices, R"({"metadata":{"name":"web","labels":{"a":"b"}},"spec":{
          "selector":{"app":"web"},"ports":[{"name":"http","port":80,"targetPort":"http"}]}})"}},
                     pod("a", "10.1.0.1", "True"),
                     pod("b", "10.1.0.2", "False"),
                     {{"PATCH", at(kPods, "b/status"),
                       R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})"},
                      {"DELETE", at(kPods, "a"), ""},
                      {"PATCH", at(kPods, "b"), R"({"metadata":{"labels":{"app":"other"}}})"},
                      {"PATCH", at(kServices, "web"), R"({"spec":{"selector":{"app":"other"}}})"},
                      {"PATCH", at(kServices, "web"), R"({"metadata":{"labels":{"a":"c"}}})"},
                      {"DELETE", at(kServices, "web"), ""}}})                                         },
      {"headless service",          network,
       joined_deeds({{{"POST", kServices, R"({"metadata":{"name":"web"},"spec":{"clusterIP":"None",
          "publishNotReadyAddresses":true,"selector":{"app":"web"}}})"}},
                     pod("a", "10.1.0.1", "False", R"("hostname":"a","subdomain":"web",)"),
                     {{"DELETE", at(kPods, "a"), ""}}})                                               },
      {"port that is not there",    network,
       joined_deeds(
           {{{"POST", kServices, R"({"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
          "ports":[{"name":"x","port":80,"targetPort":"absent"}]}})"}},
            pod("a", "10.1.0.1", "True")})                                                            },
      {"endpoints of a person",
       network,                              {{"POST", kServices, R"({"metadata":{"name":"db"},"spec":{"ports":[{"port":5432}]}})"},
        {"POST", kEndpoints,
         R"({"metadata":{"name":"db","labels":{"a":"b"},"annotations":{"x":"y"}},
          "subsets":[{"addresses":[{"ip":"192.0.2.1"}],"notReadyAddresses":[{"ip":"192.0.2.2"}],
          "ports":[{"port":5432,"protocol":"TCP"}]}]})"},
        {"PATCH", at(kEndpoints, "db"), R"({"subsets":[{"addresses":[{"ip":"192.0.2.3"}],
          "ports":[{"port":5432,"protocol":"TCP"}]}]})"},
        {"PATCH", at(kEndpoints, "db"),
         R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}}})"},
        {"DELETE", at(kServices, "db"), ""}}                                           },
      {"smallest volume that fits",
       storage,                              {{"POST", kVolumes, volume("small", "500Mi")},
        {"POST", kVolumes, volume("large", "10Gi")},
        {"POST", kVolumes, volume("right", "2Gi")},
        {"POST", kClaims, claim("c", kOwnClass)},
        {"DELETE", at(kClaims, "c"), ""}}                                              },
      {"claim before its volume",
       storage,                              {{"POST", kClaims, claim("c", kOwnClass)},
        {"POST", kVolumes, volume("v", "1Gi"), false},
        nudge("again", false),
        nudge("once more", true),
        {"PATCH", at(kVolumes, "<ns>-v"), R"({"metadata":{"finalizers":null}})"},
        {"DELETE", at(kVolumes, "<ns>-v"), ""}}                                        },
      {"volume set aside",
       storage,                              {{"POST", kVolumes, volume("v", "5Gi", R"("claimRef":{"namespace":"<ns>","name":"mine"},)")},
        {"POST", kClaims, claim("other", kOwnClass)},
        {"POST", kClaims, claim("mine", kOwnClass)}}                                   },
      {"volume by name",
       storage,                              {{"POST", kClaims, claim("c", R"("storageClassName":"<ns>","volumeName":"<ns>-v",)", "3Gi")},
        {"POST", kVolumes, volume("v", "1Gi")},
        {"PATCH", at(kVolumes, "<ns>-v"), R"({"spec":{"capacity":{"storage":"4Gi"}}})", false},
        nudge("again", false),
        nudge("once more", true)}                                                      },
      {"first consumer",
       {kClaims},
       {{"POST", kClasses, R"({"metadata":{"name":"<ns>"},"provisioner":"example.com/p",
          "volumeBindingMode":"WaitForFirstConsumer"})"},
        {"POST", kClaims, claim("c", kOwnClass)},
        {"PATCH", at(kClaims, "c"),
         R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"<ns>-n"}}})"}}          },
      {"another's provisioner",
       {kClaims},
       {{"POST", kClasses, R"({"metadata":{"name":"<ns>"},"provisioner":"example.com/p"})"},
        {"POST", kClaims, claim("c", kOwnClass)}}                                                     },
      {"node and its taints",
       {kNodes},
       {{"POST", kNodes, R"({"metadata":{"name":"<ns>-a"}})"},
        {"PATCH", at(kNodes, "<ns>-a/status"), R"({"status":{"conditions":[{"type":"Ready",
          "status":"True","reason":"r","message":"m","lastHeartbeatTime":"2026-01-01T00:00:00Z",
          "lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"},
        {"PATCH", at(kNodes, "<ns>-a"), R"({"spec":{"unschedulable":true}})"},
        {"PATCH", at(kNodes, "<ns>-a"), R"({"spec":{"unschedulable":null}})"},
        {"PATCH", at(kNodes, "<ns>-a/status"), R"({"status":{"conditions":[{"type":"MemoryPressure",
          "status":"True","reason":"r","message":"m"}]}})"}}},
  };
}

std::string with_namespace(std::string text, const std::string& ns) {
  for (std::size_t at = 0; (at = text.find("<ns>", at)) != std::string::npos; at += ns.size()) {
    text.replace(at, 4, ns);
  }
  return text;
}

void sort_by_text(Draft& list) {
  std::ranges::sort(list.elements(), {}, [](const Draft& one) {
    const Value value = one.freeze();
    return json::to_text(value);
  });
}

Value normal(View object, const std::string& ns) {
  Draft made{object};
  auto& metadata = made.object_at("metadata");
  for (const std::string_view field :
       {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"}) {
    metadata.erase(field);
  }
  // When its last pod changed: the two sides do not live at the same time.
  if (Draft* annotations = metadata.find("annotations")) {
    annotations->erase("endpoints.kubernetes.io/last-change-trigger-time");
    if (annotations->empty()) metadata.erase("annotations");
  }
  if (made.contains("endpoints")) sort_by_text(made.array_at("endpoints"));
  if (Draft* taints = made.find("spec", "taints")) sort_by_text(*taints);
  if (Draft* conditions = made.find("status", "conditions")) sort_by_text(*conditions);
  const Value frozen = made.freeze();
  static const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
  static const std::regex kUid(R"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})");
  static const std::regex kVersion(R"("resourceVersion":"\d+")");
  static const std::regex kSuffix(R"("(web|db)-[bcdfghjklmnpqrstvwxz2456789]{5}")");
  std::string text = json::to_text(frozen);
  for (std::size_t at = 0; (at = text.find(ns, at)) != std::string::npos; at += 4) {
    text.replace(at, ns.size(), "<ns>");
  }
  text = std::regex_replace(text, kTime, "TIME");
  text = std::regex_replace(text, kUid, "UID");
  text = std::regex_replace(text, kVersion, R"("resourceVersion":"RV")");
  return *json::parse(std::regex_replace(text, kSuffix, R"("$1-*")"));
}

class Side {
 public:
  Side(const Endpoint& endpoint, Duration quiet)
      : server_(make_http_server(endpoint)), quiet_(quiet), ns_(fresh_id()) {
    send({"POST", "/api/v1/namespaces", R"({"metadata":{"name":"<ns>"}})"});
    // Where a loop makes it, that one may have been faster.
    call({"POST", "/api/v1/namespaces/<ns>/serviceaccounts", R"({"metadata":{"name":"default"}})"});
    send({"POST", kNodes, R"({"metadata":{"name":"<ns>-n"}})"});
  }

  void send(const SceneDeed& deed) {
    const auto answer = call(deed);
    EXPECT_LT(answer.code, 400) << server_->name() << " " << deed.method << " " << deed.path << ": "
                                << answer.body;
  }

  // Every object of the collections, once nothing has changed for a while.
  Value rest(const std::vector<std::string>& collections) {
    Value last = look(collections);
    for (int i = 0; i < kLooksMax; ++i) {
      std::this_thread::sleep_for(quiet_);
      Value now = look(collections);
      if (now == last) return now;
      last = std::move(now);
    }
    ADD_FAILURE() << server_->name() << " never rests";
    return last;
  }

 private:
  Answer call(const SceneDeed& deed) {
    Call made{.method = deed.method,
              .path = with_namespace(deed.path, ns_),
              .body = with_namespace(deed.body, ns_)};
    made.headers.add("content-type", deed.method == "PATCH"
                                         ? "application/strategic-merge-patch+json"
                                         : "application/json");
    return server_->call(made);
  }

  Value look(const std::vector<std::string>& collections) {
    auto all = Draft::object();
    for (const auto& collection : collections) {
      const auto answer = server_->call({.path = with_namespace(collection, ns_)});
      const auto list = json::parse(answer.body);
      EXPECT_TRUE(list.has_value()) << answer.body;
      auto& found = all.array_at(collection);
      for (const View item : list->get("items").elements()) {
        const bool namespaced = !kube::namespace_of(item).empty();
        const bool extra = kube::name_of(item) == ns_ + "-n";
        if (namespaced || (kube::name_of(item).starts_with(ns_) && !extra)) {
          found.push_back(normal(item, ns_));
        }
      }
      sort_by_text(found);
    }
    return all.freeze();
  }

  std::unique_ptr<Server> server_;
  Duration quiet_;
  std::string ns_;
};

std::vector<Value> live(const Endpoint& endpoint, const Scene& scene, Duration quiet) {
  Side side(endpoint, quiet);
  std::vector<Value> rests;
  for (const auto& deed : scene.deeds) {
    side.send(deed);
    rests.push_back(side.rest(scene.collections));
  }
  return rests;
}

std::vector<std::vector<Value>> live_all(const Endpoint& endpoint, const std::vector<Scene>& all,
                                         Duration quiet) {
  std::vector<std::vector<Value>> rests(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    threads.emplace_back([&, i] { rests[i] = live(endpoint, all[i], quiet); });
  }
  for (auto& thread : threads) thread.join();
  return rests;
}

TEST(Surroundings, RestInTheStatesThatTheyRestInOnARealCluster) {
  auto cluster = RealCluster::start(kSceneControllers);
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const Local local{Loops::All};
  const auto all = scenes();

  const auto ours = live_all(local.endpoint(), all, kOurSceneQuiet);
  const auto real = live_all((*cluster)->endpoint(), all, kRealSceneQuiet);

  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("{}: {} states of rest\n", all[i].name, real[i].size());
    ASSERT_EQ(real[i].size(), ours[i].size());
    for (std::size_t j = 0; j < real[i].size(); ++j) {
      const auto& deed = all[i].deeds[j];
      if (!deed.compared) continue;
      for (const auto& change : json::diff(real[i][j], ours[i][j])) {
        ADD_FAILURE() << all[i].name << ", after " << j + 1 << " (" << deed.method << " "
                      << deed.path << "), real to ours: " << to_text(change);
      }
    }
  }
}

}  // namespace
}  // namespace fixpoint::conformance
