// SPDX-License-Identifier: Apache-2.0
//
// What a program finds around it in a pod: hooks, probes over HTTP, files that tell it of itself,
// the names of others, a disk that outlives it.
#include "tests/integration/node_stage.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class NodeLife : public NodeStage {};

TEST_F(NodeLife, BeforeItsEndAProgramIsAskedByHookAndThenBySignal) {
  start();
  // A shell may say of its sleep that it was "Terminated", between any two lines: not here.
  create("p",
         shell("exec 2>/dev/null; trap 'cat /w/order; echo term; exit 0' TERM; sleep 1; "
               "touch /w/ill; while true; do sleep 0.1; done") +
             R"(,"volumeMounts":[{"name":"w","mountPath":"/w"}],
                "lifecycle":{"preStop":{"exec":{"command":["sh","-c","echo hook >> /w/order"]}}},
                "livenessProbe":{"exec":{"command":["sh","-c","test ! -e /w/ill || rm /w/missing"]},
                  "periodSeconds":1,"failureThreshold":1})",
         R"("volumes":[{"name":"w","emptyDir":{}}])");

  pod_when("p", [](json::View pod) {
    return pod.get("status", "containerStatuses")[0].get("restartCount").as_int() >= 1;
  });

  EXPECT_THAT(log("p", "?previous=true"), HasSubstr("hook\nterm\n"));
}

TEST_F(NodeLife, AProgramIsAskedOverHttpAtItsOwnAddress) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "no python3";
  start();
  const std::string serve =
      R"("command":["sh","-c","cd /tmp && exec python3 -m http.server --bind $POD_IP 8080"])";
  create("good", serve + R"(,"readinessProbe":{"httpGet":{"port":8080,"path":"/"},
                             "periodSeconds":1})");
  create("bad", serve + R"(,"readinessProbe":{"httpGet":{"port":8080,"path":"/none"},
                            "periodSeconds":1})");

  ready("good");

  EXPECT_TRUE(eventually([&] {
    return has_event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 404");
  }));
}

TEST_F(NodeLife, AProgramThatWouldListenEverywhereListensAtItsOwnAddress) {
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "no python3";
  start();
  const std::string serve =
      R"("command":["sh","-c","cd /tmp && exec python3 -m http.server 28080"],
         "readinessProbe":{"httpGet":{"port":28080},"periodSeconds":1})";
  create("a", serve);
  create("b", serve);

  ready("a");
  ready("b");

  // Of 0.0.0.0 and ::, port 28080, as the kernel writes them.
  EXPECT_THAT(read_file("/proc/net/tcp").value_or(""), Not(HasSubstr(" 00000000:6DB0 ")));
  EXPECT_THAT(read_file("/proc/net/tcp6").value_or(""),
              Not(HasSubstr(" 00000000000000000000000000000000:6DB0 ")));
}

TEST_F(NodeLife, FilesTellAProgramOfItselfAndFollowIt) {
  start();
  create("p",
         shell("while ! grep -q new /i/labels; do sleep 0.1; done; cat /i/name; echo; "
               "cat /i/labels; echo; cut -c1-2 /i/token; sleep 1000") +
             R"(,"volumeMounts":[{"name":"i","mountPath":"/i"}])",
         R"("serviceAccountName":"default","volumes":[{"name":"i","projected":{"sources":[
             {"downwardAPI":{"items":[{"path":"name","fieldRef":{"fieldPath":"metadata.name"}},
               {"path":"labels","fieldRef":{"fieldPath":"metadata.labels"}}]}},
             {"serviceAccountToken":{"path":"token","expirationSeconds":600}}]}}])");
  ready("p");

  call("PATCH", kPods + "/p", R"({"metadata":{"labels":{"age":"new"}}})");

  EXPECT_TRUE(eventually([&] { return log("p").find("p\nage=\"new\"\ney") == 0; })) << log("p");
}

TEST_F(NodeLife, LinesOfALogAreFoundByTheirTime) {
  start();
  create("p", shell("echo early; sleep 3; echo late; sleep 1000"));
  ASSERT_TRUE(eventually([&] { return log("p") == "early\nlate\n"; }));
  const auto stamped = log("p", "?timestamps=true");
  const auto second = stamped.substr(stamped.find('\n') + 1);
  const auto time = second.substr(0, second.find(' '));

  EXPECT_EQ(log("p", "?sinceTime=" + time.substr(0, 19) + "Z"), "late\n");
  EXPECT_EQ(log("p", "?sinceSeconds=1000000"), "early\nlate\n");
}

TEST_F(NodeLife, PodsOfAHeadlessServiceAreFoundByName) {
  if (::geteuid() != 0) GTEST_SKIP() << "names are served on port 53, which needs root";
  start();
  call("POST", "/api/v1/namespaces/default/services",
       R"({"metadata":{"name":"vk"},"spec":{"clusterIP":"None","selector":{"app":"vk"},
           "ports":[{"port":6379}]}})");
  const auto made = call("POST", "/apis/apps/v1/namespaces/default/statefulsets",
                         R"({"metadata":{"name":"vk"},"spec":{"serviceName":"vk","replicas":2,
      "selector":{"matchLabels":{"app":"vk"}},"template":{"metadata":{"labels":{"app":"vk"}},
      "spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"busybox",
      "command":["sleep","1000"]}]}}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto second = ready("vk-1");
  const std::string ip{second.get("status", "podIP").as_string()};

  create("asker", shell("while ! getent hosts vk-1.vk; do sleep 0.1; done; sleep 1000"));

  EXPECT_TRUE(eventually([&] { return log("asker").find(ip) == 0; })) << log("asker");
}

TEST_F(NodeLife, ADiskOutlivesTheProgramsThatWriteToIt) {
  start();
  call("POST", "/api/v1/namespaces/default/persistentvolumeclaims",
       R"({"metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce"],
           "resources":{"requests":{"storage":"1Gi"}}}})");
  const std::string mount = R"(,"volumeMounts":[{"name":"d","mountPath":"/d"}])";
  const std::string volume = R"("restartPolicy":"Never","volumes":[
      {"name":"d","persistentVolumeClaim":{"claimName":"d"}}])";
  create("writer", shell("echo kept > /d/f") + mount, volume);
  in_phase("writer", "Succeeded");
  remove("writer");

  create("reader", shell("cat /d/f") + mount, volume);

  in_phase("reader", "Succeeded");
  EXPECT_EQ(log("reader"), "kept\n");
}

}  // namespace
}  // namespace fixpoint
