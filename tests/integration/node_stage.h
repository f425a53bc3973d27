// SPDX-License-Identifier: Apache-2.0
//
// A server whose pods are processes of this machine, and what tests of them ask again and again.
#pragma once

#include "tests/integration/collections.h"
#include "tests/integration/local_processes.h"
#include "tests/integration/running_operator.h"
#include "tests/integration/running_server.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint {

class NodeStage : public testing::Test {
 protected:
  void start(std::vector<std::string> flags = {"--ephemeral"}) {
    flags.insert(flags.end(), {"--nodes", "local"});
    auto started = RunningServer::start(scratch_.path(), std::move(flags));
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }
  std::string data_dir() const { return (scratch_.path() / "data").string(); }
  // In the environment of every container: how a test finds what is left of its own.
  std::string mark() const {
    return fmt::format("NODE_TEST={}", scratch_.path().filename().string());
  }

  net::Response call(std::string method, std::string target, std::string body = {}) {
    return server_->access().call(std::move(method), std::move(target), std::move(body));
  }
  json::Value get(const std::string& target) { return server_->access().get(target); }

  // A pod of one container `c`, with more in the container and in the spec.
  void create(const std::string& name, const std::string& container, const std::string& spec = "",
              const std::string& image = "busybox:1.36") {
    const auto made = call(
        "POST", kPods,
        fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"terminationGracePeriodSeconds":2,)"
                    R"("containers":[{{"name":"c","image":"{}",)"
                    R"("env":[{{"name":"NODE_TEST","value":"{}"}}]{}}}]{}}}}})",
                    name, image, scratch_.path().filename().string(),
                    container.empty() ? "" : "," + container, spec.empty() ? "" : "," + spec));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  static std::string shell(const std::string& script) {
    return fmt::format(R"("command":["sh","-c","{}"])", script);
  }

  json::Value pod_when(const std::string& name, const std::function<bool(json::View)>& holds) {
    json::Value pod;
    const bool came = eventually([&] {
      pod = get(kPods + "/" + name);
      return holds(pod);
    });
    EXPECT_TRUE(came) << call("GET", kPods + "/" + name).body;
    return pod;
  }
  json::Value ready(const std::string& name) {
    return pod_when(name, [](json::View pod) {
      for (const json::View one : pod.get("status", "conditions").elements()) {
        if (one.get("type").as_string() == "Ready") return one.get("status").as_string() == "True";
      }
      return false;
    });
  }
  json::Value in_phase(const std::string& name, std::string_view phase) {
    return pod_when(
        name, [phase](json::View pod) { return pod.get("status", "phase").as_string() == phase; });
  }
  json::Value waiting(const std::string& name, std::string_view reason) {
    auto pod = pod_when(name, [reason](json::View one) {
      return one.get("status", "containerStatuses")[0]
                 .get("state", "waiting", "reason")
                 .as_string() == reason;
    });
    return pod.get("status", "containerStatuses")[0].get("state", "waiting");
  }
  std::string log(const std::string& name, const std::string& query = "") {
    return call("GET", kPods + "/" + name + "/log" + query).body;
  }
  bool has_event(std::string_view reason, std::string_view note) {
    const auto events = get("/api/v1/namespaces/default/events");
    for (const json::View event : events.get("items").elements()) {
      if (event.get("reason").as_string() == reason &&
          event.get("message").as_string().find(note) != std::string_view::npos) {
        return true;
      }
    }
    return false;
  }
  void remove(const std::string& name) {
    call("DELETE", kPods + "/" + name);
    EXPECT_TRUE(eventually([&] { return call("GET", kPods + "/" + name).status == 404; }));
  }

  ScratchDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
};

}  // namespace fixpoint
