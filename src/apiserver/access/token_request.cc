// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/token_request.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kinds/schema_table.h"
#include "kube/meta/metadata.h"
#include "kube/ownership/managed_fields.h"
#include "kube/typed/typed.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

constexpr std::int64_t kTokenSecondsDefault = 3600;
constexpr std::int64_t kTokenSecondsMin = 600;
constexpr std::int64_t kTokenSecondsMax = std::int64_t{1} << 32U;
// What kubelets ask for. A token of a pod with exactly this lifetime lives a year instead and only
// warns after it, because old clients read their token file once.
constexpr std::int64_t kExtendedSeconds = 3607;
constexpr auto kExtendedLifetime = std::chrono::hours(24 * 365);

const kube::GroupKind kTokenRequest{"authentication.k8s.io", "TokenRequest"};

// A name or namespace in the body must be that of the path.
Answer<void> check_metadata(const WriteCall& call, json::View body, json::View account) {
  if (const auto ns = kube::namespace_of(body); !ns.empty() && ns != call.request.ns) {
    return std::unexpected(kube::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (const auto name = kube::name_of(body); !name.empty() && name != call.request.name) {
    return std::unexpected(kube::invalid(
        kTokenRequest, call.request.name,
        {kube::invalid(kube::FieldPath{"metadata"}.child("name"), body.get("metadata", "name"),
                       "must match the service account name if specified")}));
  }
  const auto uid = kube::uid_of(body);
  if (uid.empty() || uid == kube::uid_of(account)) return {};
  return std::unexpected(kube::conflict({kTokenRequest.group, kTokenRequest.kind},
                                        call.request.name,
                                        "the UID in the token request (" + std::string{uid} +
                                            ") does not match the UID of the service account (" +
                                            std::string{kube::uid_of(account)} + ")"));
}

Answer<std::int64_t> lifetime_of(json::View spec) {
  const json::View seconds = spec.get("expirationSeconds");
  const auto lifetime = seconds.as_int(kTokenSecondsDefault);
  const auto refuse = [&](std::string why) {
    return std::unexpected(
        kube::invalid(kTokenRequest, "",
                      {kube::invalid(kube::FieldPath{"spec"}.child("expirationSeconds"), seconds,
                                     std::move(why))}));
  };
  if (lifetime < kTokenSecondsMin) return refuse("may not specify a duration less than 10 minutes");
  if (lifetime > kTokenSecondsMax) {
    return refuse("may not specify a duration larger than 2^32 seconds");
  }
  return lifetime;
}

ObjectClaim claim_of(json::View object) {
  return {.name = std::string{kube::name_of(object)}, .uid = std::string{kube::uid_of(object)}};
}

// Fills in what the token dies with.
Answer<void> bind_claims(const WriteCall& call, json::View bound, ServiceAccountClaims& claims) {
  const auto snapshot = call.store.latest();
  // One that does not parse is of no type at all.
  const auto version = kube::parse_group_version(bound.get("apiVersion").as_string());
  const kube::GroupVersionKind kind{.group = version ? version->group : std::string{},
                                    .version = version ? version->version : std::string{},
                                    .kind = std::string{bound.get("kind").as_string()}};
  const std::string name{bound.get("name").as_string()};
  const bool known = kind.kind == "Pod" || kind.kind == "Secret" || kind.kind == "Node";
  if (!kind.group.empty() || !known) {
    return std::unexpected(
        kube::bad_request("cannot bind token to object of type " + kind.to_string()));
  }
  std::string resource = kind.kind == "Pod" ? "pods" : kind.kind == "Secret" ? "secrets" : "nodes";
  const std::string ns = kind.kind == "Node" ? std::string{} : call.request.ns;
  if (name.empty()) return std::unexpected(kube::bad_request("Name parameter required."));
  const auto record = snapshot.find(key_prefix("", resource) + ns + "/" + name);
  if (!record) return std::unexpected(kube::not_found({"", resource}, name));
  const json::View object = record->body;
  if (kind.kind == "Pod") {
    if (object.get("spec", "serviceAccountName").as_string() != call.request.name) {
      return std::unexpected(kube::bad_request(
          "cannot bind token for serviceaccount " + kube::shown(call.request.name) +
          " to pod running with different serviceaccount name."));
    }
    if (const auto on = object.get("spec", "nodeName").as_string(); !on.empty()) {
      const auto node = snapshot.find(key_prefix("", "nodes") + "/" + std::string{on});
      claims.node = node ? claim_of(node->body) : ObjectClaim{.name = std::string{on}, .uid = {}};
    }
    claims.pod = claim_of(object);
  } else {
    (kind.kind == "Secret" ? claims.secret : claims.node) = claim_of(object);
  }
  const auto uid = bound.get("uid").as_string();
  if (uid.empty() || uid == kube::uid_of(object)) return {};
  return std::unexpected(
      kube::conflict({"", kind.kind}, name,
                     "the UID in the bound object reference (" + std::string{uid} +
                         ") does not match the UID in record. The object might have been deleted "
                         "and then recreated"));
}

Answer<ServiceAccountClaims> claims_of(const WriteCall& call, json::View account, json::View spec,
                                       std::chrono::seconds lifetime) {
  const auto now = call.environment.now;
  ServiceAccountClaims claims{.ns = call.request.ns,
                              .name = call.request.name,
                              .uid = std::string{kube::uid_of(account)},
                              .audiences = {},
                              .issued = now,
                              .expires = now + lifetime,
                              .id = call.environment.rng.uuid(),
                              .pod = {},
                              .secret = {},
                              .node = {},
                              .warn_after = {}};
  for (const json::View audience : spec.get("audiences").elements()) {
    claims.audiences.emplace_back(audience.as_string());
  }
  if (claims.audiences.empty()) claims.audiences.emplace_back(kIssuer);
  if (const json::View bound = spec.get("boundObjectRef"); !bound.is_null()) {
    if (auto ok = bind_claims(call, bound, claims); !ok) return std::unexpected(ok.error());
  }
  const bool for_this_server = std::ranges::all_of(
      claims.audiences, [](const std::string& audience) { return audience == kIssuer; });
  if (claims.pod && for_this_server && lifetime.count() == kExtendedSeconds) {
    claims.warn_after = claims.expires;
    claims.expires = now + kExtendedLifetime;
  }
  return claims;
}

// Nothing is stored, but the answer says who asked for what, as of every other write.
Answer<json::Value> owners_of(const WriteCall& call, json::View body, std::int64_t seconds) {
  kube::Writer writer = call.writer();
  writer.schema = kinds::schema_of("authentication.v1.TokenRequest");
  writer.kind = {"authentication.k8s.io", "v1", "TokenRequest"};
  writer.reset_fields.clear();
  writer.api_versions.clear();
  json::Draft asked{body};
  asked.object_at("spec")["expirationSeconds"] = seconds;
  const json::Value empty =
      json::Draft::object({
                              {"kind",       "TokenRequest"            },
                              {"apiVersion", "authentication.k8s.io/v1"}
  })
          .freeze();
  // What every request has is nobody's.
  auto nothing = kube::decode_typed(*writer.schema, empty);
  if (!nothing) return std::unexpected(kube::internal_error("a token request has no empty form"));
  if (auto ok = kube::track_update(writer, nothing->value, asked); !ok)
    return std::unexpected(ok.error());
  const json::Value tracked = asked.freeze();
  return json::Value{json::Draft{tracked.get("metadata", "managedFields")}.freeze()};
}

}  // namespace

Answer<json::Value> issue_token(const WriteCall& call, json::View body, json::View account,
                                const Tokens* tokens) {
  if (auto ok = check_metadata(call, body, account); !ok) return std::unexpected(ok.error());
  const auto seconds = lifetime_of(body.get("spec"));
  if (!seconds) return std::unexpected(seconds.error());
  const std::chrono::seconds lifetime{*seconds};
  auto claims = claims_of(call, account, body.get("spec"), lifetime);
  if (!claims) return std::unexpected(claims.error());
  if (tokens == nullptr) {
    return std::unexpected(kube::internal_error("this server has no key to sign tokens with"));
  }
  auto token = tokens->issue(*claims);
  if (!token) return std::unexpected(kube::internal_error(token.error().message));

  json::Draft object{body};
  auto& metadata = object.object_at("metadata");
  metadata["name"] = call.request.name;
  metadata["namespace"] = call.request.ns;
  metadata["uid"] = claims->uid;
  metadata["creationTimestamp"] = format_seconds(call.environment.now);
  auto owners = owners_of(call, body, *seconds);
  if (!owners) return owners;
  metadata["managedFields"] = *std::move(owners);
  auto& spec = object.object_at("spec");
  json::Draft audiences = json::Draft::array();
  for (const auto& audience : claims->audiences) audiences.push_back(audience);
  spec["audiences"] = std::move(audiences);
  spec["expirationSeconds"] = *seconds;
  if (!spec.contains("boundObjectRef")) spec["boundObjectRef"] = json::Draft{};
  object["status"] = json::Draft::object({
      {"token",               *token                                         },
      {"expirationTimestamp", format_seconds(call.environment.now + lifetime)}
  });
  return object.freeze();
}

}  // namespace fixpoint::apiserver
