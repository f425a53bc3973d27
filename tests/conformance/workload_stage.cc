// SPDX-License-Identifier: Apache-2.0
//
// The stage: one namespace on one server, its fake kubelet and its pictures.
#include "base/rfc3339.h"
#include "cluster/workloads/pod_state.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/text.h"
#include "tests/conformance/workloads.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

using json::Draft;
using json::Value;
using json::View;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::array<std::string_view, 12> kCollections{"pods",
                                                        "persistentvolumeclaims",
                                                        "replicationcontrollers",
                                                        "apps/deployments",
                                                        "apps/replicasets",
                                                        "apps/statefulsets",
                                                        "apps/controllerrevisions",
                                                        "apps/daemonsets",
                                                        "batch/jobs",
                                                        "batch/cronjobs",
                                                        "policy/poddisruptionbudgets",
                                                        "autoscaling/horizontalpodautoscalers"};
constexpr std::array<std::string_view, 9> kSources{
    "deployment-controller",  "replicaset-controller", "statefulset-controller",
    "replication-controller", "job-controller",        "cronjob-controller",
    "daemonset-controller",   "controllermanager",     "horizontal-pod-autoscaler"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGroups{
    {{"apps", "v1"}, {"batch", "v1"}, {"policy", "v1"}, {"autoscaling", "v2"}}
};
constexpr std::string_view kCombined = "(combined from similar events): ";
constexpr std::size_t kPodsAt = 0;
constexpr std::size_t kSetsAt = 4;
// Far more than any play needs to come to rest.
constexpr auto kLongestRest = std::chrono::seconds(60);
constexpr int kRestsMax = 60;

Duration time_until(int second) {
  using std::chrono::seconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch() % std::chrono::minutes(1);
  const auto left = seconds(second) - std::chrono::duration_cast<milliseconds>(now);
  return left > seconds(0) ? left : left + std::chrono::minutes(1);
}

// Conditions in the order of their types: in which order two came depends on who was faster.
void sort_conditions(Draft& object) {
  Draft* conditions = object.find("status", "conditions");
  if (conditions == nullptr) return;
  std::ranges::sort(conditions->elements(), {}, [](const Draft& condition) {
    const Draft* type = condition.find("type");
    return std::string{type == nullptr ? "" : type->as_string()};
  });
}

// Objects without what two servers cannot agree on. What it learnt of names it keeps: Events tell
// of objects that are gone.
class PictureNormaliser {
 public:
  explicit PictureNormaliser(const std::string& ns) { names_.emplace(ns, "<ns>"); }

  void learn(const std::vector<Value>& objects) {
    for (const auto& object : objects) {
      const auto kind = object.get("kind").as_string();
      if (kind == "ReplicaSet") {
        learn_hash(kube::label_of(object, "pod-template-hash"), object.get("spec", "template"));
      }
      if (kind == "ControllerRevision") {
        learn_hash(kube::label_of(object, "controller-revision-hash"),
                   object.get("data", "spec", "template"));
      }
      if (kind == "Pod") learn_pod(object);
      // A Job marks its pods with its uid.
      if (kind == "Job") names_.insert_or_assign(std::string{kube::uid_of(object)}, "<uid>");
    }
  }

  Value normal(View object) const {
    Draft made{object};
    auto& metadata = made.object_at("metadata");
    for (const std::string_view field :
         {"uid", "resourceVersion", "creationTimestamp", "managedFields", "namespace"}) {
      metadata.erase(field);
    }
    if (Draft* owners = metadata.find("ownerReferences")) {
      for (Draft& owner : owners->elements()) owner.erase("uid");
    }
    // Nobody binds claims here.
    if (object.get("kind").as_string() == "PersistentVolumeClaim") made.erase("status");
    if (Draft* jobs = made.find("status", "active"); jobs != nullptr && jobs->is_array()) {
      for (Draft& job : jobs->elements()) {
        job.erase("uid");
        job.erase("resourceVersion");
      }
    }
    sort_conditions(made);
    const Value frozen = made.freeze();
    return *json::parse(text(json::to_text(frozen)));
  }

  std::string text(std::string said) const {
    static const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))");
    static const std::regex kUnknownPod(
        R"(((?:(?:web|cron)-<[^>]*>-|(?:job|web)-(?:\d+-)?))[bcdfghjklmnpqrstvwxz2456789]{5}\b)");
    // The Jobs of a CronJob are named by the minute.
    static const std::regex kMinute(R"(\bcron-\d{8}\b)");
    for (const auto& [from, to] : names_) said = replaced(std::move(said), from, to);
    for (const auto& [from, to] : hashes_) said = replaced(std::move(said), from, to);
    // Pods that never were, or not for long, are named in refusals and Events.
    said = std::regex_replace(said, kMinute, "cron-<minute>");
    said = std::regex_replace(said, kUnknownPod, "$1*");
    return std::regex_replace(said, kTime, "TIME");
  }

 private:
  // The hash of a template is of Go's memory layout: any other will do, so it is named by what it
  // is of.
  void learn_hash(std::string_view hash, View pod_template) {
    if (hash.empty()) return;
    hashes_.insert_or_assign(
        std::string{hash},
        fmt::format("<{}{}>", pod_template.get("spec", "containers")[0].get("image").as_string(),
                    kube::annotations_of(pod_template).empty() ? "" : "+"));
  }

  void learn_pod(View pod) {
    const std::string name{kube::name_of(pod)};
    const std::string stem{kube::generate_name_of(pod)};
    const auto owner = kube::controller_of(pod);
    const bool random = owner && owner->kind != "StatefulSet" && name.starts_with(stem);
    if (random && !stem.empty()) names_.insert_or_assign(name, stem + "*");
  }

  std::map<std::string, std::string> names_;   // of pods and the namespace, and uids
  std::map<std::string, std::string> hashes_;  // of templates
};

class Stage {
 public:
  Stage(Server& server, Duration quiet)
      : server_(server), ns_(fresh_id()), quiet_(quiet), normaliser_(ns_) {
    send(
        "POST", "/api/v1/namespaces",
        fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", ns_));
    for (const auto collection : kCollections) {
      Call watch{.method = "GET", .path = path(collection), .query = "watch=true"};
      streams_.push_back(server_.open(watch));
    }
  }

  void act(const Act& act, Performance& seen) {
    for (const auto& deed : act.deeds) {
      const auto meant = understood(deed);
      const auto answer = send(meant.method, path(meant.path), meant.body);
      if (answer.code >= 400 || answer.code == 0) {
        seen.problems.push_back(fmt::format("{}: {} {}: {} {}", act.name, deed.method, deed.path,
                                            answer.code, answer.body));
      }
    }
    server_.wait(act.wait);
    if (act.second) server_.wait(time_until(*act.second));
    for (int i = 1; i <= kRestsMax; ++i) {
      rest();
      const auto objects = all();
      seen.rests.push_back(
          {.after = fmt::format("{}, {}", act.name, i), .picture = picture(objects)});
      if (!make_ready(act.pods, objects)) return;
    }
    seen.problems.push_back(act.name + ": never ends");
  }

  // What stands for something in the words of a deed (workloads.h) replaced by it.
  Deed understood(Deed deed) {
    const auto time = format_seconds(std::chrono::system_clock::now());
    for (std::string* text : {&deed.path, &deed.body}) {
      *text = replaced(replaced(std::move(*text), "<ns>", ns_), "<now>", time);
    }
    const auto from = deed.path.find('<');
    const auto to = deed.path.find('>');
    if (from == std::string::npos || to == std::string::npos) return deed;
    const auto token = deed.path.substr(from, to - from + 1);
    const auto name = pod_meant(token.substr(1, token.size() - 2));
    for (std::string* text : {&deed.path, &deed.body}) {
      *text = replaced(std::move(*text), token, name);
    }
    return deed;
  }
  std::string pod_meant(std::string_view index) {
    for (const auto& pod : list("pods")) {
      const auto own = kube::annotation_of(pod, "batch.kubernetes.io/job-completion-index");
      if (cluster::is_active(pod) && (index == "any" || index == own)) {
        return std::string{kube::name_of(pod)};
      }
    }
    return "nobody";
  }

  // How many events of pods and of sets there were so far.
  struct Mark {
    std::size_t pods = 0;
    std::size_t sets = 0;
  };
  Mark mark() { return {.pods = events(kPodsAt).size(), .sets = events(kSetsAt).size()}; }

  // The extremes after a moment.
  void measure(const Mark& from, Performance& seen) {
    std::map<std::string, std::int64_t> ready;
    seen.ready_min = extreme(events(kPodsAt), from.pods, ready, [&](View pod) {
                       return std::int64_t{cluster::is_active(pod) && cluster::is_ready(pod)};
                     }).first;
    std::map<std::string, std::int64_t> wanted;
    seen.wanted_max = extreme(events(kSetsAt), from.sets, wanted, [&](View set) {
                        return set.get("spec", "replicas").as_int();
                      }).second;
  }

  // When messages are combined depends on how often a controller tried.
  std::vector<std::string> told() {
    std::set<std::string> lines;
    for (const auto& event : list("events")) {
      const auto source = event.get("source", "component").as_string();
      if (std::ranges::find(kSources, source) == kSources.end()) continue;
      auto message = event.get("message").as_string();
      if (message.starts_with(kCombined)) message.remove_prefix(kCombined.size());
      lines.insert(normaliser_.text(fmt::format("{} {} {} {}: {}", event.get("type").as_string(),
                                                event.get("involvedObject", "kind").as_string(),
                                                source, event.get("reason").as_string(), message)));
    }
    return {lines.begin(), lines.end()};
  }

  void leave() {
    send("DELETE", "/api/v1/namespaces/" + ns_, {});
    Call nodes{.method = "DELETE", .path = "/api/v1/nodes", .query = "labelSelector=play%3D" + ns_};
    server_.call(nodes);
  }

 private:
  std::vector<Value> events(std::size_t collection) {
    std::vector<Value> found;
    const auto body = streams_[collection]->take().body;
    for (std::size_t at = 0; at < body.size();) {
      const auto end = std::min(body.find('\n', at), body.size());
      if (auto event = json::parse(std::string_view{body}.substr(at, end - at))) {
        found.push_back(*std::move(event));
      }
      at = end + 1;
    }
    return found;
  }

  // The least and the largest sum of a measure over all objects, after so many events.
  static std::pair<std::int64_t, std::int64_t> extreme(
      const std::vector<Value>& all, std::size_t from, std::map<std::string, std::int64_t>& each,
      const std::function<std::int64_t(View)>& of) {
    std::pair<std::int64_t, std::int64_t> found{INT64_MAX, 0};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const View object = all[i].get("object");
      const bool gone = all[i].get("type").as_string() == "DELETED";
      each[std::string{kube::name_of(object)}] = gone ? 0 : of(object);
      if (i < from) continue;
      std::int64_t sum = 0;
      for (const auto& [name, value] : each) sum += value;
      found = {std::min(found.first, sum), std::max(found.second, sum)};
    }
    return found;
  }

  std::string path(std::string_view collection) const {
    if (collection.starts_with("/")) return std::string{collection};
    const auto slash = collection.find('/');
    const auto group = collection.substr(0, std::min(slash, collection.size()));
    for (const auto& [name, version] : kGroups) {
      if (group != name) continue;
      return fmt::format("/apis/{}/{}/namespaces/{}/{}", group, version, ns_,
                         collection.substr(slash + 1));
    }
    return fmt::format("/api/v1/namespaces/{}/{}", ns_, collection);
  }

  Answer send(std::string_view method, std::string path, std::string body) {
    Call call{.method = std::string{method}, .path = std::move(path), .body = std::move(body)};
    call.headers.add("user-agent", "play/1");
    call.headers.add("content-type",
                     method == "PATCH" ? "application/merge-patch+json" : "application/json");
    return server_.call(call);
  }

  std::vector<Value> list(std::string_view collection) {
    const auto answer = send("GET", path(collection), {});
    const auto parsed = json::parse(answer.body);
    std::vector<Value> found;
    if (!parsed) return found;
    const std::string kind{parsed->get("kind").as_string()};
    for (const View item : parsed->get("items").elements()) {
      Draft object{item};
      object["kind"] = kind.substr(0, kind.size() - 4);  // without "List"
      found.push_back(object.freeze());
    }
    return found;
  }

  std::vector<Value> all() {
    std::vector<Value> found;
    for (const auto collection : kCollections)
      std::ranges::copy(list(collection), std::back_inserter(found));
    return found;
  }

  Value picture(const std::vector<Value>& objects) {
    normaliser_.learn(objects);
    std::map<std::string, Value> sorted;
    for (const auto& object : objects) {
      Value normal = normaliser_.normal(object);
      const auto text = json::to_text(normal);
      sorted.emplace(fmt::format("{}/{}/{}/{}", object.get("kind").as_string(),
                                 kube::name_of(normal), text, sorted.size()),
                     normal);
    }
    auto made = Draft::array();
    for (auto& [key, object] : sorted) made.push_back(std::move(object));
    return made.freeze();
  }

  void rest() {
    const auto give_up = steady_clock::now() + kLongestRest;
    auto rests = steady_clock::now() + quiet_;
    std::size_t heard = 0;
    while (steady_clock::now() < std::min(rests, give_up)) {
      server_.wait(milliseconds(20));
      std::size_t now = 0;
      for (auto& stream : streams_) now += stream->take().body.size();
      if (now != heard) rests = steady_clock::now() + quiet_;
      heard = now;
    }
  }

  // True when there was a pod to make ready.
  bool make_ready(Act::Pods how, const std::vector<Value>& objects) {
    if (how == Act::Pods::AsTheyAre) return false;
    std::map<std::string, std::string> waiting;  // in the same order on both sides
    for (const auto& object : objects) {
      if (object.get("kind").as_string() != "Pod" || !cluster::is_active(object) ||
          cluster::is_ready(object)) {
        continue;
      }
      const auto image = object.get("spec", "containers")[0].get("image").as_string();
      if (image.starts_with("broken")) continue;
      waiting.emplace(fmt::format("{}/{}", image, kube::name_of(object)), kube::name_of(object));
    }
    if (waiting.empty()) return false;
    const auto time = format_seconds(std::chrono::system_clock::now());
    for (const auto& [key, name] : waiting) {
      send("PATCH", path("pods/" + name + "/status"),
           fmt::format(R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready",)"
                       R"("status":"True","lastTransitionTime":"{}"}}]}}}})",
                       time));
      if (how == Act::Pods::OneByOne) break;
    }
    return true;
  }

  Server& server_;
  std::string ns_;
  Duration quiet_;
  PictureNormaliser normaliser_;
  std::vector<std::unique_ptr<Stream>> streams_;  // as kCollections
};

}  // namespace

Performance perform(Server& server, const Play& play, Duration quiet) {
  Performance seen;
  Stage stage(server, quiet);
  std::optional<Stage::Mark> first_act;
  for (const auto& act : play.acts) {
    stage.act(act, seen);
    if (!first_act) first_act = stage.mark();
  }
  if (first_act) stage.measure(*first_act, seen);
  // Events leave a controller through a queue of their own, slower than what it does: all are there
  // when none came for a few times as long.
  constexpr int kSlower = 4;
  for (auto told = stage.told(); told != seen.told; told = stage.told()) {
    seen.told = std::move(told);
    std::this_thread::sleep_for(kSlower * quiet);
  }
  stage.leave();
  return seen;
}

}  // namespace fixpoint::conformance
