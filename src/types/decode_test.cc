// SPDX-License-Identifier: Apache-2.0
#include "types/decode.h"

#include "base/rng.h"
#include "base/thoroughness_for_tests.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/crd/coerce.h"
#include "kube/schema/default.h"
#include "kube/schema/prune.h"
#include "kube/schema/validate.h"
#include "types/encode.h"
#include "types/gadget_for_tests.h"
#include "types/sample.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::types {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> errors_of(std::string_view spec) {
  const auto value = *json::parse(spec);
  std::vector<std::string> texts;
  for (const auto& error : decode<GadgetSpec>(value, kube::FieldPath{"spec"}).errors) {
    texts.push_back(error.to_string());
  }
  return texts;
}

GadgetSpec spec_of(std::string_view text) {
  const auto value = *json::parse(text);
  auto decoded = decode<GadgetSpec>(value);
  EXPECT_TRUE(decoded.ok()) << decoded.errors.front().to_string();
  return std::move(decoded.value);
}

TEST(Decode, ReadsEveryShape) {
  const auto spec = spec_of(R"({"text": "hi", "count": 3, "large": 10, "asn": 4294967295,
    "ratio": 0.25, "paused": true, "mode": "Safe", "otherMode": "Fast", "period": "1h30m",
    "since": "2026-01-02T03:04:05Z", "memory": "1Gi", "surge": "30%", "colour": "green",
    "address": "10.1.2.3", "wheels": [{"name": "a"}, {"name": "b", "size": 7}], "tags": ["x"],
    "lines": ["abc", "abc"], "labels": {"k": "v"}, "spares": {"one": {"name": "c"}},
    "anything": [1], "settings": {"a": {"b": 1}}, "tolerations": [{"key": "x"}],
    "child": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}},
    "store": {"size": "5Gi"}, "backup": {"mode": "Fast"}, "fifth": {"name": "d"}, "maybe": null})");

  EXPECT_EQ(spec.asn, 4294967295U);
  EXPECT_EQ(spec.mode, Mode::Safe);
  EXPECT_EQ(spec.other_mode, Mode::Fast);
  EXPECT_EQ(spec.period, std::chrono::minutes(90));
  EXPECT_EQ(spec.memory->value(), 1 << 30);
  EXPECT_EQ(spec.surge->text, "30%");
  ASSERT_EQ(spec.wheels.size(), 2U);
  EXPECT_EQ(spec.wheels[0].size, 10);
  EXPECT_EQ(spec.wheels[1].size, 7);
  EXPECT_EQ(spec.tags, std::vector<std::string>{"x"});
  EXPECT_EQ(spec.spares.at("one").name, "c");
  EXPECT_EQ(json::to_text(spec.settings), R"({"a":{"b":1}})");
  EXPECT_EQ(spec.store.size.to_string(), "5Gi");
  EXPECT_EQ(spec.fifth->name, "d");
  EXPECT_FALSE(spec.maybe.has_value());
}

TEST(Decode, TakesTheDefaultsOfTheStruct) {
  const auto spec = spec_of(R"({"text": ""})");

  EXPECT_EQ(spec.count, 1);
  EXPECT_EQ(spec.colour, "red");
  EXPECT_EQ(spec.tags, std::vector<std::string>{"plain"});
  EXPECT_TRUE(spec.store.keep);
  EXPECT_FALSE(spec.backup->keep);
  EXPECT_EQ(spec.maybe, 3);
  EXPECT_FALSE(spec.fifth.has_value());
}

TEST(Decode, FillsAGivenStructFromItsOwnDefaultsNotFromTheOwners) {
  EXPECT_TRUE(spec_of(R"({"text": "", "backup": {}})").backup->keep);
}

TEST(Decode, ReportsAllErrorsAtOnceWithTheWayOut) {
  EXPECT_THAT(
      errors_of(R"({"count": 11, "ratio": "half", "mode": "Slow", "colour": "blue",
                    "wheels": [{"name": "a"}, {"size": 0}], "tags": ["x", "x"],
                    "period": "200h", "memory": "lots", "surge": "all",
                    "text": "much too long for this"})"),
      UnorderedElementsAre(
          "spec.text: Too long: may not be more than 12 characters",
          "spec.count: Invalid value: 11: must be less than or equal to 9; give an integer from 0 "
          "to 9",
          "spec.ratio: Invalid value: \"half\": must be a number of at least 0 and less than 1",
          "spec.mode: Unsupported value: \"Slow\": supported values: \"Fast\", \"Safe\"",
          "spec.colour: Unsupported value: \"blue\": supported values: \"red\", \"green\"",
          "spec.period: Invalid value: \"200h\": must be less than or equal to 168h; give a "
          "duration such as 1h30m, at least 1s, at most 168h",
          "spec.memory: Invalid value: \"lots\": must be a quantity such as 500m or 10Gi",
          "spec.surge: Invalid value: \"all\": must match '^[0-9]+%$'; give an integer or a string "
          "such as 30%",
          "spec.wheels[1].name: Required value: add it, a string of 1 to 20 characters: Its name.",
          "spec.wheels[1].size: Invalid value: 0: must be greater than or equal to 1; give an "
          "integer from 1 to 100",
          "spec.tags[1]: Duplicate value: \"x\""));
}

TEST(Decode, NamesPlacesInListsAndMaps) {
  EXPECT_THAT(errors_of(R"({"text": "", "spares": {"a.b": {"name": "", "size": 1.5}},
                            "lines": ["ok", "NO"], "tolerations": [1]})"),
              UnorderedElementsAre(
                  "spec.spares[a.b].name: Invalid value: \"\": must be at least 1 characters long; "
                  "give a string of 1 to 20 characters",
                  "spec.spares[a.b].size: Invalid value: 1.5: must be an integer from 1 to 100",
                  "spec.lines[1]: Invalid value: \"NO\": must match '^[a-z]+$'; give a string that "
                  "matches ^[a-z]+$ such as abc",
                  "spec.tolerations[0]: Invalid value: 1: must be an object"));
}

TEST(Decode, RefusesEqualKeysAndTooManyItems) {
  EXPECT_THAT(errors_of(R"({"text": "", "wheels": [{"name": "a"}, {"name": "a", "size": 2}]})"),
              ElementsAre(R"(spec.wheels[1]: Duplicate value: {"name":"a"})"));
  EXPECT_THAT(errors_of(R"({"text": "", "labels": {"a":"","b":"","c":"","d":"","e":"","f":""}})"),
              ElementsAre("spec.labels: Too many: 6: must have at most 5 items"));
}

TEST(Decode, ReadsNullAsNotGivenUnlessItIsAValue) {
  EXPECT_EQ(spec_of(R"({"text": "", "count": null})").count, 1);
  EXPECT_THAT(errors_of(R"({"text": null})"),
              ElementsAre("spec.text: Required value: add it, a string of at most 12 characters: "
                          "What it says."));
}

TEST(Decode, TakesWholeFloatsForIntegersAsTheServerDoes) {
  EXPECT_EQ(spec_of(R"({"text": "", "count": 2.0})").count, 2);
}

TEST(Decode, RefusesWhatIsNoObject) {
  const auto list = *json::parse("[]");
  EXPECT_THAT(decode<GadgetSpec>(list, kube::FieldPath{"spec"}).errors.front().to_string(),
              "spec: Invalid value: []: must be an object");
}

// What a server makes of a spec: the stored form, or what it says against it.
struct Verdict {
  json::Value spec;
  kube::FieldErrors errors;
};

Verdict serve(const json::Value& spec) {
  static const auto kOpenApi = open_api_schema(gadget_kind(), gadget_kind().storage_version());
  static const auto kSchema = *kube::compile_schema(kOpenApi);
  auto object = json::Draft::object({
                                        {"apiVersion", "test.fixpoint.example/v1"          },
                                        {"kind",       "Gadget"                            },
                                        {"metadata",   json::Draft::object({{"name", "g"}})},
                                        {"spec",       spec                                }
  })
                    .freeze();
  auto coerced = kube::coerce_resource(object, kSchema, kube::BadMeta::Refuse);
  if (!coerced) return {{}, {kube::invalid(kube::FieldPath{"spec"}, "", coerced.error().message)}};
  object = kube::set_defaults(coerced->value, *kSchema.declared);
  auto errors = kube::validate_custom_resource({.now = object, .old = {}}, kSchema, std::nullopt);
  return {json::Value{object.get("spec")}.compact(), std::move(errors)};
}

std::string lines(const kube::FieldErrors& errors) {
  std::string text;
  for (const auto& error : errors) text += "  " + error.to_string() + "\n";
  return text;
}

// The library Kubernetes validates with takes a list where a string with a format is wanted.
bool list_for_formatted(json::View spec) {
  return spec.get("address").is_array() || spec.get("since").is_array();
}

// Bounds of durations and quantities are CEL on the server.
bool only_cel(const kube::FieldErrors& errors) {
  return std::ranges::all_of(errors, [](const kube::FieldError& error) {
    return error.detail.find("; give a duration") != std::string::npos ||
           error.detail.find("; give a quantity") != std::string::npos;
  });
}

class Agreement : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Agreement, OfTheServersSchemaAndTheDecoder) {
  Rng rng{GetParam() + 1};
  int accepted = 0;
  constexpr int kSamples = 2'000 / static_cast<int>(kCasesStride);
  for (int i = 0; i < kSamples; ++i) {
    const auto spec = sample(table_of<GadgetSpec>(), rng, {.wild_per_mille = GetParam()});
    if (list_for_formatted(spec)) continue;
    const auto server = serve(spec);
    const auto local = decode<GadgetSpec>(spec, kube::FieldPath{"spec"});

    if (server.errors.empty() && !local.ok() && only_cel(local.errors)) continue;
    ASSERT_EQ(server.errors.empty(), local.ok()) << json::to_text(spec) << "\nserver:\n"
                                                 << lines(server.errors) << "local:\n"
                                                 << lines(local.errors);
    if (!local.ok()) continue;
    ++accepted;

    const auto stored = decode<GadgetSpec>(server.spec);
    ASSERT_TRUE(stored.ok()) << lines(stored.errors);
    ASSERT_TRUE(equal(local.value, stored.value)) << json::to_text(spec) << "\n"
                                                  << json::to_text(server.spec);

    // What we write is what the server keeps, and reads back as the same value.
    const auto written = encode(local.value);
    const auto kept = serve(written);
    ASSERT_TRUE(kept.errors.empty()) << json::to_text(written) << "\n" << lines(kept.errors);
    ASSERT_EQ(json::to_text(kept.spec), json::to_text(written));
    const auto again = decode<GadgetSpec>(written);
    ASSERT_TRUE(equal(local.value, again.value)) << json::to_text(written);
  }
  if (GetParam() == 0) {
    EXPECT_EQ(accepted, kSamples) << "samples without anything wild are all allowed";
  }
  EXPECT_GT(accepted, kSamples / 10);
  if (GetParam() > 50) {
    EXPECT_LT(accepted, kSamples * 9 / 10);
  }
}
INSTANTIATE_TEST_SUITE_P(Decode, Agreement, testing::Values(0U, 10U, 60U));

TEST(Encode, LeavesOutWhatIsEmptyAndWritesWhatHasADefault) {
  GadgetStatus status;
  status.phase = "Ready";

  const auto written = encode(status);

  EXPECT_EQ(json::to_text(written), R"({"phase":"Ready","ready":0})");
}

TEST(Encode, ComparesQuantitiesByValue) {
  Store a;
  Store b;
  a.size = *kube::Quantity::parse("1Ki");
  b.size = *kube::Quantity::parse("1024");

  EXPECT_TRUE(equal(a, b));
  b.keep = false;
  EXPECT_FALSE(equal(a, b));
}

}  // namespace
}  // namespace fixpoint::types
