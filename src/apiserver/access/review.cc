// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/review.h"

#include "apiserver/access/access_review.h"
#include "apiserver/access/rbac.h"
#include "apiserver/body/decode.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/strings.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

json::Draft user_info(const User& user) {
  json::Draft info = json::Draft::object();
  info["username"] = user.name;
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = json::list_of(user.groups);
  for (const auto& [key, values] : user.extra) info.object_at("extra")[key] = json::list_of(values);
  return info;
}

// The question of an access review as RBAC understands it.
Attempt attempt_in(json::View spec) {
  if (const json::View path = spec.get("nonResourceAttributes"); path.is_object()) {
    return {.verb = std::string{path.get("verb").as_string()},
            .group = {},
            .resource = {},
            .subresource = {},
            .ns = {},
            .name = {},
            .path = std::string{path.get("path").as_string()}};
  }
  const json::View about = spec.get("resourceAttributes");
  return {.verb = std::string{about.get("verb").as_string()},
          .group = std::string{about.get("group").as_string()},
          .resource = std::string{about.get("resource").as_string()},
          .subresource = std::string{about.get("subresource").as_string()},
          .ns = std::string{about.get("namespace").as_string()},
          .name = std::string{about.get("name").as_string()},
          .path = {}};
}

User subject_in(json::View spec) {
  User user{.name = std::string{spec.get("user").as_string()},
            .uid = std::string{spec.get("uid").as_string()},
            .groups = json::strings_of(spec.get("groups")),
            .extra = {}};
  return user;
}

Answer<json::Draft> access_status(const WriteCall& call, json::View review) {
  const bool self = call.resource.kind.kind == "SelfSubjectAccessReview";
  const json::View spec = review.get("spec");
  if (const auto errors = check_access_review(call.resource, review); !errors.empty()) {
    return std::unexpected(kube::invalid({call.resource.kind.group, ""}, "", errors));
  }
  const User user = self ? call.request.user : subject_in(spec);
  const auto decision = authorize(call.store.latest(), user, attempt_in(spec));
  json::Draft status = json::Draft::object({
      {"allowed", decision.allowed}
  });
  if (!decision.reason.empty()) status["reason"] = decision.reason;
  if (auto ignored = ignored_selectors(spec); !ignored.empty()) {
    status["evaluationError"] = std::move(ignored);
  }
  return status;
}

// A rule as a rules review lists it: verbs, apiGroups, resources and names, or URLs.
json::Draft listed_rule(json::View rule, std::initializer_list<std::string_view> keys) {
  json::Draft listed = json::Draft::object();
  for (const auto key : keys) {
    if (const auto value = rule.find(key); value && !value->empty()) {
      listed[key] = json::Draft{*value};
    }
  }
  return listed;
}

Answer<json::Draft> rules_status(const WriteCall& call, json::View review) {
  const auto ns = review.get("spec", "namespace").as_string();
  if (ns.empty()) {
    return std::unexpected(kube::bad_request("no namespace on request"));
  }
  const auto set = rules_for(call.store.latest(), call.request.user, ns);
  json::Draft resources = json::Draft::array();
  json::Draft urls = json::Draft::array();
  for (const json::View rule : set.rules) {
    if (!rule.get("resources").empty()) {
      resources.push_back(listed_rule(rule, {"verbs", "apiGroups", "resources", "resourceNames"}));
    }
    if (!rule.get("nonResourceURLs").empty()) {
      urls.push_back(listed_rule(rule, {"verbs", "nonResourceURLs"}));
    }
  }
  return json::Draft::object({
      {"resourceRules",    std::move(resources)},
      {"nonResourceRules", std::move(urls)     },
      {"incomplete",       false               }
  });
}

Answer<json::Draft> token_status(const WriteCall& call, json::View review, const Tokens* tokens) {
  const auto token = review.get("spec", "token").as_string();
  if (token.empty()) {
    return std::unexpected(
        kube::bad_request("token is required for TokenReview in authentication"));
  }
  auto audiences = json::strings_of(review.get("spec", "audiences"));
  if (audiences.empty()) audiences.emplace_back(kIssuer);
  auto known =
      tokens != nullptr
          ? tokens->authenticate(token, audiences, call.environment.now, call.store.latest())
          : Result<Authenticated>{fail(ErrorKind::Invalid, "invalid bearer token")};
  if (!known) {
    return json::Draft::object({
        {"user",  json::Draft::object()},
        {"error", known.error().message}
    });
  }
  return json::Draft::object({
      {"authenticated", true                           },
      {"user",          user_info(known->user)         },
      {"audiences",     json::list_of(known->audiences)}
  });
}

Answer<json::Value> answer(WriteCall& call, const Tokens* tokens) {
  auto options = parse_write_options(call.request, "CreateOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);
  auto body = decode_body(call.resource, call.request, call.options.validation,
                          call.environment.weakness, call.warnings);
  if (!body) return std::unexpected(body.error());
  json::Draft object{*body};
  const auto& kind = call.resource.kind.kind;
  if (const auto ns = kube::namespace_of(*body);
      !call.request.ns.empty() && !ns.empty() && ns != call.request.ns) {
    return std::unexpected(kube::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (call.request.ns.empty()) {
    if (json::Draft* metadata = object.find("metadata")) metadata->erase("namespace");
  } else {
    object.object_at("metadata")["namespace"] = call.request.ns;
  }
  if (kind == "SelfSubjectReview") {
    object["metadata"] = json::Draft::object({
        {"creationTimestamp", format_seconds(call.environment.now)}
    });
    object.object_at("status")["userInfo"] = user_info(call.request.user);
    return object.freeze();
  }
  if (kind == "SelfSubjectRulesReview") {
    auto status = rules_status(call, *body);
    if (!status) return std::unexpected(status.error());
    object["metadata"] = json::Draft::object();
    object["spec"] = json::Draft::object();
    object["status"] = *std::move(status);
    return object.freeze();
  }
  if (auto ok = track(call, {}, object); !ok) return std::unexpected(ok.error());
  if (kind == "TokenReview") {
    auto status = token_status(call, *body, tokens);
    if (!status) return std::unexpected(status.error());
    object["status"] = *std::move(status);
    return object.freeze();
  }
  const json::Value tracked = object.freeze();
  auto status = access_status(call, tracked);
  if (!status) return std::unexpected(status.error());
  object = json::Draft{tracked};
  object["status"] = *std::move(status);
  return object.freeze();
}

}  // namespace

bool is_review(const Resource& resource) {
  return resource.builtin != nullptr && (resource.kind.group == "authentication.k8s.io" ||
                                         resource.kind.group == "authorization.k8s.io");
}

Response review(WriteCall call, const Tokens* tokens) {
  auto body = answer(call, tokens);
  if (!body) return failure(body.error());
  Response response;
  response.code = 201;
  response.body = *std::move(body);
  response.warnings = std::move(call.warnings);
  response.visible = call.store.revision();
  return response;
}

}  // namespace fixpoint::apiserver
