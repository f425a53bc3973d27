// SPDX-License-Identifier: Apache-2.0
//
// What a table makes of an object, beside what a real server makes of it: the CRD is accepted, and
// random objects are accepted by both or by neither.
#include "base/rng.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/conformance/real_cluster.h"
#include "types/decode.h"
#include "types/encode.h"
#include "types/gadget_for_tests.h"
#include "types/sample.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

using types::GadgetSpec;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kGadgets = "/apis/test.fixpoint.example/v1/namespaces/default/gadgets";
constexpr int kSamples = 400;
constexpr int kTriesMax = 100;

Answer post_json(Server& server, std::string_view path, std::string_view query, json::View body) {
  return server.call({.method = "POST",
                      .path = std::string{path},
                      .query = std::string{query},
                      .headers = {{"content-type", "application/json"}},
                      .body = json::to_text(body)});
}

json::Value gadget(const json::Value& spec) {
  return json::Draft::object({
                                 {"apiVersion", "test.fixpoint.example/v1"               },
                                 {"kind",       "Gadget"                                 },
                                 {"metadata",   json::Draft::object({{"name", "gadget"}})},
                                 {"spec",       spec                                     },
  })
      .freeze();
}

// The kind is served a moment after its definition was accepted.
bool serves(Server& server) {
  for (int attempt = 0; attempt < kTriesMax; ++attempt) {
    if (server.call({.path = std::string{kGadgets}}).code == 200) return true;
    server.wait(std::chrono::milliseconds(100));
  }
  return false;
}

// Rules are the server's alone: an object may break one and decode all the same.
bool only_broken_rules(json::View status) {
  static constexpr std::array kWords{"what is not kept needs no care", "many need to be fast",
                                     "must be greater than or equal to",
                                     "must be less than or equal to"};
  const auto causes = status.get("details", "causes");
  for (const auto cause : causes.elements()) {
    const auto message = cause.get("message").as_string();
    const bool rule = std::ranges::any_of(kWords, [&](std::string_view words) {
      return message.find(words) != std::string_view::npos &&
             message.find("in body") == std::string_view::npos;
    });
    if (!rule) return false;
  }
  return !causes.empty();
}

// The decoder checks bounds of durations and quantities; the server does so only when everything
// else is right. And the server takes lists for strings with a format.
bool list_for_formatted(json::View spec) {
  return spec.get("address").is_array() || spec.get("since").is_array();
}

TEST(Tables, AgreeWithARealServer) {
  auto cluster = RealCluster::start("none");
  ASSERT_TRUE(cluster.has_value()) << cluster.error().message;
  const auto server = make_http_server((*cluster)->endpoint());
  const auto definition = types::crd(types::gadget_kind());
  const auto made = post_json(*server, kDefinitions, "fieldValidation=Strict", definition);
  ASSERT_TRUE(made.code == 201 || made.code == 409) << made.body;
  ASSERT_TRUE(serves(*server));

  int accepted = 0;
  int refused = 0;
  for (const std::uint32_t wild : {0U, 10U, 60U}) {
    Rng rng{wild + 7};
    for (int i = 0; i < kSamples; ++i) {
      const auto spec = types::sample(types::table_of<GadgetSpec>(), rng, {.wild_per_mille = wild});
      if (list_for_formatted(spec)) continue;
      const auto local = types::decode<GadgetSpec>(spec, kube::FieldPath{"spec"});
      const auto object = gadget(spec);
      const auto answer = post_json(*server, kGadgets, "dryRun=All", object);
      const auto body = json::parse(answer.body);
      ASSERT_TRUE(body.has_value()) << answer.body;

      const bool fine = answer.code == 201 || (answer.code == 422 && only_broken_rules(*body));
      ASSERT_EQ(local.ok(), answer.code == 201 || (local.ok() && fine))
          << json::to_text(spec) << "\n"
          << answer.body << "\n"
          << (local.ok() ? "" : local.errors.front().to_string());
      ++(answer.code == 201 ? accepted : refused);
      if (answer.code != 201) continue;
      const auto stored = types::decode<GadgetSpec>(body->get("spec"));
      ASSERT_TRUE(stored.ok() && types::equal(stored.value, local.value)) << answer.body;
    }
  }
  fmt::print("{} accepted, {} refused, all alike\n", accepted, refused);
  EXPECT_GT(accepted, kSamples / 2);
  EXPECT_GT(refused, kSamples / 4);
}

}  // namespace
}  // namespace fixpoint::conformance
