// SPDX-License-Identifier: Apache-2.0
#include "front/identity.h"

#include "json/draft.h"
#include "json/parse.h"
#include "json/print.h"
#include "kube/metadata.h"

#include <algorithm>

namespace fixpoint::front {
namespace {

using apiserver::Authenticated;
using apiserver::User;

// Long enough that nobody meets its end in a cluster on one machine.
constexpr auto kCertificateLifetime = std::chrono::hours(24 * 3650);
constexpr std::size_t kTokenBytes = 24;

std::int64_t unix_seconds(Instant at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

std::unexpected<Error> invalid_token() {
  return fail(ErrorKind::Invalid, "invalid bearer token");
}

// The claims of a JWT whose signature, over its first two parts with their dot, is by the key.
Result<json::Value> read_jwt(std::string_view token, const net::SigningKey& key) {
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return invalid_token();
  const auto signed_part = token.substr(0, last);
  auto signature = net::base64url_decode(token.substr(last + 1));
  if (!signature || !key.verify(signed_part, *signature)) return invalid_token();
  auto payload = net::base64url_decode(token.substr(first + 1, last - first - 1));
  if (!payload) return invalid_token();
  auto claims = json::parse(*payload);
  if (!claims) return invalid_token();
  return *std::move(claims);
}

// The account must still be the one the token was made for.
bool account_lives(const store::Snapshot& snapshot, std::string_view ns, std::string_view name,
                   std::string_view uid) {
  const auto account =
      snapshot.find("serviceaccounts/" + std::string{ns} + "/" + std::string{name});
  return account && kube::uid_of(account->body) == uid;
}

User service_account_user(std::string_view ns, std::string_view name, std::string_view uid) {
  return {
      .name = "system:serviceaccount:" + std::string{ns}
          + ":" + std::string{name},
      .uid = std::string{uid},
      .groups = {"system:serviceaccounts", "system:serviceaccounts:" + std::string{ns},
                                                     "system:authenticated"},
      .extra = {}
  };
}

}  // namespace

Result<ClusterKeys> make_cluster_keys(std::string_view address, Instant now) {
  const auto until = now + kCertificateLifetime;
  // Machines whose clocks differ a little still agree that the certificate is valid.
  const auto from = now - std::chrono::hours(1);
  FP_TRY(authority, net::make_certificate_authority({.common_name = "fixpoint cluster authority",
                                                     .not_before = from,
                                                     .not_after = until}));
  FP_TRY(server, net::issue_certificate(
                     authority, {
                                    .common_name = "fixpoint",
                                    .organizations = {},
                                    .dns_names = {"localhost", "kubernetes", "kubernetes.default",
                                                      "kubernetes.default.svc"},
                                    .ip_addresses = {std::string{address}, "10.0.0.1"},
                                    .not_before = from,
                                    .not_after = until,
                                    .use = net::CertificateUse::Server
  }));
  return ClusterKeys{.authority = std::move(authority),
                     .server = std::move(server),
                     .tokens = net::SigningKey::generate(),
                     .admin_token = net::base64url_encode(net::random_bytes(kTokenBytes))};
}

apiserver::User anonymous() {
  return {.name = "system:anonymous", .uid = {}, .groups = {"system:unauthenticated"}, .extra = {}};
}

Result<std::string> Identity::issue(const apiserver::ServiceAccountClaims& claims) const {
  json::Draft audiences = json::Draft::array();
  for (const auto& audience : claims.audiences) audiences.push_back(audience);
  json::Draft account = json::Draft::object({
      {"name", claims.name},
      {"uid",  claims.uid }
  });
  json::Draft about = json::Draft::object({
      {"namespace",      claims.ns         },
      {"serviceaccount", std::move(account)}
  });
  if (!claims.bound_kind.empty()) {
    std::string kind = net::to_lower(claims.bound_kind);
    about[kind] = json::Draft::object({
        {"name", claims.bound_name},
        {"uid",  claims.bound_uid }
    });
  }
  const auto payload =
      json::Draft::object({
                              {"aud",           std::move(audiences)                                    },
                              {"exp",           unix_seconds(claims.expires)                            },
                              {"iat",           unix_seconds(claims.issued)                             },
                              {"iss",           apiserver::kIssuer                                      },
                              {"jti",           claims.id                                               },
                              {"kubernetes.io", std::move(about)                                        },
                              {"nbf",           unix_seconds(claims.issued)                             },
                              {"sub",           "system:serviceaccount:" + claims.ns + ":" + claims.name}
  })
          .freeze();
  std::string token = net::base64url_encode(R"({"alg":"ES256","typ":"JWT"})");
  token += '.';
  token += net::base64url_encode(json::to_text(payload));
  const std::string signature = keys_.tokens.sign(token);
  return token + "." + net::base64url_encode(signature);
}

Result<Authenticated> Identity::authenticate(std::string_view token, Instant now,
                                             const store::Snapshot& snapshot) const {
  if (net::equal_in_constant_time(token, keys_.admin_token)) {
    return Authenticated{
        .user = {.name = "kubernetes-admin",
                 .uid = {},
                 .groups = {"system:masters", "system:authenticated"},
                 .extra = {}},
        .audiences = {std::string{apiserver::kIssuer}}
    };
  }
  FP_TRY(jwt, read_jwt(token, keys_.tokens));
  const json::View claims = jwt;
  const auto at = unix_seconds(now);
  if (claims.get("exp").as_int() <= at || claims.get("nbf").as_int() > at + 60) {
    return invalid_token();
  }
  const json::View about = claims.get("kubernetes.io");
  const auto ns = about.get("namespace").as_string();
  const auto name = about.get("serviceaccount", "name").as_string();
  const auto uid = about.get("serviceaccount", "uid").as_string();
  if (!account_lives(snapshot, ns, name, uid)) return invalid_token();
  Authenticated known{.user = service_account_user(ns, name, uid), .audiences = {}};
  for (const json::View audience : claims.get("aud").elements()) {
    known.audiences.emplace_back(audience.as_string());
  }
  known.user.extra.emplace_back(
      "authentication.kubernetes.io/credential-id",
      std::vector<std::string>{"JTI=" + std::string{claims.get("jti").as_string()}});
  return known;
}

kube::Answer<User> Identity::sender(const net::Request& request, Instant now,
                                    const store::Snapshot& snapshot) const {
  if (const std::string* header = request.headers.find("authorization")) {
    constexpr std::string_view kBearer = "bearer ";
    const std::string_view text = *header;
    if (text.size() <= kBearer.size() || net::to_lower(text.substr(0, kBearer.size())) != kBearer) {
      return std::unexpected(kube::unauthorized());
    }
    auto known = authenticate(text.substr(kBearer.size()), now, snapshot);
    if (!known) return std::unexpected(kube::unauthorized());
    // A token made for somebody else's eyes is none here.
    if (std::ranges::find(known->audiences, apiserver::kIssuer) == known->audiences.end()) {
      return std::unexpected(kube::unauthorized());
    }
    return std::move(known->user);
  }
  if (request.peer && !request.peer->certificate_problem.empty()) {
    return std::unexpected(kube::unauthorized());
  }
  if (request.peer && request.peer->identity) {
    User user{.name = request.peer->identity->common_name,
              .uid = {},
              .groups = request.peer->identity->organizations,
              .extra = {}};
    user.groups.emplace_back("system:authenticated");
    return user;
  }
  return anonymous();
}

std::optional<Impersonation> impersonation(const net::Headers& headers) {
  constexpr std::string_view kExtra = "impersonate-extra-";
  Impersonation asked;
  bool any = false;
  for (const auto& [name, value] : headers) {
    if (name == "impersonate-user") {
      asked.user.name = value;
    } else if (name == "impersonate-group") {
      asked.user.groups.push_back(value);
    } else if (name == "impersonate-uid") {
      asked.user.uid = value;
    } else if (name.starts_with(kExtra)) {
      asked.user.extra.push_back({name.substr(kExtra.size()), {value}});
    } else {
      continue;
    }
    any = true;
  }
  if (!any) return std::nullopt;
  asked.without_user = asked.user.name.empty();
  return asked;
}

}  // namespace fixpoint::front
