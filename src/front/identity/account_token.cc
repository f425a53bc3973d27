// SPDX-License-Identifier: Apache-2.0
#include "front/identity/account_token.h"

#include "base/rfc3339.h"
#include "front/identity/issuer.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/errors/field_error.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <optional>

namespace fixpoint::front {
namespace {

using apiserver::Authenticated;
using apiserver::ObjectClaim;
using apiserver::User;

// By how much clocks may differ before a time in a token counts.
constexpr auto kLeeway = std::chrono::minutes(1);

std::int64_t unix_seconds(Instant at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

std::unexpected<Error> invalid_token() {
  return fail(ErrorKind::Invalid, "invalid bearer token");
}

// One of ours that is refused says why, beside what every refusal says.
std::unexpected<Error> refused(std::string_view why) {
  return fail(ErrorKind::Invalid, "[invalid bearer token, " + std::string{why} + "]");
}

// The claims of a JWT that says it is ours and whose signature, over its first two parts with their
// dot, is by the key.
Result<json::Value> read_jwt(std::string_view token, const net::SigningKey& key) {
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return invalid_token();
  const auto payload = net::base64url_decode(token.substr(first + 1, last - first - 1));
  if (!payload) return invalid_token();
  auto claims = json::parse(*payload);
  if (!claims || claims->get("iss").as_string() != apiserver::kIssuer) return invalid_token();
  const auto header = net::base64url_decode(token.substr(0, first));
  const auto signature = net::base64url_decode(token.substr(last + 1));
  const auto about = header ? json::parse(*header) : Result<json::Value>{invalid_token()};
  if (!about || !signature) return invalid_token();
  const auto named = about->get("kid").as_string();
  if (!named.empty() && named != key_id(key)) return refused("invalid signature, no keys found");
  if (!key.verify(token.substr(0, last), *signature)) {
    return refused("go-jose/go-jose: error in cryptographic primitive");
  }
  return *std::move(claims);
}

std::string quoted_list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ' ';
    text += kube::shown(value);
  }
  return text + "]";
}

Result<std::vector<std::string>> common_audiences(json::View claims,
                                                  const std::vector<std::string>& wanted) {
  std::vector<std::string> meant;
  for (const json::View audience : claims.get("aud").elements()) {
    meant.emplace_back(audience.as_string());
  }
  std::vector<std::string> common;
  for (const auto& audience : wanted) {
    if (std::ranges::find(meant, audience) != meant.end()) common.push_back(audience);
  }
  if (!common.empty()) return common;
  return refused("token audiences " + quoted_list(meant) + " is invalid for the target audiences " +
                 quoted_list(wanted));
}

Result<void> check_times(json::View claims, Instant now) {
  const auto early = unix_seconds(now - kLeeway);
  const auto late = unix_seconds(now + kLeeway);
  if (late < claims.get("nbf").as_int()) return refused("service account token is not valid yet");
  if (early > claims.get("exp").as_int()) return refused("service account token has expired");
  if (late < claims.get("iat").as_int()) {
    return refused("service account token is issued in the future");
  }
  return {};
}

std::optional<ObjectClaim> claim_at(json::View about, std::string_view kind) {
  const json::View claim = about.get(kind);
  if (!claim.is_object()) return std::nullopt;
  return ObjectClaim{.name = std::string{claim.get("name").as_string()},
                     .uid = std::string{claim.get("uid").as_string()}};
}

// An object that waits for its finalizers still vouches for the leeway's time.
bool deleted_for_good(json::View object, Instant now) {
  const auto since = parse_rfc3339(kube::deletion_timestamp_of(object));
  return since && *since < now - kLeeway;
}

std::string mismatch(std::string_view what, json::View object, std::string_view claimed_as,
                     const ObjectClaim& claim) {
  return std::string{what} + " UID (" + std::string{kube::uid_of(object)} + ") does not match " +
         std::string{claimed_as} + " (" + claim.uid + ")";
}

Result<void> check_account(const TokenReader& reader, Instant now, const std::string& ns,
                           const ObjectClaim& claim) {
  const auto account = reader.snapshot.find("serviceaccounts/" + ns + "/" + claim.name);
  if (!account) return refused("serviceaccounts " + kube::shown(claim.name) + " not found");
  if (kube::uid_of(account->body) != claim.uid) {
    return refused(mismatch("service account", account->body, "claim", claim));
  }
  if (deleted_for_good(account->body, now)) {
    return refused("service account " + ns + "/" + claim.name + " has been deleted");
  }
  return {};
}

struct Binding {
  std::string_view kind;  // "pod"
  std::string key;
};

Result<void> check_bound(const TokenReader& reader, Instant now, const Binding& binding,
                         const ObjectClaim& claim) {
  const auto object = reader.snapshot.find(binding.key);
  if (object && kube::uid_of(object->body) != claim.uid) {
    return refused(mismatch(binding.kind, object->body,
                            "service account " + std::string{binding.kind} + " ref claim", claim));
  }
  if (!object || deleted_for_good(object->body, now)) {
    return refused("service account token has been invalidated");
  }
  return {};
}

User user_of(const std::string& ns, const ObjectClaim& account) {
  return {
      .name = "system:serviceaccount:" + ns + ":" + account.name,
      .uid = account.uid,
      .groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"},
      .extra = {}
  };
}

void tell(User& user, std::string_view key, const std::string& value) {
  user.extra.emplace_back("authentication.kubernetes.io/" + std::string{key},
                          std::vector<std::string>{value});
}

json::Draft object_claim(const ObjectClaim& claim) {
  json::Draft object = json::Draft::object({
      {"name", claim.name}
  });
  if (!claim.uid.empty()) object["uid"] = claim.uid;
  return object;
}

}  // namespace

std::string write_token(const apiserver::ServiceAccountClaims& claims, const net::SigningKey& key) {
  json::Draft audiences = json::Draft::array();
  for (const auto& audience : claims.audiences) audiences.push_back(audience);
  json::Draft about = json::Draft::object({
      {"namespace",      claims.ns                                             },
      {"serviceaccount", object_claim({.name = claims.name, .uid = claims.uid})}
  });
  if (claims.pod) about["pod"] = object_claim(*claims.pod);
  if (claims.secret) about["secret"] = object_claim(*claims.secret);
  if (claims.node) about["node"] = object_claim(*claims.node);
  if (claims.warn_after) about["warnafter"] = unix_seconds(*claims.warn_after);
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
  std::string token = net::base64url_encode(R"({"alg":"ES256","kid":")" + key_id(key) + R"("})");
  token += '.';
  token += net::base64url_encode(json::to_text(payload));
  const std::string signature = key.sign(token);
  return token + "." + net::base64url_encode(signature);
}

Result<Authenticated> read_token(std::string_view token, const std::vector<std::string>& audiences,
                                 Instant now, const TokenReader& reader) {
  FP_TRY(jwt, read_jwt(token, reader.key));
  const json::View claims = jwt;
  FP_TRY(common, common_audiences(claims, audiences));
  FP_TRY_VOID(check_times(claims, now));
  const json::View about = claims.get("kubernetes.io");
  const std::string ns{about.get("namespace").as_string()};
  const auto account = claim_at(about, "serviceaccount").value_or(ObjectClaim{});
  FP_TRY_VOID(check_account(reader, now, ns, account));
  const auto secret = claim_at(about, "secret");
  const auto pod = claim_at(about, "pod");
  const auto node = claim_at(about, "node");
  if (secret) {
    const Binding binding{"secret", "secrets/" + ns + "/" + secret->name};
    FP_TRY_VOID(check_bound(reader, now, binding, *secret));
  }
  if (pod) {
    const Binding binding{"pod", "pods/" + ns + "/" + pod->name};
    FP_TRY_VOID(check_bound(reader, now, binding, *pod));
  }
  // Beside a pod, the node is only told.
  if (node && !pod) {
    const Binding binding{"node", "nodes//" + node->name};
    FP_TRY_VOID(check_bound(reader, now, binding, *node));
  }
  Authenticated known{.user = user_of(ns, account), .audiences = std::move(common)};
  tell(known.user, "credential-id", "JTI=" + std::string{claims.get("jti").as_string()});
  if (node) {
    tell(known.user, "node-name", node->name);
    if (!node->uid.empty()) tell(known.user, "node-uid", node->uid);
  }
  if (pod) {
    tell(known.user, "pod-name", pod->name);
    tell(known.user, "pod-uid", pod->uid);
  }
  return known;
}

}  // namespace fixpoint::front
