// SPDX-License-Identifier: Apache-2.0
//
// kubectl's exec, port-forward, cp and logs against the shipped binary, over WebSockets and over
// SPDY.
#include "base/file.h"
#include "tests/integration/kubectl.h"
#include "tests/integration/running_server.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint {
namespace {

std::string expected_transcript() {
  return read_file("tests/testdata/kubectl/streams.expected").value_or("");
}

class KubectlStreams : public testing::TestWithParam<const char*> {};

TEST_P(KubectlStreams, GoThroughTheNode) {
  const std::string kubectl = find_kubectl();
  if (kubectl.empty()) GTEST_SKIP() << "no kubectl on PATH and none built";
  if (std::system("command -v redis-server >/dev/null") != 0) GTEST_SKIP() << "no redis-server";
  const ScratchDirectory scratch;
  auto server = RunningServer::start(scratch.path(), {"--ephemeral", "--nodes", "local"});
  ASSERT_TRUE(server.has_value()) << server.error().message;
  const std::string web = GetParam() == std::string_view("websocket") ? "true" : "false";

  const std::string said = output_of("KUBECTL_REMOTE_COMMAND_WEBSOCKETS=" + web +
                                     " KUBECTL_PORT_FORWARD_WEBSOCKETS=" + web +
                                     " tests/integration/kubectl/streams.sh '" + kubectl + "' '" +
                                     (*server)->kubeconfig().string() + "'");

  EXPECT_EQ(said, expected_transcript());
}

INSTANTIATE_TEST_SUITE_P(Over, KubectlStreams, testing::Values("websocket", "spdy"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace fixpoint
