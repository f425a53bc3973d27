// SPDX-License-Identifier: Apache-2.0
//
// Protobuf bodies through the whole server: they do what the same object in JSON does.
#include "apiserver/body/protobuf_body.h"

#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

// Bytes with their number and length in front; all are short.
std::string field(unsigned number, std::string_view bytes) {
  std::string text;
  text += static_cast<char>(number << 3U | 2U);
  text += static_cast<char>(bytes.size());
  return text.append(bytes);
}

std::string body_of(std::string_view api_version, std::string_view kind, std::string_view message) {
  return std::string{"k8s\0", 4} + field(1, field(1, api_version) + field(2, kind)) +
         field(2, message);
}

std::string message_named(std::string_view name) {
  return field(1, field(1, name));
}

class ProtobufBody : public ApiFixture {
 protected:
  Response send(Verb verb, std::string_view path, std::string_view body,
                std::string_view query = {}) {
    auto call = request(verb, path, query);
    call.body = body;
    call.content_type = "application/vnd.kubernetes.protobuf";
    return run(call);
  }
};

TEST_F(ProtobufBody, CreatesAndReplacesAnObject) {
  const auto made = send(
      Verb::Create, kConfigMaps,
      body_of("v1", "ConfigMap", message_named("a") + field(2, field(1, "k") + field(2, "v"))));
  const auto replaced = send(Verb::Update, std::string{kConfigMaps} + "/a",
                             body_of("v1", "ConfigMap", message_named("a")));

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(text(made, "data", "k"), "v");
  EXPECT_EQ(meta(made, "namespace"), "ns");
  ASSERT_EQ(replaced.code, 200) << message(replaced);
  EXPECT_FALSE(replaced.body.contains("data"));
}

TEST_F(ProtobufBody, TakesTheKindOfTheResourceWhenItNamesNone) {
  const auto made = send(Verb::Create, kConfigMaps, body_of("", "", message_named("a")));

  ASSERT_EQ(made.code, 201) << message(made);
  EXPECT_EQ(made.body.get("kind").as_string(), "ConfigMap");
}

TEST_F(ProtobufBody, DropsUnknownFieldsEvenWhenStrict) {
  const auto made = send(Verb::Create, kConfigMaps,
                         body_of("v1", "ConfigMap", message_named("a") + field(9, "later")),
                         "fieldValidation=Strict");

  EXPECT_EQ(made.code, 201) << message(made);
  EXPECT_TRUE(made.warnings.empty());
}

TEST_F(ProtobufBody, IsRefusedInTheWordsOfARealServer) {
  const auto refusal = [&](std::string_view body) {
    const auto response = send(Verb::Create, kConfigMaps, body);
    EXPECT_EQ(response.code, 400);
    return message(response);
  };

  EXPECT_EQ(
      refusal(""),
      "the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)");
  EXPECT_EQ(
      refusal(R"({"kind":"ConfigMap"})"),
      "the object provided is unrecognized (must be of type ConfigMap): provided data does not "
      "appear to be a protobuf message, expected prefix [107 56 115 0] "
      R"(({"kind":"ConfigMap"}))");
  EXPECT_EQ(refusal(body_of("v1", "ConfigMap", "\xff")),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: unexpected EOF");
  EXPECT_EQ(refusal(body_of("v1", "Secret", "")),
            "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to "
            "(core.ConfigMap): unknown conversion");
  EXPECT_EQ(
      refusal(body_of("v1", "Nope", "")),
      "Nope in version \"v1\" cannot be handled as a ConfigMap: no kind \"Nope\" is registered "
      "for version \"v1\" in scheme \"pkg/runtime/scheme.go:110\"");
}

TEST_F(ProtobufBody, OfACustomResourceIsNotSupported) {
  const auto definition =
      create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  ASSERT_EQ(definition.code, 201) << message(definition);

  const auto made = send(Verb::Create, "/apis/sea.example.com/v1/namespaces/ns/boats",
                         body_of("sea.example.com/v1", "Boat", message_named("a")));

  EXPECT_EQ(made.code, 415);
  EXPECT_EQ(message(made),
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml");
}

TEST_F(ProtobufBody, CarriesDeleteOptions) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  const auto path = std::string{kConfigMaps} + "/a";
  const auto other_uid = field(2, field(1, "other"));

  const auto refused = send(Verb::Delete, path, body_of("v1", "DeleteOptions", other_uid));
  const auto broken = send(Verb::Delete, path, body_of("v1", "DeleteOptions", "\xff"));
  const auto removed = send(Verb::Delete, path, body_of("v1", "DeleteOptions", ""));

  EXPECT_EQ(refused.code, 409) << message(refused);
  EXPECT_EQ(broken.code, 500);
  EXPECT_EQ(message(broken), "unexpected EOF");
  EXPECT_EQ(removed.code, 200) << message(removed);
}

TEST_F(ProtobufBody, OfASubresourceMustBeOfItsKind) {
  const auto path = "/apis/apps/v1/namespaces/ns/replicasets/a/scale";
  create("/apis/apps/v1/namespaces/ns/replicasets",
         R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"x":"y"}},"template":{
           "metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  const std::string three{"\x12\x02\x08\x03", 4};  // spec {replicas: 3}

  const auto scaled =
      send(Verb::Update, path, body_of("autoscaling/v1", "Scale", message_named("a") + three));
  const auto other = send(Verb::Update, path, body_of("v1", "Pod", message_named("a")));
  const auto broken = send(Verb::Update, path, body_of("autoscaling/v1", "Scale", "\xff"));

  ASSERT_EQ(scaled.code, 200) << message(scaled);
  EXPECT_EQ(text(scaled, "spec", "replicas"), "3");
  EXPECT_EQ(other.code, 400);
  EXPECT_EQ(message(broken),
            "Scale in version \"v1\" cannot be handled as a Scale: unexpected EOF");
}

TEST_F(ProtobufBody, IsNoPatch) {
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");

  const auto patched = send(Verb::Patch, std::string{kConfigMaps} + "/a",
                            body_of("v1", "ConfigMap", message_named("a")));

  EXPECT_EQ(patched.code, 415);
}

}  // namespace
}  // namespace fixpoint::apiserver
