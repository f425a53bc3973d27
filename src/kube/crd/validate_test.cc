// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/validate.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "kube/crd/crd.h"
#include "kube/crd/validate_conversion.h"
#include "kube/scalars/base64.h"
#include "kube/table_for_tests.h"
#include "kube/texts_for_tests.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

using ::testing::UnorderedElementsAreArray;

TEST(CrdValidate, SaysWhatARealServerSaysAboutEveryMistake) {
  const auto rows = read_table("schema/crds.json");
  ASSERT_GT(rows.size(), 100U);
  for (const auto row : rows.view().elements()) {
    json::Draft crd{row.get("crd")};
    set_crd_defaults(crd);
    prepare_crd(crd, {});
    const auto object = crd.freeze();

    const auto errors = texts(validate_crd(object, nullptr));

    EXPECT_THAT(errors, UnorderedElementsAreArray(texts_of(row.get("errors"))))
        << row.get("name").as_string();
  }
}

TEST(CrdValidate, GuardsOnUpdateWhatARealServerGuards) {
  const auto table = read_table("schema/crd_updates.json");
  const auto old = table.get("old");
  ASSERT_GT(table.get("rows").size(), 10U);
  for (const auto row : table.get("rows").elements()) {
    json::Draft crd{row.get("new")};
    set_crd_defaults(crd);
    prepare_crd(crd, old);
    const auto object = crd.freeze();

    const auto errors = texts(validate_crd_update(object, old, nullptr));

    EXPECT_THAT(errors, UnorderedElementsAreArray(texts_of(row.get("errors"))))
        << row.get("name").as_string();
  }
}

TEST(CrdValidate, CertificatesOfAServedDefinitionMustBeSome) {
  const auto problem = [](std::string_view bundle) {
    const auto value = json::Value::string(bundle);
    return ca_bundle_problem(value);
  };
  const auto pem = [](std::string_view type, std::string_view content) {
    return base64(fmt::format("-----BEGIN {0}-----\n{1}\n-----END {0}-----\n", type, content));
  };

  EXPECT_EQ(problem(""), "");
  EXPECT_EQ(problem("AAAA"),
            "unable to load root certificates: unable to parse bytes as PEM block");
  EXPECT_EQ(problem(pem("RSA KEY", "AAAA")),
            "unable to load root certificates: no valid certificate authority data seen");
  EXPECT_EQ(problem(pem("CERTIFICATE", "AAAA")),
            "unable to load root certificates: failed to parse certificate: x509: malformed "
            "certificate");
  EXPECT_EQ(problem(pem("CERTIFICATE", "MAAA")), "");
}

TEST(CrdValidate, ACertificateBundleIsLookedAtOnceTheDefinitionIsServed) {
  const auto definition = [](std::string_view conversion, std::string_view established) {
    return json::parse(fmt::format(R"({{"spec":{{"conversion":{}}},"status":{{"conditions":[)"
                                   R"({{"type":"Established","status":"{}"}}]}}}})",
                                   conversion, established))
        .value();
  };
  const auto webhook = R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
                       R"("clientConfig":{"url":"https://example.com","caBundle":"AAAA"}}})";
  const auto refused = [](const json::Value& wanted, const json::Value& old) {
    return std::ranges::any_of(
        texts(validate_crd_update(wanted, old, nullptr)), [](const auto& text) {
          return text.starts_with(
              "spec.conversion.webhookClientConfig.caBundle: Invalid value: \"AAAA\"");
        });
  };

  const auto wanted = definition(webhook, "True");
  EXPECT_TRUE(refused(wanted, definition("null", "True")));
  EXPECT_FALSE(refused(wanted, definition("null", "False")));
  EXPECT_FALSE(refused(wanted, definition(webhook, "True")));
}

TEST(CrdValidate, RefusesSchemasTooDeepToWalk) {
  std::string schema = "{}";
  for (int i = 0; i < 900; ++i) schema = R"({"items":)" + schema + "}";
  const auto crd =
      json::parse(R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)" + schema + "}}]}}")
          .value();

  EXPECT_THAT(texts(validate_crd(crd, nullptr)),
              ::testing::ElementsAre("spec.versions[0].schema: Forbidden: must not nest more than "
                                     "256 levels deep"));
  EXPECT_TRUE(crd_warnings(crd, {}).empty());
}

}  // namespace
}  // namespace fixpoint::kube
