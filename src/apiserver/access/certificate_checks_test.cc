// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/certificate_checks.h"

#include "apiserver/api_fixture.h"

#include <gmock/gmock.h>

namespace fixpoint::apiserver {
namespace {

// One that finds fault with everything.
class Strict final : public Certificates {
 public:
  std::string pair_problem(std::string_view certificate, std::string_view key) const override {
    return "no pair: " + std::string{certificate} + ", " + std::string{key};
  }
  std::string request_problem(std::string_view) const override { return "no request"; }
};

class CertificateChecks : public ApiFixture {
 protected:
  Response ask(Verb verb, std::string_view path, std::string_view body) {
    auto call = request(verb, path);
    call.body = body;
    if (verb == Verb::Patch) call.content_type = "application/merge-patch+json";
    Core core{nullptr, &strict_};
    return core.handle(call, store_, environment());
  }

  Strict strict_;
};

TEST_F(CertificateChecks, ATlsSecretWhoseHalvesAreNoPairIsWarnedOf) {
  const auto made = ask(Verb::Create, "/api/v1/namespaces/ns/secrets",
                        R"({"metadata":{"name":"s"},"type":"kubernetes.io/tls",
                            "stringData":{"tls.crt":"c","tls.key":"k"}})");
  const auto changed =
      ask(Verb::Patch, "/api/v1/namespaces/ns/secrets/s", R"({"metadata":{"labels":{"a":"b"}}})");
  const auto other = ask(Verb::Create, "/api/v1/namespaces/ns/secrets",
                         R"({"metadata":{"name":"o"},"stringData":{"tls.crt":"c"}})");

  EXPECT_THAT(made.warnings, testing::ElementsAre("no pair: c, k"));
  EXPECT_THAT(changed.warnings, testing::ElementsAre("no pair: c, k"));
  EXPECT_TRUE(other.warnings.empty());
}

TEST_F(CertificateChecks, WhatIsInARequestIsToldAfterItsMetadata) {
  const auto refused =
      ask(Verb::Create, "/apis/certificates.k8s.io/v1/certificatesigningrequests",
          R"({"metadata":{"name":"c","labels":{"a b":"c"}},"spec":{"signerName":"a.b/c","usages":[],
              "request":"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=="}})");

  EXPECT_EQ(refused.code, 422);
  const auto text = message(refused);
  EXPECT_LT(text.find("metadata.labels"), text.find("spec.request"));
  EXPECT_LT(text.find("no request"), text.find("spec.usages: Required value"));
}

}  // namespace
}  // namespace fixpoint::apiserver
