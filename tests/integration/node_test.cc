// SPDX-License-Identifier: Apache-2.0
//
// Pods as real processes under `fixpoint up`: started, probed, restarted, stopped, killed with
// their agent, adopted by the next one, and what each of that looks like in the API.
#include "tests/integration/local_processes.h"
#include "tests/integration/node_stage.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodePods : public NodeStage {};

TEST_F(NodePods, RunAndTellWhatTheyAre) {
  start();
  create("p", shell("echo I am $POD_IP on $(hostname); sleep 1000"));

  const auto pod = ready("p");

  const json::View status = pod.get("status");
  EXPECT_EQ(status.get("phase").as_string(), "Running");
  EXPECT_THAT(std::string{status.get("podIP").as_string()}, HasSubstr("127."));
  const json::View container = status.get("containerStatuses")[0];
  EXPECT_THAT(std::string{container.get("containerID").as_string()}, HasSubstr("fixpoint://"));
  EXPECT_TRUE(container.get("state", "running").is_object());
  EXPECT_TRUE(eventually([&] {
    return log("p").find(fmt::format("I am {}", status.get("podIP").as_string())) == 0;
  })) << log("p");
  EXPECT_TRUE(eventually([&] { return has_event("Started", "Started container c"); }));
  EXPECT_TRUE(has_event("Created", "Created container: c"));
  EXPECT_TRUE(has_event("Pulled", "Container image \"busybox:1.36\" already present on machine"));
  EXPECT_THAT(processes_with(mark()), testing::Not(IsEmpty()));

  remove("p");
  EXPECT_TRUE(eventually([&] { return processes_with(mark()).empty(); }));
}

TEST_F(NodePods, SucceedAndFailWithTheirExitCodes) {
  start();
  create("good", shell("echo done"), R"("restartPolicy":"Never")");
  create("bad", shell("echo why >/dev/termination-log; exit 3"), R"("restartPolicy":"Never")");

  const auto good = in_phase("good", "Succeeded");
  const auto bad = in_phase("bad", "Failed");

  const json::View done = good.get("status", "containerStatuses")[0].get("state", "terminated");
  EXPECT_EQ(done.get("reason").as_string(), "Completed");
  const json::View failed = bad.get("status", "containerStatuses")[0].get("state", "terminated");
  EXPECT_EQ(failed.get("exitCode").as_int(), 3);
  EXPECT_EQ(failed.get("reason").as_string(), "Error");
  EXPECT_EQ(log("good"), "done\n");
}

TEST_F(NodePods, AreRestartedAndThenWait) {
  start();
  create("p", shell("echo run; exit 1"));

  const auto why = waiting("p", "CrashLoopBackOff");

  EXPECT_THAT(std::string{why.get("message").as_string()},
              HasSubstr("back-off 10s restarting failed container=c pod=p_default("));
  const auto pod = get(kPods + "/p");
  const json::View container = pod.get("status", "containerStatuses")[0];
  EXPECT_EQ(container.get("restartCount").as_int(), 1);
  EXPECT_EQ(container.get("lastState", "terminated", "exitCode").as_int(), 1);
  EXPECT_TRUE(has_event("BackOff", "Back-off restarting failed container c in pod p_default("));
  EXPECT_EQ(log("p", "?previous=true"), "run\n");
}

TEST_F(NodePods, SayWhyTheyCannotStart) {
  start();
  create("config", shell("true") + R"(,"envFrom":[{"configMapRef":{"name":"nope"}}])");
  create("volume", shell("true"), R"("volumes":[{"name":"v","configMap":{"name":"nope"}}])");
  create("command", R"("command":["no-such-program"])", R"("restartPolicy":"Never")");
  create("image", "", "", "Not An Image");
  create("never", R"("imagePullPolicy":"Never")", "", "example/unknown:1");
  create("privileged", shell("true") + R"(,"securityContext":{"privileged":true})");

  const auto config = waiting("config", "CreateContainerConfigError");
  EXPECT_EQ(config.get("message").as_string(), "configmap \"nope\" not found");
  EXPECT_TRUE(eventually([&] {
    return has_event("FailedMount",
                     "MountVolume.SetUp failed for volume \"v\" : configmap \"nope\" not found");
  }));
  const auto creating = waiting("volume", "ContainerCreating");
  EXPECT_TRUE(creating.get("message").is_null());
  const auto command = in_phase("command", "Failed");
  const json::View end = command.get("status", "containerStatuses")[0].get("state", "terminated");
  EXPECT_EQ(end.get("reason").as_string(), "StartError");
  EXPECT_EQ(end.get("exitCode").as_int(), 128);
  EXPECT_THAT(std::string{end.get("message").as_string()},
              HasSubstr("exec: \"no-such-program\": executable file not found in $PATH"));
  const auto image = waiting("image", "InvalidImageName");
  EXPECT_THAT(std::string{image.get("message").as_string()},
              HasSubstr("couldn't parse image name"));
  const auto never = waiting("never", "ErrImageNeverPull");
  EXPECT_EQ(never.get("message").as_string(),
            "Container image \"example/unknown:1\" is not present with pull policy of Never");
  const auto privileged = waiting("privileged", "CreateContainerConfigError");
  EXPECT_THAT(std::string{privileged.get("message").as_string()}, HasSubstr("not allowed"));

  // What was missing comes, and the pods go on.
  call("POST", "/api/v1/namespaces/default/configmaps",
       R"({"metadata":{"name":"nope"},"data":{"K":"v"}})");
  pod_when("volume", [](json::View pod) {
    const json::View container = pod.get("status", "containerStatuses")[0];
    return container.get("lastState").contains("terminated") ||
           container.get("state").contains("terminated");
  });
}

TEST_F(NodePods, SeeTheirVolumesAndEveryChangeOfThem) {
  start();
  call("POST", "/api/v1/namespaces/default/configmaps",
       R"({"metadata":{"name":"c"},"data":{"a.conf":"one"}})");
  call("POST", "/api/v1/namespaces/default/secrets",
       R"({"metadata":{"name":"s"},"data":{"pw":"c2VjcmV0"}})");
  create("p",
         shell("cat /etc/app/a.conf /etc/pw; echo; echo kept > /data/f; "
               "while [ $(cat /etc/app/a.conf) = one ]; do sleep 0.1; done; "
               "cat /etc/app/a.conf /data/f; sleep 1000") +
             R"(,"volumeMounts":[{"name":"v","mountPath":"/etc/app"},
                {"name":"s","mountPath":"/etc/pw","subPath":"pw"},
                {"name":"d","mountPath":"/data","subPath":"x/y"}])",
         R"("volumes":[{"name":"v","configMap":{"name":"c"}},
             {"name":"s","secret":{"secretName":"s"}},{"name":"d","emptyDir":{}}])");
  ready("p");
  ASSERT_TRUE(eventually([&] { return log("p").find("onesecret") == 0; })) << log("p");

  call("PATCH", "/api/v1/namespaces/default/configmaps/c", R"({"data":{"a.conf":"two"}})");

  EXPECT_TRUE(eventually([&] { return log("p").find("twokept") != std::string::npos; }))
      << log("p");
}

TEST_F(NodePods, RunInitContainersAndSidecarsInOrder) {
  start();
  create("p",
         shell("cat /w/order; sleep 1000") + R"(,"volumeMounts":[{"name":"w","mountPath":"/w"}])",
         R"("volumes":[{"name":"w","emptyDir":{}}],"initContainers":[
           {"name":"i","image":"busybox","command":["sh","-c","echo i >> /w/order"],
            "volumeMounts":[{"name":"w","mountPath":"/w"}]},
           {"name":"s","image":"busybox","restartPolicy":"Always",
            "command":["sh","-c","echo s >> /w/order; touch /w/up; sleep 1000"],
            "startupProbe":{"exec":{"command":["test","-e","/w/up"]},"periodSeconds":1},
            "volumeMounts":[{"name":"w","mountPath":"/w"}]}])");

  const auto pod = ready("p");

  EXPECT_TRUE(eventually([&] { return log("p", "?container=c") == "i\ns\n"; }));
  const json::View init = pod.get("status", "initContainerStatuses");
  EXPECT_EQ(init[0].get("state", "terminated", "reason").as_string(), "Completed");
  EXPECT_TRUE(init[1].get("started").as_bool());
}

TEST_F(NodePods, AreReadyByOneProbeAndRestartedByTheOther) {
  start();
  create("p", shell("sleep 1; touch /tmp/ready; sleep 1; touch /tmp/ill; sleep 1000") +
                  R"(,"livenessProbe":{"exec":{"command":["sh","-c","test ! -e /tmp/ill"]},
                      "periodSeconds":1,"failureThreshold":1},
                     "readinessProbe":{"exec":{"command":["sh","-c","cat /tmp/ready"]},
                      "periodSeconds":1})");

  ready("p");
  EXPECT_TRUE(eventually([&] { return has_event("Unhealthy", "Readiness probe failed: cat:"); }));
  pod_when("p", [](json::View pod) {
    return pod.get("status", "containerStatuses")[0].get("restartCount").as_int() == 1;
  });
  EXPECT_TRUE(eventually([&] {
    return has_event("Killing", "Container c failed liveness probe, will be restarted");
  }));
}

TEST_F(NodePods, EndOnTimeThoughTheyForkAndIgnoreSignals) {
  start();
  create("p", shell("trap '' TERM; (trap '' TERM; setsid sleep 1000) & setsid sh -c "
                    "'trap \\\"\\\" TERM; sleep 1000' & while true; do sleep 1; done"));
  ready("p");
  ASSERT_TRUE(eventually([&] { return processes_with(mark()).size() >= 3; }));

  remove("p");

  EXPECT_TRUE(eventually([&] { return processes_with(mark()).empty(); }));
  EXPECT_TRUE(has_event("Killing", "Stopping container c"));
}

TEST_F(NodePods, FloodTheirLogWithinItsBounds) {
  start({"--data-dir", data_dir()});
  create("p",
         shell("i=0; while [ $i -lt 40 ]; do head -c 1000000 /dev/zero | tr '\\\\0' x; echo; "
               "i=$((i+1)); done; echo the end"),
         R"("restartPolicy":"Never")");
  in_phase("p", "Succeeded");

  EXPECT_EQ(log("p", "?tailLines=1"), "the end\n");
  std::uintmax_t bytes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(data_dir() + "/node/pods")) {
    if (entry.is_regular_file() && entry.path().string().find(".log") != std::string::npos) {
      bytes += entry.file_size();
    }
  }
  EXPECT_LE(bytes, std::uintmax_t{21} << 20U);
}

TEST_F(NodePods, AreAdoptedByTheNextAgentWithTheirProcesses) {
  start({"--data-dir", data_dir()});
  create("p", shell("echo once; sleep 1000"));
  const auto before = ready("p");
  ASSERT_TRUE(eventually([&] { return log("p") == "once\n"; }));
  const auto processes = processes_with(mark());

  server_->kill();
  start({"--data-dir", data_dir()});

  // The pod is ready before anybody has looked at it; its log needs an agent that knows it.
  EXPECT_TRUE(eventually([&] { return log("p") == "once\n"; })) << log("p");
  EXPECT_TRUE(std::ranges::includes(processes_with(mark()), processes));
  const auto after = ready("p");
  const json::View was = before.get("status", "containerStatuses")[0];
  const json::View is = after.get("status", "containerStatuses")[0];
  EXPECT_EQ(is.get("containerID").as_string(), was.get("containerID").as_string());
  EXPECT_EQ(is.get("restartCount").as_int(), 0);
  EXPECT_EQ(after.get("status", "podIP").as_string(), before.get("status", "podIP").as_string());
  remove("p");
  EXPECT_TRUE(eventually([&] { return processes_with(mark()).empty(); }));
}

TEST_F(NodePods, LeaveNothingBehindAfterAStop) {
  start({"--data-dir", data_dir()});
  create("p", shell("sleep 1000 & sleep 1000"));
  ready("p");

  EXPECT_EQ(server_->stop(), 0);

  EXPECT_THAT(processes_with(mark()), IsEmpty());
}

TEST_F(NodePods, AreSimulatedWhereTheImageHasNoProgramAndSaySo) {
  start();
  create("p", "", "", "example/unknown:1");

  ready("p");

  EXPECT_TRUE(eventually(
      [&] { return has_event("Simulated", "has no local program: the container is simulated"); }));
  remove("p");
}

TEST_F(NodePods, AreFollowedByTheirReaders) {
  start();
  create("p", shell("for i in 1 2 3; do echo line $i; sleep 0.2; done"),
         R"("restartPolicy":"Never")");
  pod_when("p", [](json::View pod) {
    return !pod.get("status", "containerStatuses")[0].get("state").contains("waiting") &&
           !pod.get("status", "containerStatuses").empty();
  });

  const auto followed = call("GET", kPods + "/p/log?follow=true");

  EXPECT_EQ(followed.body, "line 1\nline 2\nline 3\n");
  in_phase("p", "Succeeded");
  EXPECT_EQ(log("p", "?tailLines=2"), "line 2\nline 3\n");
  EXPECT_EQ(log("p", "?limitBytes=6"), "line 1");
  EXPECT_THAT(log("p", "?tailLines=1&timestamps=true"), testing::MatchesRegex("20[^ ]*Z line 3\n"));
  EXPECT_EQ(call("GET", kPods + "/p/log?previous=true").status, 400);
}

TEST_F(NodePods, ServeOnTheirOwnAddresses) {
  if (std::system("command -v redis-server >/dev/null") != 0) GTEST_SKIP() << "no redis-server";
  start();
  create("a",
         R"("args":["--save",""],"readinessProbe":{"tcpSocket":{"port":6379},"periodSeconds":1})",
         "", "redis:7");
  create("b",
         R"("args":["--save",""],"readinessProbe":{"tcpSocket":{"port":6379},"periodSeconds":1})",
         "", "valkey/valkey:7.2");

  const auto a = ready("a");
  const auto b = ready("b");

  EXPECT_NE(a.get("status", "podIP").as_string(), b.get("status", "podIP").as_string());
}

}  // namespace
}  // namespace fixpoint
