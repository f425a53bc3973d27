// SPDX-License-Identifier: Apache-2.0
//
// Fixture: an API server in a test, without anything around it. The clock stands still unless told
// otherwise and the randomness is seeded, so every run of a test is the same.
#pragma once

#include "apiserver/core.h"
#include "base/clock.h"
#include "base/rng.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::apiserver {

inline constexpr std::string_view kBoatDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "boats.sea.example.com"},
  "spec": {"group": "sea.example.com", "scope": "Namespaced",
    "names": {"plural": "boats", "kind": "Boat"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.crew", "statusReplicasPath": ".status.crew"}},
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
          "crew": {"type": "integer", "minimum": 1},
          "color": {"type": "string", "default": "red"},
          "parts": {"type": "array", "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {"type": "object", "required": ["name"], "properties": {
                      "name": {"type": "string"}, "size": {"type": "integer"}}}}}},
        "status": {"type": "object", "properties": {"crew": {"type": "integer"},
                   "phase": {"type": "string"}}}}}}}]}})";

// Where tests find things; kConf, kPod and kBoat are one of each.
inline constexpr auto kConfigMaps = "/api/v1/namespaces/ns/configmaps";
inline constexpr auto kConf = "/api/v1/namespaces/ns/configmaps/conf";
inline constexpr auto kPods = "/api/v1/namespaces/ns/pods";
inline constexpr auto kPod = "/api/v1/namespaces/ns/pods/p";
inline constexpr auto kServices = "/api/v1/namespaces/ns/services";
inline constexpr auto kClaims = "/api/v1/namespaces/ns/persistentvolumeclaims";
inline constexpr auto kStatefulSets = "/apis/apps/v1/namespaces/ns/statefulsets";
inline constexpr auto kDeployments = "/apis/apps/v1/namespaces/ns/deployments";
inline constexpr auto kRoleBindings =
    "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings";
inline constexpr auto kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr auto kBoats = "/apis/sea.example.com/v1/namespaces/ns/boats";
inline constexpr auto kBoat = "/apis/sea.example.com/v1/namespaces/ns/boats/one";

class ApiFixture : public testing::Test {
 protected:
  ApiFixture() { create("/api/v1/namespaces", R"({"metadata":{"name":"ns"}})"); }

  Environment environment() { return {.now = clock_.wall(), .rng = rng_}; }

  // "/api/v1/namespaces/ns/configmaps/a/status" and a query, taken apart.
  static Request request(Verb verb, std::string_view path, std::string_view query = {}) {
    Request request;
    request.verb = verb;
    request.user = system_user();
    request.user_agent = "test/1";
    std::vector<std::string> parts;
    while (!path.empty()) {
      path.remove_prefix(1);
      const auto end = std::min(path.find('/'), path.size());
      parts.emplace_back(path.substr(0, end));
      path.remove_prefix(end);
    }
    std::size_t at = 1;
    if (parts[0] == "apis") request.resource.group = parts[at++];
    request.resource.version = parts[at++];
    if (parts[at] == "namespaces" && parts.size() > at + 2 && parts[at + 2] != "finalize" &&
        parts[at + 2] != "status") {
      request.ns = parts[at + 1];
      at += 2;
    }
    request.resource.resource = parts[at++];
    if (at < parts.size()) request.name = parts[at++];
    if (at < parts.size()) request.subresource = parts[at++];
    while (!query.empty()) {
      const auto end = std::min(query.find('&'), query.size());
      const auto pair = query.substr(0, end);
      query.remove_prefix(std::min(end + 1, query.size()));
      const auto equals = pair.find('=');
      request.query.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return request;
  }

  Response run(const Request& request) { return core_.handle(request, store_, environment()); }

  Response create(std::string_view path, std::string_view body, std::string_view query = {}) {
    auto call = request(Verb::Create, path, query);
    call.body = body;
    return run(call);
  }
  Response get(std::string_view path) { return run(request(Verb::Get, path)); }
  Response list(std::string_view path, std::string_view query = {}) {
    return run(request(Verb::List, path, query));
  }
  Response put(std::string_view path, std::string_view body, std::string_view query = {}) {
    auto call = request(Verb::Update, path, query);
    call.body = body;
    return run(call);
  }
  Response patch(std::string_view path, std::string_view body,
                 std::string_view type = "application/merge-patch+json",
                 std::string_view query = {}) {
    auto call = request(Verb::Patch, path, query);
    call.body = body;
    call.content_type = type;
    return run(call);
  }
  Response apply(std::string_view path, std::string_view body, std::string_view manager,
                 bool force = false) {
    std::string query = "fieldManager=" + std::string{manager};
    if (force) query += "&force=true";
    return patch(path, body, "application/apply-patch+yaml", query);
  }
  Response remove(std::string_view path, std::string_view body = {}) {
    auto call = request(Verb::Delete, path);
    call.body = body;
    return run(call);
  }
  kube::Answer<Watch> watch(std::string_view path, std::string_view query = {}) {
    return core_.open_watch(request(Verb::Watch, path, query), store_, environment());
  }

  // "metadata.resourceVersion" of an answer, and others by name.
  static std::string meta(const Response& response, std::string_view key) {
    const json::View value = response.body.get("metadata", key);
    return value.is_string() ? std::string{value.as_string()} : json::to_text(value);
  }
  static std::string message(const Response& response) {
    return std::string{response.body.get("message").as_string()};
  }
  static std::string reason(const Response& response) {
    return std::string{response.body.get("reason").as_string()};
  }
  static std::string text(const Response& response, std::string_view a, std::string_view b) {
    const json::View value = response.body.get(a, b);
    return value.is_string() ? std::string{value.as_string()} : json::to_text(value);
  }

  VirtualClock clock_;
  Rng rng_{42};
  store::Store store_;
  Core core_;
};

}  // namespace fixpoint::apiserver
