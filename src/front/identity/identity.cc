// SPDX-License-Identifier: Apache-2.0
#include "front/identity/identity.h"

#include "front/identity/account_token.h"

#include <algorithm>

namespace fixpoint::front {
namespace {

using apiserver::Authenticated;
using apiserver::User;

// Long enough that nobody meets its end in a cluster on one machine.
constexpr auto kCertificateLifetime = std::chrono::hours(24 * 3650);
// Machines whose clocks differ a little still agree that a certificate is valid.
constexpr auto kClockSkew = std::chrono::hours(1);
constexpr std::size_t kTokenBytes = 24;

// The token of an Authorization header; other schemes and an empty token are no credential, and
// whoever sends nothing else is anonymous.
std::optional<std::string_view> bearer_token(const net::Request& request) {
  const std::string* header = request.headers.find("authorization");
  if (header == nullptr) return std::nullopt;
  constexpr std::string_view kBearer = "bearer ";
  std::string_view text = *header;
  if (net::to_lower(text.substr(0, kBearer.size())) != kBearer) return std::nullopt;
  text.remove_prefix(kBearer.size());
  text = text.substr(0, text.find(' '));
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

Result<net::KeyPair> issue_server_certificate(const net::KeyPair& authority,
                                              std::string_view address, Instant now) {
  return net::issue_certificate(
      authority,
      {
          .common_name = "fixpoint",
          .organizations = {},
          .dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
          .ip_addresses = {std::string{address}, "10.0.0.1"},
          .not_before = now - kClockSkew,
          .not_after = now + kCertificateLifetime,
          .use = net::CertificateUse::Server
  });
}

Result<ClusterKeys> make_cluster_keys(std::string_view address, Instant now) {
  FP_TRY(authority, net::make_certificate_authority({.common_name = "fixpoint cluster authority",
                                                     .not_before = now - kClockSkew,
                                                     .not_after = now + kCertificateLifetime}));
  FP_TRY(server, issue_server_certificate(authority, address, now));
  return ClusterKeys{.authority = std::move(authority),
                     .server = std::move(server),
                     .tokens = net::SigningKey::generate(),
                     .admin_token = net::base64url_encode(net::random_bytes(kTokenBytes))};
}

apiserver::User anonymous() {
  return {.name = "system:anonymous", .uid = {}, .groups = {"system:unauthenticated"}, .extra = {}};
}

Result<std::string> Identity::issue(const apiserver::ServiceAccountClaims& claims) const {
  return write_token(claims, keys_.tokens);
}

Result<Authenticated> Identity::authenticate(std::string_view token,
                                             const std::vector<std::string>& audiences, Instant now,
                                             const store::Snapshot& snapshot) const {
  // An empty admin token admits nobody, least of all those who show none.
  if (!keys_.admin_token.empty() && net::equal_in_constant_time(token, keys_.admin_token)) {
    if (std::ranges::find(audiences, apiserver::kIssuer) == audiences.end()) {
      return fail(ErrorKind::Invalid, "invalid bearer token");
    }
    return Authenticated{
        .user = {.name = "kubernetes-admin",
                 .uid = {},
                 .groups = {"system:masters", "system:authenticated"},
                 .extra = {}},
        .audiences = {std::string{apiserver::kIssuer}}
    };
  }
  return read_token(token, audiences, now, {.key = keys_.tokens, .snapshot = snapshot});
}

namespace {

// Nobody where the certificate names nobody.
std::optional<User> owner_of_certificate(const net::Request& request) {
  if (!request.peer || !request.peer->identity) return {};
  const auto& shown = *request.peer->identity;
  if (shown.common_name.empty()) return {};
  User user{.name = shown.common_name, .uid = {}, .groups = shown.organizations, .extra = {}};
  user.groups.emplace_back("system:authenticated");
  return user;
}

}  // namespace

// Each way in is tried; what one cannot read, another may make up for.
kube::Answer<User> Identity::sender(const net::Request& request, Instant now,
                                    const store::Snapshot& snapshot) const {
  if (auto owner = owner_of_certificate(request)) return *std::move(owner);
  if (const auto token = bearer_token(request)) {
    // A token made for somebody else's eyes is none here.
    auto known = authenticate(*token, {std::string{apiserver::kIssuer}}, now, snapshot);
    if (!known) return std::unexpected(kube::unauthorized());
    return std::move(known->user);
  }
  if (request.peer && !request.peer->certificate_problem.empty()) {
    return std::unexpected(kube::unauthorized());
  }
  return anonymous();
}

}  // namespace fixpoint::front
