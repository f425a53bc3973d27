// SPDX-License-Identifier: Apache-2.0
//
// Who trusts whom: certificates made here, shown over real connections.
#include "net/tls.h"

#include "net/loopback_fixture.h"

#include <functional>
#include <thread>

namespace fixpoint::net {
namespace {

using namespace std::chrono_literals;

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    ServerOptions options;
    options.tls = server_tls();
    server = *Server::listen(loop, options, [this](Request&& request, std::shared_ptr<Exchange> x) {
      peer = request.peer;
      x->respond(200, {}, "ok");
    });
  }

  AnswerRef fetch(const ClientTls& tls, std::string server_name = {}) {
    auto context = make_client_tls(tls);
    EXPECT_TRUE(context.has_value());
    ClientOptions options;
    options.host = "127.0.0.1";
    options.port = server->port();
    options.tls = *context;
    options.server_name = std::move(server_name);
    const auto connection = Connection::open(loop, options);
    auto answer = send(*connection, {});
    EXPECT_TRUE(loop.run_until([&] { return answer->end.has_value(); }, kPatience));
    return answer;
  }

  const Certificates& certificates = Certificates::get();
  ClientTls trusting{.ca_pem = certificates.authority.certificate_pem,
                     .certificate_pem = {},
                     .private_key_pem = {},
                     .check = PeerCheck::Verify,
                     .versions = HttpVersions::Any};
  Loop loop;
  std::unique_ptr<Server> server;
  std::shared_ptr<const Peer> peer;
};

TEST_F(TlsTest, AcceptsTheServersAddressAndItsName) {
  EXPECT_TRUE(fetch(trusting)->complete());
  EXPECT_TRUE(fetch(trusting, "api.example")->complete());
  EXPECT_TRUE(peer->tls);
  EXPECT_FALSE(peer->identity.has_value());
  EXPECT_EQ(peer->certificate_problem, "");
}

TEST_F(TlsTest, RefusesAServerOfAnotherName) {
  for (const auto* name : {"other.example", "127.0.0.2", "api.example.evil", "xapi.example"}) {
    const auto answer = fetch(trusting, name);
    ASSERT_TRUE(answer->failed()) << name;
    EXPECT_EQ(answer->end->error().kind, ErrorKind::Invalid);
    EXPECT_NE(answer->end->error().message.find("mismatch"), std::string::npos)
        << answer->end->error().message;
  }
  EXPECT_EQ(peer, nullptr);
}

TEST_F(TlsTest, RefusesAServerOfAnUnknownAuthority) {
  auto tls = trusting;
  tls.ca_pem = certificates.foreign_authority.certificate_pem;

  const auto answer = fetch(tls);

  ASSERT_TRUE(answer->failed());
  EXPECT_EQ(answer->end->error().kind, ErrorKind::Invalid);
  EXPECT_EQ(peer, nullptr);
}

TEST_F(TlsTest, TalksToAnybodyOnlyWhenToldTo) {
  auto tls = trusting;
  tls.ca_pem = certificates.foreign_authority.certificate_pem;
  tls.check = PeerCheck::InsecureSkipVerify;

  EXPECT_TRUE(fetch(tls, "other.example")->complete());
}

TEST_F(TlsTest, DeliversTheIdentityOfAClientCertificate) {
  auto tls = trusting;
  tls.certificate_pem = certificates.client.certificate_pem;
  tls.private_key_pem = certificates.client.private_key_pem;

  EXPECT_TRUE(fetch(tls)->complete());

  ASSERT_TRUE(peer->identity.has_value());
  EXPECT_EQ(peer->identity->common_name, "alice");
  EXPECT_EQ(peer->identity->organizations, (std::vector<std::string>{"system:masters", "dev"}));
}

TEST_F(TlsTest, GivesAForeignClientCertificateNoIdentityButAProblem) {
  auto tls = trusting;
  tls.certificate_pem = certificates.foreign_client.certificate_pem;
  tls.private_key_pem = certificates.foreign_client.private_key_pem;

  EXPECT_TRUE(fetch(tls)->complete());

  EXPECT_FALSE(peer->identity.has_value());
  EXPECT_NE(peer->certificate_problem, "");
}

TEST_F(TlsTest, GivesAServerCertificateUsedAsAClientsNoIdentity) {
  auto tls = trusting;
  tls.certificate_pem = certificates.server.certificate_pem;
  tls.private_key_pem = certificates.server.private_key_pem;

  EXPECT_TRUE(fetch(tls)->complete());

  EXPECT_FALSE(peer->identity.has_value());
  EXPECT_NE(peer->certificate_problem, "");
}

// Of CN=ada, O=crew; made for this file.
constexpr auto kAdasKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYr7oKD4zJl5F70DR\n"
    "pVwB2y9BqB4qeCGv0gsGqdZZWwShRANCAAQ2Q0N8BIUOAiuFFP5hMp1cmpCs9Gg6\n"
    "Cm4FlQvCMx+QKY1SqSxSGhXFi//xD6+bIUgWxv9pds0SwRUanCqe5SlO\n"
    "-----END PRIVATE KEY-----\n";
constexpr auto kAdasRequest =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHXMH8CAQAwHTENMAsGA1UECgwEY3JldzEMMAoGA1UEAwwDYWRhMFkwEwYHKoZI\n"
    "zj0CAQYIKoZIzj0DAQcDQgAENkNDfASFDgIrhRT+YTKdXJqQrPRoOgpuBZULwjMf\n"
    "kCmNUqksUhoVxYv/8Q+vmyFIFsb/aXbNEsEVGpwqnuUpTqAAMAoGCCqGSM49BAMC\n"
    "A0gAMEUCIQDyY61NZdNSXM6jJkHDP7mLuve04q/zUeStwhBQ6xrxnwIgID+07txs\n"
    "yJSfa+fgSLNRUMQg0y293auTwrXXyxCM7Nc=\n"
    "-----END CERTIFICATE REQUEST-----\n";

TEST_F(TlsTest, KnowsAClientWhoseRequestWasSigned) {
  const auto now = system_clock().wall();
  const auto signed_pem = sign_client_request(certificates.authority,
                                              {.request_pem = kAdasRequest,
                                               .digital_signature = true,
                                               .key_encipherment = true,
                                               .not_before = now - std::chrono::minutes(5),
                                               .not_after = now + std::chrono::hours(24 * 365)});
  ASSERT_TRUE(signed_pem.has_value()) << signed_pem.error().message;
  auto tls = trusting;
  tls.certificate_pem = *signed_pem;
  tls.private_key_pem = kAdasKey;

  EXPECT_TRUE(fetch(tls)->complete());

  ASSERT_TRUE(peer->identity.has_value()) << peer->certificate_problem;
  EXPECT_EQ(peer->identity->common_name, "ada");
  EXPECT_EQ(peer->identity->organizations, (std::vector<std::string>{"crew"}));
  // No longer than whoever signed it.
  EXPECT_EQ(certificate_expiry(*signed_pem).value(),
            certificate_expiry(certificates.authority.certificate_pem).value());
}

TEST_F(TlsTest, SignsNothingElse) {
  const auto now = system_clock().wall();
  const auto refused = [&](std::string request, Instant until) {
    const auto made = sign_client_request(
        certificates.authority,
        {.request_pem = std::move(request), .not_before = now, .not_after = until});
    return !made && made.error().kind == ErrorKind::Invalid;
  };
  std::string forged = kAdasRequest;
  const auto line = forged.rfind('\n', forged.find("-----END") - 2) + 1;
  std::swap(forged[line], forged[line + 1]);
  EXPECT_FALSE(refused(kAdasRequest, now + std::chrono::hours(1)));
  EXPECT_TRUE(refused("", now + std::chrono::hours(1)));
  EXPECT_TRUE(refused(certificates.client.certificate_pem, now + std::chrono::hours(1)));
  EXPECT_TRUE(refused(forged, now + std::chrono::hours(1)));
  EXPECT_TRUE(refused(kAdasRequest, now));
}

TEST_F(TlsTest, SaysWhatIsWrongWithPemText) {
  const auto& good = certificates.server;
  const auto problem = [](Result<TlsContextRef> made) {
    return made ? std::string() : made.error().message;
  };
  EXPECT_NE(
      problem(make_server_tls(
          {.certificate_pem = "x", .private_key_pem = good.private_key_pem, .client_ca_pem = {}})),
      "");
  EXPECT_NE(
      problem(make_server_tls(
          {.certificate_pem = good.certificate_pem, .private_key_pem = "x", .client_ca_pem = {}})),
      "");
  EXPECT_EQ(problem(make_server_tls({.certificate_pem = good.certificate_pem,
                                     .private_key_pem = certificates.client.private_key_pem,
                                     .client_ca_pem = {}})),
            "the private key does not belong to the certificate");
  EXPECT_EQ(problem(make_server_tls({.certificate_pem = good.certificate_pem,
                                     .private_key_pem = good.private_key_pem,
                                     .client_ca_pem = "x"})),
            "the CA text holds no PEM certificate");
}

TEST(Certificate, SaysWhenItEndsAndRefusesWrongRequests) {
  const Instant from{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  const auto authority = make_certificate_authority(
      {.common_name = "ca", .not_before = from, .not_after = from + 240h});
  ASSERT_TRUE(authority.has_value());
  EXPECT_EQ(certificate_expiry(authority->certificate_pem), from + 240h);

  const CertificateRequest good{.common_name = "x",
                                .organizations = {},
                                .dns_names = {},
                                .ip_addresses = {},
                                .not_before = from,
                                .not_after = from + 1h,
                                .use = CertificateUse::Both};
  const auto refused = [&](const std::function<void(CertificateRequest&)>& spoil) {
    auto request = good;
    spoil(request);
    const auto made = issue_certificate(*authority, request);
    return !made && made.error().kind == ErrorKind::Invalid;
  };
  EXPECT_TRUE(issue_certificate(*authority, good).has_value());
  EXPECT_TRUE(refused([](auto& r) { r.common_name = ""; }));
  EXPECT_TRUE(refused([](auto& r) { r.common_name = std::string(65, 'x'); }));
  EXPECT_TRUE(refused([](auto& r) { r.ip_addresses = {"localhost"}; }));
  EXPECT_TRUE(refused([](auto& r) { r.dns_names = {""}; }));
  EXPECT_TRUE(refused([](auto& r) { r.not_after = r.not_before; }));
  const KeyPair mixed{authority->certificate_pem, Certificates::get().client.private_key_pem};
  EXPECT_FALSE(issue_certificate(mixed, good).has_value());
  EXPECT_FALSE(certificate_expiry("x").has_value());
  // An authority from elsewhere may name no key of its own, as this leaf does not.
  EXPECT_TRUE(issue_certificate(Certificates::get().client, good).has_value());
}

TEST(Listen, NamesTheAddressThatIsInUse) {
  Loop loop;
  ServerOptions options;
  const Handler nobody = [](Request&&, std::shared_ptr<Exchange>) {};
  const auto first = Server::listen(loop, options, nobody);
  ASSERT_TRUE(first.has_value());
  options.port = (*first)->port();

  const auto second = Server::listen(loop, options, nobody);

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(second.error().message,
            "listen on 127.0.0.1:" + std::to_string(options.port) + ": Address already in use");
  options.address = "not an address";
  EXPECT_EQ(Server::listen(loop, options, nobody).error().kind, ErrorKind::Invalid);
}

TEST(BlockingRequest, FetchesOrSaysWhyNot) {
  Loop loop;
  ServerOptions options;
  options.tls = server_tls();
  const auto server = *Server::listen(loop, options, [](Request&& r, std::shared_ptr<Exchange> x) {
    if (r.target == "/never") {
      x->on_closed([x] {});
    } else {
      x->respond(200, {}, r.target);
    }
  });
  std::jthread serving([&] { loop.run(); });
  ClientOptions to;
  to.host = "127.0.0.1";
  to.port = server->port();
  to.tls = client_tls(HttpVersions::Any);

  const auto answer = blocking_request(to, {.target = "/hello"}, kPatience);
  const auto late = blocking_request(to, {.target = "/never", .timeout = 20ms}, kPatience);
  auto nobody = to;
  nobody.port = 1;
  const auto refused = blocking_request(nobody, {}, kPatience);
  loop.stop();
  serving.join();

  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "/hello");
  EXPECT_EQ(late.error().message, "GET /never: no answer within the deadline");
  EXPECT_EQ(refused.error().message, "connect to 127.0.0.1:1: Connection refused");
}

}  // namespace
}  // namespace fixpoint::net
