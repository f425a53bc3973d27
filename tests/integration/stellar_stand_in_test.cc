// SPDX-License-Identifier: Apache-2.0
//
// The stellar operator and the stand-ins of src/sim, both inside `fixpoint up`: pods run with the
// configuration that the operator wrote, and what becomes of them is told by the status. Edge cases
// 5 (a health check that gets no answer) and 12 (a status that outlived what it says) with the
// fault made for real; stellar_test.cc has other ones.
#include "json/print.h"
#include "tests/integration/collections.h"
#include "tests/integration/running_operator.h"
#include "tests/integration/running_server.h"

#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;

const std::string kCore = "/api/v1/namespaces/default/";
constexpr int kCorePort = 11626;
// Looks between two edits that make the operator look too: longer than a probe may take, since an
// edit in the middle of a pass makes its findings old. And before the first of them.
constexpr int kLooks = 1000;
constexpr int kFirstLook = 100;

constexpr std::string_view kSeedSecret = R"({"metadata":{"name":"seed"},"stringData":
  {"STELLAR_CORE_SEED":"SBI3CZU7XZEWVXU7OZLW5MMUQAP334JFOPXSLTPOH43IRTEQ2QYXU5RG"}})";

// Fast ledgers and a short way to the newest, so that nobody waits for them.
constexpr std::string_view kPace = R"([{"name":"FIXPOINT_SIM_SYNC_TIME","value":"200ms"}])";

std::string validator(std::string_view quorum) {
  return fmt::format(
      R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode","metadata":{{"name":"v"}},"spec":{{
        "nodeType":"Validator","network":"custom","customNetworkPassphrase":"mine","version":"22.1.0",
        "networkPolicy":{{}},"stellarCoreEnv":{},"storage":{{"storageClass":"","size":"1Gi"}},
        "resources":{{"requests":{{"cpu":"10m","memory":"16Mi"}}}},
        "probes":{{"startup":{{"initialDelaySeconds":0,"periodSeconds":1}},
                   "readiness":{{"initialDelaySeconds":0,"periodSeconds":1}}}},
        "validatorConfig":{{"seedSecretRef":"seed","quorumSet":"{}"}}}}}})",
      kPace, quorum);
}

// A validator that trusts itself and nobody else.
constexpr std::string_view kAlone =
    R"(UNSAFE_QUORUM=true\nFAILURE_SAFETY=0\n[QUORUM_SET]\nVALIDATORS=[\"$self\"]\n)";

std::string api_node(std::string_view name, std::string_view type, std::string_view block) {
  return fmt::format(
      R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode","metadata":{{"name":"{}"}},"spec":{{
        "nodeType":"{}","network":"testnet","version":"22.1.0","horizonEnv":{},
        "storage":{{"storageClass":"","size":"1Gi"}},
        "resources":{{"requests":{{"cpu":"10m","memory":"16Mi"}}}},
        "probes":{{"startup":{{"initialDelaySeconds":0,"periodSeconds":1}},
                   "readiness":{{"initialDelaySeconds":0,"periodSeconds":1}}}},{}}}}})",
      name, type, kPace, block);
}

json::View condition(json::View node, std::string_view type) {
  for (const json::View one : node.get("status", "conditions").elements()) {
    if (one.get("type").as_string() == type) return one;
  }
  return {};
}

std::string_view truth(json::View node, std::string_view type) {
  return condition(node, type).get("status").as_string();
}

std::string_view phase(json::View node) {
  return node.get("status", "phase").as_string();
}

class StellarStandIns : public testing::Test {
 protected:
  void start(std::vector<std::string> flags = {"--ephemeral"}) {
    flags.insert(flags.end(), {"--nodes", "local", "--operators", "stellar"});
    auto started = RunningServer::start(scratch_.path(), std::move(flags));
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }

  net::Response call(std::string method, std::string target, std::string body = {}) {
    return server_->access().call(std::move(method), std::move(target), std::move(body));
  }
  json::Value get(const std::string& target) { return server_->access().get(target); }

  // The node when it is so; each look also makes the operator look.
  json::Value node_when(const std::function<bool(json::View)>& holds,
                        const std::string& name = "v") {
    json::Value node;
    int looks = 0;
    const bool came = eventually([&] {
      node = get(kNodes + "/" + name);
      if (holds(node)) return true;
      if (++looks % kLooks == kFirstLook) look(name);
      return false;
    });
    EXPECT_TRUE(came) << json::to_text(node) << call("GET", kCore + "events").body;
    return node;
  }
  void look(const std::string& name) {
    call("PATCH", kNodes + "/" + name,
         fmt::format(R"({{"metadata":{{"annotations":{{"test/look":"{}"}}}}}})", ++edits_));
  }

  // The definition is there a moment after the server is.
  void create(const std::string& node) {
    net::Response made;
    ASSERT_TRUE(eventually([&] {
      made = call("POST", kNodes, node);
      return made.status == 201;
    })) << made.body;
  }
  void create_validator() {
    ASSERT_EQ(call("POST", kCore + "secrets", std::string{kSeedSecret}).status, 201);
    create(validator(kAlone));
  }
  json::Value running(const std::string& name = "v") {
    return node_when(
        [](json::View node) { return phase(node) == "Running" && truth(node, "Ready") == "True"; },
        name);
  }

  std::string pod_address() {
    const auto pod = get(kCore + "pods/v-0");
    return std::string{pod.get("status", "podIP").as_string()};
  }
  // Past the operator and the API: the stand-in itself.
  static void tell(const std::string& address, const std::string& mode) {
    net::ClientOptions to;
    to.host = address;
    to.port = kCorePort;
    net::ClientRequest request;
    request.method = "POST";
    request.target = "/fixpoint/behave?mode=" + mode;
    const auto answer = net::blocking_request(to, std::move(request));
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->status, 200) << answer->body;
  }

  ScratchDirectory scratch_{"stellar"};
  std::unique_ptr<RunningServer> server_;
  int edits_ = 0;
};

TEST_F(StellarStandIns, AValidatorRunsWithTheConfigurationThatTheOperatorWrote) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(create_validator());

  const auto node = running();

  EXPECT_GT(node.get("status", "ledgerSequence").as_int(), 0);
  EXPECT_EQ(node.get("status", "observedGeneration").as_int(),
            node.get("metadata", "generation").as_int());
  EXPECT_THAT(call("GET", kCore + "pods/v-0/log").body, HasSubstr("HTTP port listens on"));
  EXPECT_THAT(call("GET", kCore + "events?fieldSelector=reason=StandIn").body,
              HasSubstr("the stand-in of stellar-core"));

  // It goes away as it came, and nothing is left.
  EXPECT_EQ(call("DELETE", kNodes + "/v").status, 200);
  EXPECT_TRUE(eventually([&] { return call("GET", kNodes + "/v").status == 404; }));
  EXPECT_TRUE(eventually([&] {
    const auto pods = get(kCore + "pods");
    const auto claims = get(kCore + "persistentvolumeclaims");
    return pods.get("items").empty() && claims.get("items").empty();
  })) << call("GET", kCore + "pods").body;
}

TEST_F(StellarStandIns, HorizonAndRpcRunWithWhatTheOperatorWroteForThem) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_EQ(
      call("POST", kCore + "secrets",
           R"({"metadata":{"name":"db"},"stringData":{"DATABASE_URL":"postgres://db/horizon"}})")
          .status,
      201);

  ASSERT_NO_FATAL_FAILURE(create(
      api_node("h", "Horizon",
               R"("horizonConfig":{"databaseSecretRef":"db","stellarCoreUrl":"http://core"})")));
  ASSERT_NO_FATAL_FAILURE(
      create(api_node("r", "SorobanRpc", R"("sorobanConfig":{"stellarCoreUrl":"http://core"})")));

  const auto horizon = running("h");
  const auto rpc = running("r");
  EXPECT_GT(horizon.get("status", "ledgerSequence").as_int(), 0);
  EXPECT_GT(rpc.get("status", "ledgerSequence").as_int(), 0);
}

TEST_F(StellarStandIns, StatusFollowsANodeThatLagsAndOneThatDies) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(create_validator());
  running();
  const auto address = pod_address();

  tell(address, "lag");
  const auto late = node_when([](json::View node) { return truth(node, "Ready") == "False"; });
  EXPECT_NE(phase(late), "Running");
  tell(address, "sync");
  running();

  tell(address, "die");
  // Restarted by its node, after which all is well again; meanwhile the status may have said so.
  EXPECT_TRUE(eventually([&] {
    const auto pod = get(kCore + "pods/v-0");
    return pod.get("status", "containerStatuses")[0].get("restartCount").as_int() > 0;
  }));
  running();
}

TEST_F(StellarStandIns, EC5_AHealthCheckThatGetsNoAnswerHoldsNothingUp) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(create_validator());
  running();

  tell(pod_address(), "hang");

  // Not known is not bad: the phase stays for a while, and the condition says what is not known.
  const auto silent =
      node_when([](json::View node) { return truth(node, "Available") == "Unknown"; });
  EXPECT_EQ(phase(silent), "Running");
  EXPECT_EQ(condition(silent, "Available").get("reason").as_string(), "NoAnswer");
  // And it is in nobody's way.
  EXPECT_EQ(call("DELETE", kNodes + "/v").status, 200);
  EXPECT_TRUE(eventually([&] { return call("GET", kNodes + "/v").status == 404; }));
}

TEST_F(StellarStandIns, EC12_AStatusThatOutlivedItsNodeIsNotBelieved) {
  const std::vector<std::string> flags{"--data-dir", (scratch_.path() / "data").string()};
  ASSERT_NO_FATAL_FAILURE(start(flags));
  ASSERT_NO_FATAL_FAILURE(create_validator());
  running();
  const auto address = pod_address();

  server_->kill();
  // Nobody is there to see it: what is stored still says Running.
  tell(address, "lag");
  ASSERT_NO_FATAL_FAILURE(start(flags));

  const auto node = node_when([](json::View one) { return truth(one, "Ready") == "False"; });
  EXPECT_NE(phase(node), "Running");
  tell(address, "sync");
  running();
}

}  // namespace
}  // namespace fixpoint
