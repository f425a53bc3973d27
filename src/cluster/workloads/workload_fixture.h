// SPDX-License-Identifier: Apache-2.0
//
// WorkloadFixture: the loops of a cluster in a test that plays the kubelet: pods run, become ready,
// fail and end when the test says so.
#pragma once

#include "base/rfc3339.h"
#include "cluster/loop_fixture.h"
#include "cluster/workloads/pod_state.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace fixpoint::cluster {

class WorkloadFixture : public LoopFixture {
 protected:
  static std::string path(std::string_view kind, std::string_view name = {}) {
    const bool core = kind == "pods" || kind == "persistentvolumeclaims" || kind == "events" ||
                      kind == "replicationcontrollers" || kind == "resourcequotas";
    std::string made{core ? "/api/v1" : "/apis/apps/v1"};
    if (kind == "jobs" || kind == "cronjobs") made = "/apis/batch/v1";
    if (kind == "poddisruptionbudgets") made = "/apis/policy/v1";
    if (kind == "horizontalpodautoscalers") made = "/apis/autoscaling/v2";
    made.append("/namespaces/ns/").append(kind);
    if (!name.empty()) made.append("/").append(name);
    return made;
  }
  // A template of one container with these labels.
  static std::string pod_template(std::string_view app, std::string_view image) {
    return R"({"metadata":{"labels":{"app":")" + std::string{app} +
           R"("}},"spec":{"containers":[{"name":"c","image":")" + std::string{image} + R"("}]}})";
  }
  json::Value made(std::string_view kind, std::string_view body) {
    auto response = create(path(kind), body);
    EXPECT_EQ(response.code, 201) << message(response);
    return response.body;
  }
  void change(std::string_view kind, std::string_view name, std::string_view merge_patch) {
    const auto response = patch(path(kind, name), merge_patch);
    EXPECT_EQ(response.code, 200) << message(response);
  }
  // The object, kept for the rest of the test.
  json::View read(std::string_view kind, std::string_view name) {
    return kept_.emplace_back(get(path(kind, name)).body);
  }
  std::vector<json::Value> all(std::string_view kind) {
    std::vector<json::Value> found;
    const auto page = list(path(kind));
    for (const auto& record : page.list->items) found.push_back(record->body);
    return found;
  }
  std::vector<std::string> names(std::string_view kind) {
    std::vector<std::string> found;
    for (const auto& object : all(kind)) found.emplace_back(kube::name_of(object));
    return found;
  }

  // What a kubelet says of a pod.
  void report(std::string_view pod, std::string_view phase, bool ready) {
    const auto response =
        patch(path("pods", pod) + "/status",
              R"({"status":{"phase":")" + std::string{phase} +
                  R"(","conditions":[{"type":"Ready","status":")" + (ready ? "True" : "False") +
                  R"(","lastTransitionTime":")" + format_seconds(clock_.wall()) + R"("}]}})");
    EXPECT_EQ(response.code, 200) << message(response);
  }
  void run_all() {
    for (const auto& pod : all("pods")) {
      if (is_active(pod) && !is_ready(pod)) report(kube::name_of(pod), "Running", true);
    }
  }
  // Settles, runs the pods there are, and so on, until nothing new comes.
  void converge() {
    for (int i = 0; i < kRoundsMax; ++i) {
      settle();
      const auto before = store_.revision();
      run_all();
      if (store_.revision() == before) return;
    }
    FAIL() << "it never converges";
  }
  // "Type Reason: message" of every event about an object of that kind.
  std::vector<std::string> told(std::string_view kind) {
    std::vector<std::string> lines;
    for (const auto& event : all("events")) {
      if (event.get("involvedObject", "kind").as_string() != kind) continue;
      lines.push_back(std::string{event.get("reason").as_string()} + ": " +
                      std::string{event.get("message").as_string()});
    }
    std::ranges::sort(lines);
    return lines;
  }

 private:
  std::deque<json::Value> kept_;
};

}  // namespace fixpoint::cluster
