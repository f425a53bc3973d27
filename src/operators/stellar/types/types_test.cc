// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "json/patch/merge_patch.h"
#include "operators/stellar/mistakes_for_tests.h"
#include "operators/stellar/stellar_fixture.h"
#include "types/encode.h"
#include "types/reference.h"

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class StellarTypes : public StellarFixture {};

// Every member of `given` is in `kept`, with its value.
void expect_kept(json::View given, json::View kept, const std::string& path) {
  if (given.is_object()) {
    for (const auto [key, value] : given.members()) {
      ASSERT_TRUE(kept.contains(key)) << path << "." << key << " was pruned";
      expect_kept(value, kept.get(key), path + "." + std::string{key});
    }
  } else if (given.is_array()) {
    ASSERT_EQ(given.size(), kept.size()) << path;
    for (std::size_t at = 0; at < given.size(); ++at) {
      expect_kept(given[at], kept[at], path + "[" + std::to_string(at) + "]");
    }
  } else {
    EXPECT_TRUE(given == kept) << path;
  }
}

std::string read(const std::string& path) {
  return read_file(path).value_or("");
}

TEST_F(StellarTypes, HaveNoMistakesInTheirTables) {
  EXPECT_THAT(types::mistakes(runtime::kind_of<Author>()), IsEmpty());
}

// `fixpoint manifests --operators stellar --only reference` makes the page.
TEST_F(StellarTypes, HaveTheirReferencePageInTheDocs) {
  EXPECT_EQ(read("docs/reference/stellar.md"),
            "<!-- SPDX-License-Identifier: Apache-2.0 -->\n" +
                types::reference_page(runtime::kind_of<Author>()));
}

TEST_F(StellarTypes, KeepEveryFieldOfAFullSample) {
  for (const auto* file : {"validator", "horizon", "soroban-rpc"}) {
    SCOPED_TRACE(file);
    const auto sample =
        json::parse(read("tests/testdata/operators/stellar/full-" + std::string{file} + ".json"));
    ASSERT_TRUE(sample.has_value()) << sample.error().message;
    world_.create("stellar.org", "v1alpha1", "stellarnodes", "ns", json::to_text(*sample));

    const auto kept = node(kube::name_of(*sample));
    expect_kept(sample->get("spec"), kept.get("spec"), "spec");
    const auto errors = reconciler_.check(kept);
    EXPECT_TRUE(errors.empty()) << errors.front().to_string();
    // And through the C++ types.
    const auto decoded = types::decode<Spec>(kept.get("spec"));
    const auto encoded = types::encode(decoded.value);
    expect_kept(kept.get("spec"), encoded, "spec");
  }
}

TEST_F(StellarTypes, NameEveryFieldOfTheTableInTheSamples) {
  std::set<std::string> seen;
  for (const auto* file : {"validator", "horizon", "soroban-rpc"}) {
    const auto sample =
        json::parse(read("tests/testdata/operators/stellar/full-" + std::string{file} + ".json"));
    ASSERT_TRUE(sample.has_value());
    for (const auto [key, value] : sample->get("spec").members()) seen.emplace(key);
  }
  for (const auto& field : types::table_of<Spec>().fields) {
    EXPECT_TRUE(seen.contains(field.name)) << field.name;
  }
}

// The API server says no by itself, with the way out. What it cannot see is listed as such.
TEST_F(StellarTypes, AreRefusedByTheServerWithTheWayOut) {
  const auto refusal = [&](const json::Value& spec) -> std::string {
    auto request = apiserver::Request{};
    request.verb = apiserver::Verb::Create;
    request.resource = {"stellar.org", "v1alpha1", "stellarnodes"};
    request.ns = "ns";
    request.user = apiserver::system_user();
    request.query = {
        {"dryRun", "All"}
    };
    request.body = fmt::format(R"({{"apiVersion":"stellar.org/v1alpha1","kind":"StellarNode",
        "metadata":{{"name":"bad"}},"spec":{}}})",
                               json::to_text(spec));
    const auto response = world_.run(request);
    if (response.code == 201) return {};
    EXPECT_EQ(response.code, 422);
    return std::string{response.body.get("message").as_string()};
  };

  for (const auto& mistake : known_mistakes()) {
    SCOPED_TRACE(json::to_text(mistake.spec));
    const auto said = refusal(mistake.spec);
    if (mistake.operator_only) {
      EXPECT_EQ(said, "");
    } else {
      EXPECT_THAT(said, HasSubstr(mistake.field + ": "));
      EXPECT_THAT(said, HasSubstr(mistake.problem));
      EXPECT_THAT(said, HasSubstr(mistake.way_out));
    }
  }
}

TEST_F(StellarTypes, NeverChangeTheirTypeAndNeverShrink) {
  make("alice", kValidatorSpec);
  const auto patched = [&](std::string_view patch) {
    return world_.call({
        .verb = client::Verb::Patch,
        .resource = nodes_,
        .key = {"ns", "alice"},
        .body = json::parse(patch).value()
    });
  };

  const auto type = patched(R"({"spec":{"nodeType":"Horizon","horizonConfig":{
      "databaseSecretRef":"a","stellarCoreUrl":"http://a"}}})");
  const auto smaller = patched(R"({"spec":{"storage":{"size":"9Gi"}}})");

  ASSERT_FALSE(type.has_value());
  EXPECT_THAT(type.error().status.message, HasSubstr("is immutable"));
  ASSERT_FALSE(smaller.has_value());
  EXPECT_THAT(smaller.error().status.message, HasSubstr("a volume only grows"));
  EXPECT_TRUE(patched(R"({"spec":{"storage":{"size":"11Gi"}}})").has_value());
}

}  // namespace
}  // namespace fixpoint::operators::stellar
