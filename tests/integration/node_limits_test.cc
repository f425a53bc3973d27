// SPDX-License-Identifier: Apache-2.0
//
// What a pod may not do and what becomes of one that tries: too much memory, too much on disk,
// paths of the machine, things that are not there. And what it uses, as `kubectl top` shows it.
#include "tests/integration/kubectl.h"
#include "tests/integration/node_stage.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
namespace fs = std::filesystem;

class NodeLimits : public NodeStage {
 protected:
  // Whether the kernel keeps limits of memory for us.
  static bool has_memory_groups() {
    return ::geteuid() == 0 && (fs::exists("/sys/fs/cgroup/memory/cgroup.procs") ||
                                fs::exists("/sys/fs/cgroup/cgroup.controllers"));
  }
};

TEST_F(NodeLimits, OfMemoryAreTheKernels) {
  if (!has_memory_groups()) GTEST_SKIP() << "nobody but root may limit memory";
  start();
  create("p",
         shell("head -c 300000000 /dev/zero | tail -c 300000000 >/dev/null; exit $?") +
             R"(,"resources":{"limits":{"memory":"32Mi"}})",
         R"("restartPolicy":"Never")");

  const auto pod = in_phase("p", "Failed");

  const json::View end = pod.get("status", "containerStatuses")[0].get("state", "terminated");
  EXPECT_EQ(end.get("reason").as_string(), "OOMKilled");
  EXPECT_EQ(end.get("exitCode").as_int(), 137);
}

TEST_F(NodeLimits, OfDiskEvictWhoeverFillsIt) {
  start();
  create("p",
         shell("head -c 9000000 /dev/zero >/w/f; sleep 1000") +
             R"(,"volumeMounts":[{"name":"w","mountPath":"/w"}])",
         R"("volumes":[{"name":"w","emptyDir":{"sizeLimit":"1Mi"}}])");
  create("neighbour", shell("sleep 1000"));

  const auto pod = in_phase("p", "Failed");

  EXPECT_EQ(pod.get("status", "reason").as_string(), "Evicted");
  EXPECT_EQ(pod.get("status", "message").as_string(),
            "Usage of EmptyDir volume \"w\" exceeds the limit \"1Mi\". ");
  EXPECT_TRUE(eventually([&] { return has_event("Evicted", "Usage of EmptyDir volume"); }));
  const auto neighbour = ready("neighbour");
  EXPECT_EQ(neighbour.get("status", "phase").as_string(), "Running");
  remove("p");
  remove("neighbour");
  EXPECT_TRUE(eventually([&] { return processes_with(mark()).empty(); }));
}

TEST_F(NodeLimits, OfPathsAreThePodsOwnUnlessAFlagSaysOtherwise) {
  start();
  const auto volume = fmt::format(R"("volumes":[{{"name":"h","hostPath":{{"path":"{}"}}}}])",
                                  scratch_.path().string());
  const std::string mount = R"(,"volumeMounts":[{"name":"h","mountPath":"/h"}])";
  create("p", shell("touch /h/been-here; sleep 1000") + mount, volume);

  EXPECT_TRUE(eventually(
      [&] { return has_event("FailedMount", "hostPath volumes are not allowed on this node"); }));
  EXPECT_FALSE(fs::exists(scratch_.path() / "been-here"));
  remove("p");
  EXPECT_EQ(server_->stop(), 0);

  start({"--ephemeral", "--allow-host-path"});
  create("p", shell("touch /h/been-here; sleep 1000") + mount, volume);
  ready("p");
  EXPECT_TRUE(eventually([&] { return fs::exists(scratch_.path() / "been-here"); }));
}

TEST_F(NodeLimits, OfWhatIsThereAreSaidInKubernetesWords) {
  start();
  const std::string env = R"(,"envFrom":[{"secretRef":{"name":"none"}}])";
  create("secret", shell("true") + env);
  create("volume", shell("true"), R"("volumes":[{"name":"v","secret":{"secretName":"none"}}])");
  create("claim", shell("true"),
         R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"none"}}])");
  create("probe", shell("sleep 1000") +
                      R"(,"readinessProbe":{"httpGet":{"port":"nowhere"},"periodSeconds":1})");

  const auto why = waiting("secret", "CreateContainerConfigError");
  EXPECT_EQ(why.get("message").as_string(), "secret \"none\" not found");
  EXPECT_TRUE(eventually([&] {
    return has_event("FailedMount",
                     "MountVolume.SetUp failed for volume \"v\" : secret \"none\" not found");
  }));
  EXPECT_TRUE(eventually(
      [&] { return has_event("FailedScheduling", "persistentvolumeclaim \"none\" not found"); }));
  EXPECT_TRUE(eventually([&] {
    return has_event("Unhealthy",
                     "Readiness probe errored and resulted in unknown state: strconv.Atoi: "
                     "parsing \"nowhere\": invalid syntax");
  }));
}

TEST_F(NodeLimits, AreSeenInWhatKubectlTopShows) {
  const std::string kubectl = find_kubectl();
  if (kubectl.empty()) GTEST_SKIP() << "no kubectl";
  start();
  create("busy", shell("while true; do true; done"));
  create("idle", shell("sleep 1000"));
  ready("busy");
  ready("idle");
  const Kubectl k(kubectl, server_->kubeconfig());

  const auto pods = k("top pods --no-headers");
  const auto containers = k("top pod idle --containers --no-headers");
  const auto nodes = k("top nodes --no-headers");

  EXPECT_THAT(pods, MatchesRegex("busy +[1-9][0-9]*m +[0-9]+Mi *\nidle +0m +[0-9]+Mi *\n"));
  EXPECT_THAT(containers, MatchesRegex("idle +c +0m +[0-9]+Mi *\n"));
  EXPECT_THAT(nodes, HasSubstr("%"));
  EXPECT_THAT(k("top pod nobody 2>&1"), HasSubstr("not found"));
}

}  // namespace
}  // namespace fixpoint
