// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/certificate_signer.h"

#include "base/base64.h"
#include "cluster/loop_fixture.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

constexpr auto kRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
constexpr auto kAda = "/apis/certificates.k8s.io/v1/certificatesigningrequests/ada";
constexpr std::string_view kClient = "kubernetes.io/kube-apiserver-client";

// The core looks no further than at its frame.
constexpr std::string_view kRequest =
    "-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----\n";

class CertificateSignerLoop : public LoopFixture {
 protected:
  CertificateSignerLoop() {
    ClusterOptions options;
    options.sign_certificate = [this](const CertificateOrder& order) -> Result<std::string> {
      orders_.push_back(order);
      if (!signs_) return fail(ErrorKind::Invalid, "no");
      // The server looks at what it is given: it has to be a certificate.
      return std::string{"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"};
    };
    controllers_ = Controllers::of_cluster("authority", options);
  }

  void ask(std::string_view usages, std::string_view signer = kClient, std::string_view more = "") {
    const auto made = create(
        kRequests,
        fmt::format(
            R"({{"metadata":{{"name":"ada"}},"spec":{{"request":"{}","signerName":"{}","usages":[{}]{}}}}})",
            base64_encode(kRequest), signer, usages, more));
    ASSERT_EQ(made.code, 201) << message(made);
  }

  void conclude(std::string_view type) {
    json::Draft request{get(kAda).body};
    request.object_at("status")
        .array_at("conditions")
        .push_back(json::Draft::object({
            {"type",   type  },
            {"status", "True"},
            {"reason", "Test"}
    }));
    const json::Value body = request.freeze();
    const auto done = put(std::string{kAda} + "/approval", json::to_text(body));
    ASSERT_EQ(done.code, 200) << message(done);
  }

  std::string certificate() {
    const auto found = get(kAda);
    return std::string{found.body.get("status", "certificate").as_string()};
  }

  std::vector<CertificateOrder> orders_;
  bool signs_ = true;
};

TEST_F(CertificateSignerLoop, SignsWhatWasApprovedOnce) {
  ask(R"("client auth","digital signature")");
  settle();
  EXPECT_EQ(certificate(), "");

  conclude("Approved");
  settle();

  EXPECT_EQ(base64_decode(certificate()).value_or(""),
            "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n");
  ASSERT_EQ(orders_.size(), 1U);
  EXPECT_EQ(orders_[0].request_pem, kRequest);
  EXPECT_TRUE(orders_[0].digital_signature);
  EXPECT_FALSE(orders_[0].key_encipherment);
  EXPECT_EQ(orders_[0].from, clock_.wall() - std::chrono::minutes(5));
  EXPECT_EQ(orders_[0].until,
            clock_.wall() + std::chrono::hours(24 * 365) - std::chrono::minutes(5));
}

TEST_F(CertificateSignerLoop, LastsAsLongAsIsAsked) {
  ask(R"("client auth")", kClient, R"(,"expirationSeconds":3600)");
  conclude("Approved");
  settle();

  ASSERT_EQ(orders_.size(), 1U);
  EXPECT_EQ(orders_[0].until, clock_.wall() + std::chrono::hours(1));
}

TEST_F(CertificateSignerLoop, LeavesWhatIsDeniedOrSomebodyElses) {
  ask(R"("client auth")");
  conclude("Denied");
  settle();
  EXPECT_TRUE(orders_.empty());
  remove(kAda);

  ask(R"("client auth")", "example.com/signer");
  conclude("Approved");
  settle();
  EXPECT_TRUE(orders_.empty());
}

TEST_F(CertificateSignerLoop, MarksWhatNoClientHasUseForAsFailed) {
  ask(R"("client auth","server auth")");
  conclude("Approved");
  settle();

  EXPECT_TRUE(orders_.empty());
  const auto found = get(kAda);
  const json::View condition = found.body.get("status", "conditions")[1];
  EXPECT_EQ(condition.get("type").as_string(), "Failed");
  EXPECT_EQ(condition.get("reason").as_string(), "SignerValidationFailure");
  EXPECT_EQ(condition.get("message").as_string(),
            "invalid usage for client certificate: server auth");
}

TEST_F(CertificateSignerLoop, RestsWhereNothingCanBeSigned) {
  signs_ = false;
  ask(R"("client auth")");
  conclude("Approved");
  settle();

  EXPECT_EQ(orders_.size(), 1U);
  EXPECT_EQ(certificate(), "");
}

}  // namespace
}  // namespace fixpoint::cluster
