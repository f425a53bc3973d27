// SPDX-License-Identifier: Apache-2.0
//
// Protobuf of every built-in type against the JSON that Kubernetes' own code prints for the same
// bytes (tools/kinds/protobuf).
#include "base/base64.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/schema_table.h"
#include "kube/protobuf/protobuf.h"
#include "kube/typed/typed.h"

#include <fstream>

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

std::string printed(const kube::Schema& schema, std::string_view message) {
  const auto read = kube::decode_protobuf(schema, message);
  if (!read) return read.error().message;
  const auto typed = kube::decode_typed(schema, *read);
  return typed ? json::to_text(typed->value) : typed.error().message;
}

TEST(Protobuf, PrintsEveryTypeAsGoDoes) {
  std::ifstream file{"tests/testdata/kinds/protobuf.jsonl"};
  ASSERT_TRUE(file);
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const auto row = json::parse(line);
    ASSERT_TRUE(row.has_value());
    const std::string type{row->get("type").as_string()};
    const auto message = base64_decode(row->get("protobuf").as_string());
    ASSERT_TRUE(message.has_value());

    EXPECT_EQ(printed(*schema_of(type), *message), json::to_text(row->get("json"))) << type;
  }
  EXPECT_GT(rows, 60U);
}

// A message may come in pieces, its fields in any order: the pieces count as one.
TEST(Protobuf, ReadsAFieldGivenTwiceAsOne) {
  const auto& pod = *schema_of("core.v1.Pod");
  const std::string name{"\x0a\x03\x0a\x01x", 5};        // metadata {name: x}
  const std::string ns{"\x0a\x03\x1a\x01y", 5};          // metadata {namespace: y}
  const std::string host{"\x12\x03\x52\x01n", 5};        // spec {nodeName: n}
  const std::string later_name{"\x0a\x03\x0a\x01z", 5};  // metadata {name: z}

  const auto read = kube::decode_protobuf(pod, name + host + ns + later_name);

  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(json::to_text(*read),
            R"({"metadata":{"name":"z","namespace":"y"},"spec":{"nodeName":"n"}})");
}

TEST(Protobuf, TakesNumbersPackedOrNot) {
  const auto& context = *schema_of("core.v1.PodSecurityContext");  // supplementalGroups = 4

  EXPECT_EQ(printed(context, std::string_view{"\x20\x01\x20\x02", 4}),
            R"({"supplementalGroups":[1,2]})");
  EXPECT_EQ(printed(context, std::string_view{"\x22\x02\x01\x02", 4}),
            R"({"supplementalGroups":[1,2]})");
}

TEST(Protobuf, ReadsWholeFloatsAsTheIntegersTheyPrintAs) {
  const auto& props = *schema_of("apiextensions.v1.JSONSchemaProps");  // maximum = 9
  const std::string_view two{"\x49\0\0\0\0\0\0\0\x40", 9};

  const auto read = kube::decode_protobuf(props, two);

  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(read->get("maximum").is_int());
}

TEST(Protobuf, SkipsFieldsOfANewerClient) {
  const auto& map = *schema_of("core.v1.ConfigMap");

  EXPECT_EQ(printed(map, std::string_view{"\x9a\x06\x01x\x20\x01", 6}),
            R"({"immutable":true,"metadata":{}})");
}

TEST(Protobuf, RefusesBrokenBytesInTheWordsOfGo) {
  const auto& map = *schema_of("core.v1.ConfigMap");

  EXPECT_EQ(printed(map, "\xff"), "unexpected EOF");
  EXPECT_EQ(printed(map, "\x0a\x05x"), "unexpected EOF");
  EXPECT_EQ(printed(map, "\x08\x01"), "proto: wrong wireType = 0 for field ObjectMeta");
  EXPECT_EQ(printed(map, "\x02\x01"), "proto: ConfigMap: illegal tag 0 (wire type 2)");
  EXPECT_EQ(printed(map, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            "proto: integer overflow");
  EXPECT_EQ(printed(map, "\x0b"), "proto: illegal wireType 3");
}

// Only schemas in schemas nest without end; the walk must stop before the stack or JSON's limit
// does.
TEST(Protobuf, StopsWhereMessagesNestTooDeeply) {
  const auto& props = *schema_of("apiextensions.v1.JSONSchemaProps");  // not = 28
  const auto nested = [](std::size_t levels) {
    std::string message;
    for (std::size_t i = 0; i < levels; ++i) {
      std::string size;
      auto rest = message.size();
      for (; rest > 0x7f; rest >>= 7U) size += static_cast<char>((rest & 0x7fU) | 0x80U);
      size += static_cast<char>(rest);
      message = "\xe2\x01" + size + message;
    }
    return message;
  };

  EXPECT_TRUE(kube::decode_protobuf(props, nested(kube::kMessageDepthMax - 1)).has_value());
  const auto refused = kube::decode_protobuf(props, nested(kube::kMessageDepthMax));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "proto: exceeded max depth");
}

TEST(Protobuf, OpensTheEnvelope) {
  using namespace std::string_literals;
  const auto body =
      "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
      "ConfigMap\x12\x02\x20\x01\x1a\x00\x22\x00"s;

  const auto envelope = kube::decode_envelope(body);

  ASSERT_TRUE(envelope.has_value()) << envelope.error().message;
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "ConfigMap");
  EXPECT_EQ(envelope->raw, "\x20\x01");
  EXPECT_EQ(kube::decode_envelope("").error().message, "empty data");
  EXPECT_EQ(kube::decode_envelope("k8s\0"s).error().message, "empty body");
  EXPECT_EQ(kube::decode_envelope("{}").error().message,
            "provided data does not appear to be a protobuf message, expected prefix "
            "[107 56 115 0]");
}

}  // namespace
}  // namespace fixpoint::kinds
