// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresource.h"

#include "apiserver/binding.h"
#include "apiserver/decode.h"
#include "apiserver/eviction.h"
#include "apiserver/tokens.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/parse.h"
#include "kinds/schema_table.h"
#include "kube/metadata.h"
#include "kube/typed.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

constexpr std::int64_t kTokenSecondsDefault = 3600;
constexpr std::int64_t kTokenSecondsMin = 600;
constexpr std::int64_t kTokenSecondsMax = std::int64_t{1} << 32U;

Answer<store::RecordRef> current_of(const WriteCall& call) {
  auto record = call.store.latest().find(call.key());
  if (record) return record;
  return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
}

Answer<json::Value> body_of(WriteCall& call, const kube::GroupVersionKind& kind) {
  return decode_body_as(kind, call.request, call.options.validation, call.environment.weakness,
                        call.warnings);
}

Response written(const WriteCall& call, int code, json::Value body) {
  Response response;
  response.code = code;
  response.body = std::move(body);
  response.warnings = call.warnings;
  response.visible = call.store.revision();
  return response;
}

// --- serviceaccounts/token ---

Answer<ServiceAccountClaims> claims_of(const WriteCall& call, json::View account, json::View spec) {
  const json::View seconds = spec.get("expirationSeconds");
  const auto lifetime = seconds.as_int(kTokenSecondsDefault);
  const kube::FieldPath path{"spec"};
  const auto refuse = [&](std::string why) {
    return std::unexpected(
        kube::invalid({"authentication.k8s.io", "TokenRequest"}, "",
                      {kube::invalid(path.child("expirationSeconds"), seconds, std::move(why))}));
  };
  if (lifetime < kTokenSecondsMin) return refuse("may not specify a duration less than 10 minutes");
  if (lifetime > kTokenSecondsMax)
    return refuse("may not specify a duration larger than 2^32 seconds");
  ServiceAccountClaims claims{.ns = call.request.ns,
                              .name = call.request.name,
                              .uid = std::string{kube::uid_of(account)},
                              .audiences = {},
                              .issued = call.environment.now,
                              .expires = call.environment.now + std::chrono::seconds{lifetime},
                              .id = call.environment.rng.uuid(),
                              .bound_kind = {},
                              .bound_name = {},
                              .bound_uid = {}};
  for (const json::View audience : spec.get("audiences").elements()) {
    claims.audiences.emplace_back(audience.as_string());
  }
  if (claims.audiences.empty()) claims.audiences.emplace_back(kIssuer);
  const json::View bound = spec.get("boundObjectRef");
  if (!bound.is_null()) {
    const auto kind = bound.get("kind").as_string();
    if (kind != "Pod" && kind != "Secret" && kind != "Node") {
      return std::unexpected(kube::invalid(
          {"authentication.k8s.io", "TokenRequest"}, "",
          {kube::invalid(path.child("boundObjectRef").child("kind"), bound.get("kind"),
                         "only Pod, Secret and Node may be bound")}));
    }
  }
  claims.bound_kind = bound.get("kind").as_string();
  claims.bound_name = bound.get("name").as_string();
  claims.bound_uid = bound.get("uid").as_string();
  return claims;
}

Answer<json::Value> issue_token(WriteCall& call, const Tokens* tokens) {
  auto body = body_of(call, {"authentication.k8s.io", "v1", "TokenRequest"});
  if (!body) return std::unexpected(body.error());
  auto account = current_of(call);
  if (!account) return std::unexpected(account.error());
  auto claims = claims_of(call, (*account)->body, body->get("spec"));
  if (!claims) return std::unexpected(claims.error());
  if (tokens == nullptr) {
    return std::unexpected(kube::internal_error("this server has no key to sign tokens with"));
  }
  auto token = tokens->issue(*claims);
  if (!token) return std::unexpected(kube::internal_error(token.error().message));

  json::Draft object{*body};
  auto& metadata = object.object_at("metadata");
  metadata["name"] = call.request.name;
  metadata["namespace"] = call.request.ns;
  metadata["uid"] = claims->uid;
  metadata["creationTimestamp"] = format_seconds(call.environment.now);
  auto& spec = object.object_at("spec");
  json::Draft audiences = json::Draft::array();
  for (const auto& audience : claims->audiences) audiences.push_back(audience);
  spec["audiences"] = std::move(audiences);
  spec["expirationSeconds"] =
      std::chrono::duration_cast<std::chrono::seconds>(claims->expires - claims->issued).count();
  if (!spec.contains("boundObjectRef")) spec["boundObjectRef"] = json::Draft{};
  object["status"] = json::Draft::object({
      {"token",               *token                         },
      {"expirationTimestamp", format_seconds(claims->expires)}
  });
  return object.freeze();
}

}  // namespace

Response handle_other_subresource(WriteCall call, const Tokens* tokens) {
  const bool creates = call.request.verb == Verb::Create;
  if (auto options =
          parse_write_options(call.request, creates ? "CreateOptions" : "UpdateOptions")) {
    call.options = *std::move(options);
  } else {
    return failure(options.error());
  }
  const auto& name = call.request.subresource;
  Answer<json::Value> body = std::unexpected(kube::not_found_path());
  if (name == "binding") body = bind(call);
  if (name == "eviction") body = evict(call);
  if (name == "token") body = issue_token(call, tokens);
  if (!body) return failure(body.error());
  return written(call, creates ? 201 : 200, *std::move(body));
}

}  // namespace fixpoint::apiserver
