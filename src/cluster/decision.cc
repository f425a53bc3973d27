// SPDX-License-Identifier: Apache-2.0
#include "cluster/decision.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster {

using apiserver::Request;
using apiserver::Verb;

std::string_view reason_of(const Refusal& refusal) {
  return refusal.status.get("reason").as_string();
}

std::string_view message_of(const Refusal& refusal) {
  return refusal.status.get("message").as_string();
}

bool namespace_is_terminating(const Refusal& refusal) {
  return std::ranges::any_of(
      refusal.status.get("details", "causes").elements(),
      [](json::View cause) { return cause.get("reason").as_string() == "NamespaceTerminating"; });
}

Request request_for(const kube::GroupVersionResource& resource, Verb verb, std::string_view ns,
                    std::string_view name) {
  Request request;
  request.verb = verb;
  request.resource = resource;
  request.ns = std::string{ns};
  request.name = std::string{name};
  request.content_type = "application/json";
  request.user_agent = "kube-controller-manager";
  request.user = apiserver::system_user();
  return request;
}

Request create_request(const kube::GroupVersionResource& resource, json::View object) {
  auto request = request_for(resource, Verb::Create, kube::namespace_of(object), {});
  request.body = json::to_text(object);
  return request;
}

Request update_request(const kube::GroupVersionResource& resource, json::View object,
                       std::string_view subresource) {
  auto request =
      request_for(resource, Verb::Update, kube::namespace_of(object), kube::name_of(object));
  request.subresource = std::string{subresource};
  request.body = json::to_text(object);
  return request;
}

Request patch_request(const kube::GroupVersionResource& resource, json::View object,
                      json::View patch) {
  auto request =
      request_for(resource, Verb::Patch, kube::namespace_of(object), kube::name_of(object));
  request.content_type = "application/strategic-merge-patch+json";
  json::Draft bound{patch};
  bound.object_at("metadata")["uid"] = kube::uid_of(object);
  const json::Value body = bound.freeze();
  request.body = json::to_text(body);
  return request;
}

Request delete_request(const kube::GroupVersionResource& resource, json::View object,
                       std::optional<std::chrono::seconds> grace, Propagation propagation) {
  auto request =
      request_for(resource, Verb::Delete, kube::namespace_of(object), kube::name_of(object));
  auto options = json::Draft::object({
      {"kind",          "DeleteOptions"                                     },
      {"apiVersion",    "v1"                                                },
      {"preconditions", json::Draft::object({{"uid", kube::uid_of(object)}})}
  });
  if (grace) options["gracePeriodSeconds"] = std::int64_t{grace->count()};
  if (propagation != Propagation::KindsDefault) {
    options["propagationPolicy"] =
        propagation == Propagation::Background ? "Background" : "Foreground";
  }
  const json::Value body = options.freeze();
  request.body = json::to_text(body);
  return request;
}

}  // namespace fixpoint::cluster
