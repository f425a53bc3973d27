// SPDX-License-Identifier: Apache-2.0
//
// Unmodified kubectl against the shipped binary, compared line by line with what the same commands
// said to a real kube-apiserver (tests/testdata/kubectl/session.expected, made by
// tools/kubectl-session on Kubernetes 1.34.4).
#include "tests/integration/kubectl.h"

#include "base/file.h"
#include "tests/integration/running_server.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace fixpoint {
namespace {

// One command of a session and everything it said.
std::vector<std::string> commands_of(const std::string& session) {
  std::vector<std::string> commands;
  std::istringstream lines(session);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ kubectl ") || commands.empty()) commands.emplace_back();
    commands.back() += line + "\n";
  }
  return commands;
}

TEST(Kubectl, SaysWhatItSaysToARealServer) {
  const std::string kubectl = find_kubectl();
  if (kubectl.empty()) {
    GTEST_SKIP() << "no kubectl on PATH and none built; set FIXPOINT_KUBECTL to one";
  }
  std::printf("kubectl: %s\n", kubectl.c_str());
  const ScratchDirectory scratch;
  auto server = RunningServer::start(scratch.path(), {"--ephemeral", "--controllers", "api"});
  ASSERT_TRUE(server.has_value()) << server.error().message;

  const std::string said =
      output_of("tools/kubectl-session '" + kubectl + "' '" + (*server)->kubeconfig().string() +
                "' tests/integration/kubectl 2>&1");

  const auto expected = read_file("tests/testdata/kubectl/session.expected").value_or("");
  const auto ours = commands_of(said);
  const auto real = commands_of(expected);
  ASSERT_GE(real.size(), 100U);
  EXPECT_EQ(ours.size(), real.size());
  for (std::size_t i = 0; i < std::min(ours.size(), real.size()); ++i) {
    EXPECT_EQ(ours[i], real[i]);
  }
}

TEST(Kubectl, WorksOnAClusterWithJobsDaemonsBudgetsAndAutoscalers) {
  const std::string kubectl = find_kubectl();
  if (kubectl.empty()) {
    GTEST_SKIP() << "no kubectl on PATH and none built; set FIXPOINT_KUBECTL to one";
  }
  const ScratchDirectory scratch;
  auto server = RunningServer::start(
      scratch.path(), {"--ephemeral", "--controllers", "all", "--nodes", "simulated:3"});
  ASSERT_TRUE(server.has_value()) << server.error().message;

  const std::string said =
      output_of("tests/integration/kubectl/cluster.sh '" + kubectl + "' '" +
                (*server)->kubeconfig().string() + "' 2>&1; echo \"status $?\"");

  EXPECT_TRUE(said.ends_with("status 0\n")) << said;
}

}  // namespace
}  // namespace fixpoint
