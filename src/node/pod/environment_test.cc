// SPDX-License-Identifier: Apache-2.0
#include "node/pod/environment.h"

#include "node/pod/pod_for_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

using testing::ElementsAre;

class NodeEnvironment : public testing::Test {
 protected:
  NodeEnvironment() {
    sources_.put(R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"K":"v","L":"w"}})");
    sources_.put(R"({"kind":"Secret","metadata":{"name":"s"},"data":{"PW":"c2VjcmV0"}})");
    sources_.put(R"({"kind":"Service","metadata":{"name":"my-db","namespace":"ns"},"spec":
        {"clusterIP":"10.0.0.7","ports":[{"name":"sql","port":5432,"protocol":"TCP"}]}})");
    sources_.put(R"({"kind":"Service","metadata":{"name":"head","namespace":"ns"},"spec":
        {"clusterIP":"None","ports":[{"port":1}]}})");
    sources_.put(R"({"kind":"Service","metadata":{"name":"kubernetes","namespace":"default"},
        "spec":{"clusterIP":"10.0.0.1","ports":[{"port":443}]}})");
  }

  Result<Environment> of(std::string_view container, std::string_view rest = "") {
    pod_ = pod_with(R"({"nodeName":"n","containers":[)" + std::string{container} + "]" +
                    std::string{rest} + "}");
    return environment_of(pod_, pod_.get("spec", "containers")[0], sources_, place_);
  }

  FakeSources sources_;
  Place place_{.pod_ip = "127.1.0.9", .host_ip = "127.0.0.1", .cpu = "2", .memory = "8Gi"};
  json::Value pod_;
};

TEST_F(NodeEnvironment, ExpandsReferencesAndKeepsWhatIsNone) {
  const Environment known{
      {"A", "1"},
      {"B", "2"}
  };
  EXPECT_EQ(expand("$(A)-$(B)$(C) $$(A) $A $( $", known), "1-2$(C) $(A) $A $( $");
}

TEST_F(NodeEnvironment, TakesWholeMapsAndLetsSingleVariablesWin) {
  const auto out = of(R"~({"name":"a","envFrom":[{"configMapRef":{"name":"c"},"prefix":"X_"},
      {"secretRef":{"name":"s"}}],"env":[{"name":"X_K","value":"own"},
      {"name":"BOTH","value":"$(X_K)/$(PW)/$(MY_DB_SERVICE_HOST)"}]})~");

  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->at("X_L"), "w");
  EXPECT_EQ(out->at("X_K"), "own");
  EXPECT_EQ(out->at("BOTH"), "own/secret/10.0.0.7");
}

TEST_F(NodeEnvironment, TellsAPodAboutItself) {
  const auto out = of(R"({"name":"a","resources":{"limits":{"cpu":"1500m"}},"env":[
      {"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},
      {"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}},
      {"name":"APP","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['app']"}}},
      {"name":"LABELS","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels"}}},
      {"name":"CPU","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}},
      {"name":"MILLI","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1m"}}},
      {"name":"MI","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}}]})");

  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->at("IP"), "127.1.0.9");
  EXPECT_EQ(out->at("NODE"), "n");
  EXPECT_EQ(out->at("APP"), "web");
  EXPECT_EQ(out->at("LABELS"), "app=\"web\"\ntier=\"a\"");
  EXPECT_EQ(out->at("CPU"), "2");
  EXPECT_EQ(out->at("MILLI"), "1500");
  EXPECT_EQ(out->at("MI"), "8192");
}

TEST_F(NodeEnvironment, NamesServicesAndTheApiServerOfAnotherNamespace) {
  const auto out = of(R"({"name":"a"})");

  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->at("MY_DB_SERVICE_PORT"), "5432");
  EXPECT_EQ(out->at("MY_DB_SERVICE_PORT_SQL"), "5432");
  EXPECT_EQ(out->at("MY_DB_PORT_5432_TCP"), "tcp://10.0.0.7:5432");
  EXPECT_EQ(out->at("MY_DB_PORT_5432_TCP_ADDR"), "10.0.0.7");
  EXPECT_EQ(out->at("KUBERNETES_SERVICE_HOST"), "10.0.0.1");
  EXPECT_FALSE(out->contains("HEAD_SERVICE_HOST"));

  const auto without = of(R"({"name":"a"})", R"(,"enableServiceLinks":false)");
  EXPECT_FALSE(without->contains("MY_DB_SERVICE_PORT"));
  EXPECT_TRUE(without->contains("KUBERNETES_SERVICE_HOST"));
}

TEST_F(NodeEnvironment, SaysWhatIsMissingInKubernetesWords) {
  const auto why = [&](std::string_view reference) {
    const auto out =
        of(R"({"name":"a","env":[{"name":"V","valueFrom":)" + std::string{reference} + "}]}");
    return out ? "none" : out.error().message;
  };
  EXPECT_EQ(why(R"({"configMapKeyRef":{"name":"x","key":"k"}})"), "configmap \"x\" not found");
  EXPECT_EQ(why(R"({"secretKeyRef":{"name":"x","key":"k"}})"), "secret \"x\" not found");
  EXPECT_EQ(why(R"({"configMapKeyRef":{"name":"c","key":"k"}})"),
            "couldn't find key k in ConfigMap ns/c");
  EXPECT_EQ(why(R"({"secretKeyRef":{"name":"s","key":"k"}})"),
            "couldn't find key k in Secret ns/s");
  EXPECT_EQ(why(R"({"configMapKeyRef":{"name":"x","key":"k","optional":true}})"), "none");
}

TEST_F(NodeEnvironment, ExpandsCommandAndArguments) {
  const auto container = parsed(R"~({"command":["sh","-c"],"args":["echo $(A) $(B)"]})~");

  const auto line = command_line_of(container, Environment{
                                                   {"A", "1"}
  });

  EXPECT_THAT(line.command, ElementsAre("sh", "-c"));
  EXPECT_THAT(line.args, ElementsAre("echo 1 $(B)"));
}

}  // namespace
}  // namespace fixpoint::node
