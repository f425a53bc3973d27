// SPDX-License-Identifier: Apache-2.0
//
// `fixpoint node` as the node of a real control plane: a real kube-controller-manager's pods run on
// it, and the real API server asks it for logs, exec, attach and port-forward as it asks a kubelet.
#include "base/file.h"
#include "store/scratch_directory.h"
#include "tests/conformance/real_cluster.h"
#include "tests/integration/kubectl.h"
#include "tests/shipped_program.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::conformance {
namespace {

using ::testing::HasSubstr;

// The shipped program as a child, which never outlives the test.
class NodeProcess {
 public:
  NodeProcess(const std::vector<std::string>& flags, const std::filesystem::path& log) {
    std::vector<std::string> words{shipped_program(), "node"};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = ::open(log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  ~NodeProcess() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

 private:
  pid_t pid_ = -1;
};

std::string text_of(const std::filesystem::path& file) {
  return read_file(file).value_or("");
}

constexpr std::string_view kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeName: here
      terminationGracePeriodSeconds: 1
      containers:
      - {name: c, image: busybox, command: [sh, -c, "echo first; sleep 100000"]}
)";

constexpr std::string_view kStatefulSet = R"(
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 1}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      nodeName: here
      terminationGracePeriodSeconds: 1
      containers:
      - name: c
        image: busybox
        command: [sh, -c, "echo $(hostname) first; touch /tmp/up; sleep 100000"]
        readinessProbe: {exec: {command: [test, -e, /tmp/up]}, periodSeconds: 1}
)";

void check_stateful_set(const Kubectl& kubectl, const std::filesystem::path& scratch) {
  std::ofstream(scratch / "db.yaml") << kStatefulSet;
  kubectl("apply -f " + (scratch / "db.yaml").string());
  EXPECT_THAT(kubectl("rollout status statefulset/db --timeout=60s"),
              HasSubstr("partitioned roll out complete: 3 new pods"))
      << kubectl("describe pods");
  EXPECT_EQ(kubectl("logs db-2"), "db-2 first\n");
  const std::string before = kubectl("get pod db-1 -o 'jsonpath={.metadata.uid}'");
  kubectl("delete pod db-1 --timeout=60s");
  kubectl("wait --for=create pod/db-1 --timeout=60s");
  EXPECT_THAT(kubectl("wait --for=condition=Ready pod/db-1 --timeout=60s"),
              HasSubstr("condition met"));
  EXPECT_NE(kubectl("get pod db-1 -o 'jsonpath={.metadata.uid}'"), before);
  kubectl(
      "patch statefulset db -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":"
      "\"c\",\"env\":[{\"name\":\"NEW\",\"value\":\"1\"}]}]}}}}'");
  EXPECT_THAT(kubectl("rollout status statefulset/db --timeout=90s"),
              HasSubstr("partitioned roll out complete: 3 new pods"));
  EXPECT_EQ(kubectl("exec db-0 -- sh -c 'echo $NEW'"), "1\n");
  kubectl("scale statefulset db --replicas=1");
  kubectl("wait --for=jsonpath={.status.replicas}=1 statefulset/db --timeout=60s");
  kubectl("wait --for=delete pod/db-1 pod/db-2 --timeout=60s");  // says nothing if they are gone
  EXPECT_EQ(kubectl("get pods -l app=db -o name"), "pod/db-0\n");
  kubectl("delete statefulset db --cascade=foreground --timeout=60s");
}

TEST(RealNode, RunsPodsAndAnswersForThem) {
  const std::string program = find_kubectl();
  if (program.empty()) GTEST_SKIP() << "no kubectl";
  if (std::system("command -v redis-server >/dev/null") != 0) GTEST_SKIP() << "no redis-server";
  auto cluster = RealCluster::start("all");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const store::ScratchDirectory scratch;
  const auto keys = std::filesystem::path((*cluster)->kubeconfig()).parent_path() / "node";
  const auto log = scratch.path() / "log";
  const NodeProcess node(
      {"--kubeconfig", (*cluster)->kubeconfig(), "--name", "here", "--directory",
       (scratch.path() / "node").string(), "--port", "0", "--client-ca-file",
       (keys / "ca.crt").string(), "--tls-cert-file", (keys / "server.crt").string(),
       "--tls-private-key-file", (keys / "server.key").string()},
      log);
  const Kubectl kubectl(program, (*cluster)->kubeconfig());
  kubectl("wait --for=create node/here --timeout=60s");
  ASSERT_THAT(kubectl("wait --for=condition=Ready node/here --timeout=60s"),
              HasSubstr("condition met"))
      << text_of(log);

  std::ofstream(scratch.path() / "web.yaml") << kDeployment;
  kubectl("apply -f " + (scratch.path() / "web.yaml").string());
  EXPECT_THAT(kubectl("rollout status deployment/web --timeout=60s"),
              HasSubstr("successfully rolled out"))
      << kubectl("describe pods") << text_of(log);
  EXPECT_EQ(kubectl("logs deployment/web 2>/dev/null | tail -1"), "first\n");
  kubectl(
      "patch deployment web -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":"
      "\"c\",\"command\":[\"sh\",\"-c\",\"echo second; sleep 100000\"]}]}}}}'");
  EXPECT_THAT(kubectl("rollout status deployment/web --timeout=60s"),
              HasSubstr("successfully rolled out"));
  EXPECT_EQ(kubectl("exec deployment/web -- echo hello"), "hello\n");
  kubectl("delete deployment web --cascade=foreground --timeout=60s");
  check_stateful_set(kubectl, scratch.path());

  const std::string said = output_of("tests/integration/kubectl/streams.sh '" + program + "' '" +
                                     (*cluster)->kubeconfig() + "' here");
  EXPECT_EQ(said, text_of("tests/testdata/kubectl/streams.expected")) << text_of(log);
}

}  // namespace
}  // namespace fixpoint::conformance
