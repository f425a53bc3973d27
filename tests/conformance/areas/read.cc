// SPDX-License-Identifier: Apache-2.0
//
// Reading: lists with selectors, limits and pages, watches, at every kind of resourceVersion and in
// every form of answer, while writes go on.
//
// A real server answers `resourceVersion=0` and watches from a cache that is a moment behind, so
// the write before such a read gets time to settle.
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "tests/conformance/area.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::conformance {
namespace {

using std::chrono::milliseconds;

constexpr Duration kCacheCatchesUp = milliseconds{80};

constexpr std::string_view kTable = "application/json;as=Table;g=meta.k8s.io;v=v1";
constexpr std::string_view kPartial =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::string_view kPartialList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

std::string joined_query(std::string_view query, std::string_view more) {
  if (query.empty()) return std::string{more};
  if (more.empty()) return std::string{query};
  return std::string{query} + "&" + std::string{more};
}

class Reader {
 public:
  Reader(Gen& gen, const Sort& sort) : gen_(gen), sort_(sort) {}

  Sequence make() {
    for (auto count = gen_.between(1, 4); count > 0; --count) add(create_step());
    if (gen_.chance(40)) {
      add_read(everywhere(list(sort_)));
      listed_ = true;
    }
    const auto size = std::ssize(sequence_.steps) + gen_.between(4, 9);
    while (std::ssize(sequence_.steps) < size) {
      const auto roll = gen_.between(0, 99);
      if (roll < 30) {
        add_read(list_step());
      } else if (roll < 38) {
        add_pages();
      } else if (roll < 58) {
        add_read(watch_step());
      } else if (roll < 66) {
        add_read(get_step());
      } else {
        add(write_step());
      }
    }
    return std::move(sequence_);
  }

 private:
  std::string name() { return gen_.pick({"a", "b", "c", "d"}); }

  void add(Step step) {
    if (!step.accept.empty()) sequence_.http_only = true;
    sequence_.steps.push_back(std::move(step));
  }

  void add_read(Step step) {
    if (!sequence_.steps.empty()) {
      auto& before = sequence_.steps.back();
      if (before.method != "GET" && before.method != "WATCH") before.settle = kCacheCatchesUp;
    }
    add(std::move(step));
  }

  Step create_step() {
    auto labels = json::Draft::object({
        {"seq", "<<id>>"}
    });
    if (gen_.chance(80)) labels["app"] = gen_.pick({"web", "db"});
    if (gen_.chance(60)) labels["tier"] = gen_.pick({"1", "2", "3", "x"});
    auto metadata = json::Draft::object({
        {"labels", labels}
    });
    if (gen_.chance(10)) metadata["finalizers"] = json::Draft::array({"example.com/hold"});
    const auto frozen = metadata.freeze();
    const auto chosen = name();
    made_.push_back(chosen);
    const auto body = object(sort_, chosen, frozen);
    return create(sort_, body);
  }

  Step write_step() {
    switch (gen_.between(0, 7)) {
      case 0:
      case 1: return create_step();
      case 2: return remove(sort_, name());
      case 3: return merge_patch(sort_, name(), std::string{sort_.change});
      case 4:
        if (!sort_.namespaced) return remove(sort_, name());
        return remove_collection(sort_, joined_query(gen_.chance(70) ? label_query() : "",
                                                     gen_.chance(20) ? "limit=1" : ""));
      default:
        return merge_patch(sort_, name(),
                           gen_.pick({R"({"metadata":{"labels":{"app":"db"}}})",
                                      R"({"metadata":{"labels":{"app":"web"}}})",
                                      R"({"metadata":{"labels":{"app":null}}})",
                                      R"({"metadata":{"labels":{"tier":"2"}}})",
                                      R"({"metadata":{"annotations":{"a":"b"}}})",
                                      R"({"metadata":{"finalizers":null}})"}));
    }
  }

  std::string label_query() {
    if (gen_.chance(12)) {
      return "labelSelector=" +
             gen_.pick({"%3Dx", "app%20in", "app%20in%20web", "a%20b", "app%3Dweb!", "-bad%3Dx",
                        "tier%3Ex", "app%20in%20()", "%2C", "app%3D%3D%3Dweb", "app%20in%20(web",
                        "!", "app%20is%20web", "app%3D%22web%22", "a/b/c%3Dx"});
    }
    return "labelSelector=" +
           gen_.pick({"app%3Dweb", "app%20in%20(web%2Cdb)", "!tier", "tier", "app!%3Dweb",
                      "app%20notin%20(web)", "tier%3E1", "tier%3C3", "app%3D%3Dweb%2Ctier%3D1", "",
                      "app%3D", "%20app%20%3D%20web%20", "app%20in%20(%2Cweb)", "app%3Ddb%2C!tier",
                      "example.com/x!%3Dy"});
  }

  std::string field_query() {
    if (gen_.chance(20)) {
      return "fieldSelector=" +
             gen_.pick({"metadata.labels%3Dx", "spec.foo%3D1", "a", "metadata.name%3Ea",
                        "metadata.name%20in%20(a)", "metadata.uid%3Dx", "metadata.name%3Da%3Db"});
    }
    return "fieldSelector=" +
           gen_.pick({"metadata.name%3D", "metadata.name!%3D", "metadata.name%3D%3D"}) +
           name_in(sort_, name());
  }

  std::string special_field_query() {
    if (sort_.resource == "pods") {
      return "fieldSelector=" +
             gen_.pick({"spec.nodeName%3D", "status.phase%3DPending", "status.phase!%3DPending",
                        "spec.restartPolicy%3DAlways", "spec.schedulerName!%3Ddefault-scheduler",
                        "status.podIP%3D10.0.0.1", "spec.hostNetwork%3Dfalse",
                        "spec.serviceAccountName%3D", "status.nominatedNodeName%3D",
                        "status.phase%3DPending%2Cmetadata.name%3Da"});
    }
    if (sort_.resource == "secrets") {
      return "fieldSelector=" + gen_.pick({"type%3DOpaque", "type!%3DOpaque", "data%3Dx"});
    }
    if (sort_.resource == "events") {
      return "fieldSelector=" + gen_.pick({"involvedObject.name%3Dp", "reason!%3DStarted",
                                           "type%3DNormal", "source%3D"});
    }
    if (sort_.resource == "jobs") return "fieldSelector=status.successful%3D0";
    if (sort_.resource == "namespaces") return "fieldSelector=status.phase%3DActive";
    return field_query();
  }

  std::string version() {
    const auto roll = gen_.between(0, 99);
    if (roll < 20) return "0";
    // What is not known yet would be a version that a real server may or may not have forgotten.
    if (roll < 40 && listed_) return "<<listed>>";
    if (roll < 60 || made_.empty()) return "<<rv>>";
    if (roll < 78) return "<<rv " + item(sort_, gen_.pick(made_)) + ">>";
    if (roll < 96) return gen_.pick({"abc", "-1", "1.5", "0x10", "", "%201"});
    return "99999999999";
  }

  // With a selector of this sequence's own where others' objects would be listed too.
  Step everywhere(Step step) {
    // How many more there are depends on what other sequences have: no pages of everybody's.
    if (!sort_.namespaced || (gen_.chance(15) && !step.query.contains("limit="))) {
      drop_limit(step.query);
      const auto place = step.path.find("/namespaces/<<ns>>/");
      if (place != std::string::npos) step.path.erase(place, 18);
      const auto selector = step.query.find("labelSelector=");
      if (selector == std::string::npos) return with(std::move(step), "labelSelector=seq%3D<<id>>");
      const auto after = selector + std::string_view{"labelSelector="}.size();
      const bool alone = after == step.query.size() || step.query[after] == '&';
      step.query.insert(after, alone ? "seq%3D<<id>>" : "seq%3D<<id>>%2C");
    }
    return step;
  }

  static void drop_limit(std::string& query) {
    const auto at = query.find("limit=");
    if (at == std::string::npos) return;
    const auto end = std::min(query.find('&', at), query.size() - 1);
    query.erase(at, end + 1 - at);
    if (query.ends_with('&')) query.pop_back();
  }

  Step in_form(Step step) {
    if (gen_.chance(70)) return step;
    if (!step.query.empty()) {
      // Of a bad form and a bad question either may be noticed first.
      step.accept = gen_.pick({kTable, "application/yaml", "*/*"});
      return step;
    }
    step.accept = gen_.pick({kTable, kPartial, kPartialList, "application/yaml",
                             "application/json;as=Table;g=meta.k8s.io;v=v1beta1",
                             "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
                             "application/json;as=Nothing;g=meta.k8s.io;v=v1", "text/html",
                             "application/json;as=Table;g=meta.k8s.io;v=v2", "*/*"});
    if (step.accept.contains("Table") && gen_.chance(50)) {
      step = with(std::move(step),
                  "includeObject=" + gen_.pick({"None", "Object", "Metadata", "All"}));
    }
    return step;
  }

  std::string selectors() {
    std::string query;
    if (gen_.chance(45)) query = label_query();
    if (gen_.chance(25))
      query = joined_query(query, gen_.chance(50) ? field_query() : special_field_query());
    return query;
  }

  Step list_step() {
    auto query = selectors();
    if (gen_.chance(30))
      query = joined_query(query, "limit=" + gen_.pick({"1", "2", "0", "-1", "500"}));
    if (gen_.chance(45)) {
      query = joined_query(query, "resourceVersion=" + version());
      if (gen_.chance(50)) {
        query = joined_query(query, "resourceVersionMatch=" +
                                        gen_.pick({"NotOlderThan", "Exact", "Exact", "Newest"}));
      }
    } else if (gen_.chance(8)) {
      query = joined_query(query, "resourceVersionMatch=" + gen_.pick({"NotOlderThan", "Exact"}));
    }
    if (gen_.chance(5))
      query = joined_query(query, "continue=" + gen_.pick({"abc", "e30", "<<continue>>"}));
    if (gen_.chance(4)) query = joined_query(query, "timeoutSeconds=" + gen_.pick({"5", "-1"}));
    return in_form(everywhere(list(sort_, query)));
  }

  void add_pages() {
    if (!sort_.namespaced) return add_read(everywhere(list(sort_, selectors())));
    const auto query = joined_query(selectors(), "limit=" + gen_.pick({"1", "2"}));
    auto first = list(sort_, query);
    auto more = first;
    more = with(std::move(more), "continue=<<continue>>");
    if (gen_.chance(12)) more = with(std::move(more), "resourceVersion=<<listed>>");
    add_read(std::move(first));
    for (auto count = gen_.between(1, 2); count > 0; --count) {
      if (gen_.chance(50)) add(write_step());
      add_read(gen_.chance(20) ? in_form(more) : more);
    }
  }

  Step watch_step() {
    auto query = selectors();
    const auto roll = gen_.between(0, 99);
    if (roll < 55) {
      query = joined_query(query, "resourceVersion=" + version());
    } else if (roll < 80) {
      query =
          joined_query(query, "sendInitialEvents=" + gen_.pick({"true", "true", "true", "false"}));
      if (gen_.chance(85)) query = joined_query(query, "resourceVersionMatch=NotOlderThan");
      if (gen_.chance(80)) query = joined_query(query, "allowWatchBookmarks=true");
      if (gen_.chance(40)) query = joined_query(query, "resourceVersion=" + version());
    } else if (roll < 84) {
      query = joined_query(query, "resourceVersionMatch=" + gen_.pick({"NotOlderThan", "Exact"}));
    }
    if (gen_.chance(10)) query = joined_query(query, "allowWatchBookmarks=true");
    if (gen_.chance(8)) query = joined_query(query, "timeoutSeconds=" + gen_.pick({"60", "0"}));
    if (gen_.chance(3)) query = joined_query(query, "limit=1");
    auto step = everywhere(watch(sort_, query));
    if (gen_.chance(25)) step.accept = gen_.pick({kTable, kPartial, kPartialList});
    return step;
  }

  Step get_step() {
    auto step = get(sort_, name());
    if (gen_.chance(40)) {
      step = with(std::move(step), "resourceVersion=" + gen_.pick({"0", "abc", "<<rv>>", "-1"}));
    }
    return in_form(std::move(step));
  }

  Gen& gen_;
  const Sort& sort_;
  Sequence sequence_;
  std::vector<std::string> made_;
  bool listed_ = false;
};

// What a new cluster begins with, and nobody here changes. One of them: in which order a real
// server makes them is not always the same.
Sequence first_object(Gen& gen) {
  const bool level = gen.chance(40);
  Step step;
  step.path = "/apis/flowcontrol.apiserver.k8s.io/v1/";
  step.path += level ? "prioritylevelconfigurations/" : "flowschemas/";
  step.path +=
      level
          ? gen.pick({"catch-all", "exempt", "global-default", "leader-election", "node-high",
                      "system", "workload-high", "workload-low"})
          : gen.pick({"catch-all", "exempt", "global-default", "probes", "kube-controller-manager",
                      "kube-scheduler", "service-accounts", "kube-system-service-accounts",
                      "system-leader-election", "system-node-high", "system-nodes"});
  Sequence made;
  made.steps.push_back(step);
  step.accept = kTable;
  made.steps.push_back(step);
  made.http_only = true;
  return made;
}

// The parts of the control plane. Whether its loops answer is not asked: beside this server there
// are none.
Sequence component_status(Gen& gen) {
  Sequence made;
  Step step;
  step.path = "/api/v1/componentstatuses";
  switch (gen.between(0, 4)) {
    case 0: step.path += "/etcd-0"; break;
    case 1: step.path += "/nobody"; break;
    case 2: step.query = "labelSelector=a%3Db"; break;
    case 3:
      step.query = gen.pick({"labelSelector=%3D%3D", "fieldSelector=a%3Db", "limit=x"});
      break;
    default:
      step.method = gen.pick({"POST", "PUT", "DELETE", "PATCH"});
      step.path += gen.pick({"", "/etcd-0"});
      if (step.method != "DELETE") step.body = "{}";
  }
  made.steps.push_back(step);
  if (step.method == "GET") {
    step.accept = gen.pick({kTable, kPartial, kPartialList});
    made.steps.push_back(step);
  }
  made.http_only = true;
  return made;
}

// A path with a place for a namespace and nothing in it.
Sequence empty_namespace(Gen& gen) {
  const auto resource = gen.pick({"pods", "configmaps", "secrets", "services"});
  Sequence made;
  Step step;
  step.path = "/api/v1/namespaces//" + resource;
  step.method = "POST";
  step.body = gen.pick({R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"A"}})",
                        R"({"metadata":{"name":"a","namespace":"<<ns>>"}})"});
  made.steps.push_back(step);
  // Never all objects of all namespaces: others are at work there.
  step.method = gen.pick({"DELETE", "GET", "DELETE"});
  step.body.clear();
  step.query = "labelSelector=nobody%3D<<id>>";
  made.steps.push_back(step);
  step.query.clear();
  step.path += "/a";
  for (const std::string_view method : {"GET", "PUT", "PATCH", "DELETE"}) {
    if (!gen.chance(50)) continue;
    step.method = method;
    step.body = method == "PUT" || method == "PATCH" ? R"({"metadata":{"name":"a"}})" : "";
    step.content_type = method == "PATCH" ? "application/merge-patch+json" : "";
    made.steps.push_back(step);
  }
  step = {};
  step.path = "/api/v1/namespaces//pods/a/" + gen.pick({"status", "log", "eviction"});
  made.steps.push_back(step);
  return made;
}

}  // namespace

Sequence make_read(Gen& gen) {
  static const std::vector<std::string> kResources{
      "configmaps",  "configmaps", "secrets",         "pods",
      "pods",        "services",   "deployments",     "jobs",
      "events",      "gadgets",    "gadgets",         "gadgets",
      "bags",        "crates",     "zones",           "namespaces",
      "roles",       "leases",     "serviceaccounts", "resourcequotas",
      "rolebindings"};
  const auto& chosen = sort(gen.pick(kResources));
  auto made = Reader{gen, chosen}.make();
  if (gen.chance(2)) return first_object(gen);
  if (gen.chance(2)) return component_status(gen);
  if (gen.chance(2)) return empty_namespace(gen);
  // That a version is deprecated is said by what stands around the core.
  if (chosen.resource == "zones") made.http_only = true;
  return made;
}

}  // namespace fixpoint::conformance
