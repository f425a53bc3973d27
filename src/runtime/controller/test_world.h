// SPDX-License-Identifier: Apache-2.0
//
// TestWorld: an API server and a cache for tests of passes and controllers, all in one thread.
//
// Calls are answered by the API-server core that ships. The cache learns of changes only when the
// test says so (sync), so that every lag can be played. A call can be made to fail before it is
// acted upon, after it, or with an unknown fate.
#pragma once

#include "apiserver/core.h"
#include "base/clock.h"
#include "base/rng.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/texts_for_tests.h"
#include "runtime/cache/contents.h"
#include "runtime/controller/child.h"
#include "runtime/controller/pass.h"
#include "runtime/ownership.h"
#include "runtime/test_resources.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {

using kube::parsed;

inline constexpr std::string_view kBoatsDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "boats.sea.example.com"},
  "spec": {"group": "sea.example.com", "scope": "Namespaced",
    "names": {"plural": "boats", "kind": "Boat"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "subresources": {"status": {}},
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "status": {"type": "object", "properties": {
          "observedGeneration": {"type": "integer"}, "phase": {"type": "string"},
          "crew": {"type": "integer"}, "notes": {"type": "array", "items": {"type": "string"}},
          "conditions": {"type": "array", "items": {"type": "object",
            "x-kubernetes-preserve-unknown-fields": true}}}}}}}}]}})";

class TestWorld : public CacheView {
 public:
  TestWorld() {
    create("", "v1", "namespaces", "", R"({"metadata":{"name":"ns"}})");
    create("", "v1", "namespaces", "", R"({"metadata":{"name":"other"}})");
    create("apiextensions.k8s.io", "v1", "customresourcedefinitions", "", kBoatsDefinition);
    establish();
    for (const auto& resource : {kBoats, kMaps, kRoles}) follow(resource);
  }

  void follow(const client::Resource& resource, std::vector<Index> indexes = {}) {
    const auto shape = std::make_shared<const json::Shape>(
        json::Shape::all().without({"metadata", "managedFields"}));
    contents.emplace(resource.kind, Contents({.resource = resource}, std::move(indexes), shape));
  }

  // CacheView
  const Contents* find(const kube::GroupVersionKind& kind) const override {
    const auto found = contents.find(kind);
    return found == contents.end() ? nullptr : &found->second;
  }
  Contents* find_to_change(const kube::GroupVersionKind& kind) override {
    const auto found = contents.find(kind);
    return found == contents.end() ? nullptr : &found->second;
  }

  struct Seen {
    kube::GroupVersionKind kind;
    Change change;
  };
  // The cache catches up with the server; what it noticed.
  std::vector<Seen> sync() {
    std::vector<Seen> seen;
    for (auto& [kind, held] : contents) {
      auto page = list({.collection = held.collection()});
      const auto shape = json::Shape::all().without({"metadata", "managedFields"});
      for (json::Value& item : page->items) item = shape.cut(item);
      held.begin_relist();
      auto changes = held.put_page(std::move(page->items), page->resource_version);
      EXPECT_TRUE(changes.has_value());
      for (auto& change : *changes) seen.push_back({kind, std::move(change)});
      for (auto& change : held.end_relist()) seen.push_back({kind, std::move(change)});
    }
    return seen;
  }

  client::Reply call(const client::Call& call) {
    apiserver::Request request = request_for(call.resource, call.key.ns);
    request.name = call.key.name;
    request.subresource = call.subresource;
    const auto add = [&](std::string key, std::string value) {
      request.query.emplace_back(std::move(key), std::move(value));
    };
    if (!call.field_manager.empty()) add("fieldManager", call.field_manager);
    request.body = call.body.is_null() ? "" : json::to_text(call.body);
    switch (call.verb) {
      case client::Verb::Get: request.verb = apiserver::Verb::Get; break;
      case client::Verb::Create: request.verb = apiserver::Verb::Create; break;
      case client::Verb::Update: request.verb = apiserver::Verb::Update; break;
      case client::Verb::Patch:
        request.verb = apiserver::Verb::Patch;
        request.content_type = call.patch_type == client::PatchType::Json
                                   ? "application/json-patch+json"
                               : call.patch_type == client::PatchType::Merge
                                   ? "application/merge-patch+json"
                                   : "application/strategic-merge-patch+json";
        break;
      case client::Verb::Apply:
        request.verb = apiserver::Verb::Patch;
        request.content_type = "application/apply-patch+yaml";
        if (call.force == client::Force::Yes) add("force", "true");
        break;
      case client::Verb::Delete:
        request.verb = apiserver::Verb::Delete;
        request.body =
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background")";
        if (!call.preconditions.uid.empty()) {
          request.body += R"(,"preconditions":{"uid":")" + call.preconditions.uid + "\"}";
        }
        request.body += "}";
        break;
      case client::Verb::DeleteCollection: ADD_FAILURE(); break;
    }
    return reply_of(run(request));
  }

  client::PageReply list(const client::ListCall& call) {
    apiserver::Request request = request_for(call.collection.resource, call.collection.ns);
    request.verb = apiserver::Verb::List;
    if (!call.collection.selector.labels.empty()) {
      request.query.emplace_back("labelSelector", call.collection.selector.labels);
    }
    const auto response = run(request);
    if (!response.ok()) return std::unexpected(error_of(response));
    client::Page page;
    page.resource_version = std::to_string(response.list->revision.value);
    const auto resource = core.kinds().find(store.latest(), request.resource);
    for (const auto& item : response.list->items) {
      page.items.push_back(
          with_kind(apiserver::in_version(*resource, item->body), call.collection.resource.kind));
    }
    return page;
  }

  apiserver::Response run(const apiserver::Request& request) {
    return core.handle(request, store, {.now = clock.wall(), .rng = rng});
  }
  json::Value create(const std::string& group, const std::string& version,
                     const std::string& plural, const std::string& ns, std::string_view body) {
    auto request = request_for(
        {
            {group, version, ""},
            plural
    },
        ns);
    request.verb = apiserver::Verb::Create;
    request.body = body;
    const auto response = run(request);
    EXPECT_TRUE(response.ok()) << json::to_text(response.body);
    return response.body;
  }
  json::Value create_boat(std::string_view name, std::string_view spec = R"({"color":"red"})") {
    return create("sea.example.com", "v1", "boats", "ns",
                  R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":")" +
                      std::string{name} + R"("},"spec":)" + std::string{spec} + "}");
  }
  json::Value create_map(std::string_view name, std::string_view rest = R"("data":{"a":"b"})") {
    return create(
        "", "v1", "configmaps", "ns",
        R"({"metadata":{"name":")" + std::string{name} + R"("},)" + std::string{rest} + "}");
  }
  // Somebody else's writes.
  json::Value get(const client::Resource& resource, std::string_view name,
                  std::string_view ns = "ns") {
    const auto reply =
        call({.verb = client::Verb::Get, .resource = resource, .key = at(resource, ns, name)});
    return reply ? reply->body : json::Value{};
  }
  json::Value patch(const client::Resource& resource, std::string_view name, std::string_view body,
                    std::string_view subresource = {}, std::string_view manager = "kubectl") {
    const auto reply = call({.verb = client::Verb::Patch,
                             .resource = resource,
                             .key = at(resource, "ns", name),
                             .subresource = std::string{subresource},
                             .body = parsed(body),
                             .field_manager = std::string{manager}});
    EXPECT_TRUE(reply.has_value()) << (reply ? "" : reply.error().status.message);
    return reply ? reply->body : json::Value{};
  }
  void remove(const client::Resource& resource, std::string_view name) {
    // It may be gone already.
    std::ignore =
        call({.verb = client::Verb::Delete, .resource = resource, .key = at(resource, "ns", name)});
  }
  // A field of an object as text; empty when it is not there.
  template <class... Keys>
  std::string text(const client::Resource& resource, std::string_view name, Keys... keys) {
    const json::Value object = get(resource, name);
    const json::View value = object.view().get(keys...);
    if (value.is_null()) return "";
    return value.is_string() ? std::string{value.as_string()} : json::to_text(value);
  }
  std::size_t count(const client::Resource& resource) {
    return list({.collection = {.resource = resource}})->items.size();
  }
  std::uint64_t revision() const { return store.revision().value; }

  VirtualClock clock;
  Rng rng{42};
  store::Store store;
  apiserver::Core core;
  std::map<kube::GroupVersionKind, Contents> contents;

 private:
  static kube::Key at(const client::Resource& resource, std::string_view ns,
                      std::string_view name) {
    return {resource.scope == client::Scope::Cluster ? "" : std::string{ns}, std::string{name}};
  }
  static apiserver::Request request_for(const client::Resource& resource, const std::string& ns) {
    apiserver::Request request;
    request.resource = {resource.kind.group, resource.kind.version, resource.plural};
    request.ns = ns;
    request.user = apiserver::system_user();
    request.user_agent = "test/1";
    return request;
  }
  static json::Value with_kind(const json::Value& object, const kube::GroupVersionKind& kind) {
    json::Draft draft(object);
    draft["apiVersion"] = kind.group_version().api_version();
    draft["kind"] = kind.kind;
    return draft.freeze();
  }
  static client::CallError error_of(const apiserver::Response& response) {
    client::CallError error;
    error.fate = client::Fate::Refused;
    error.status.code = response.code;
    error.status.reason = response.body.get("reason").as_string();
    error.status.message = response.body.get("message").as_string();
    auto& details = error.status.details.emplace();
    details.name = response.body.get("details", "name").as_string();
    for (const json::View cause : response.body.get("details", "causes").elements()) {
      details.causes.push_back({std::string{cause.get("reason").as_string()},
                                std::string{cause.get("message").as_string()},
                                std::string{cause.get("field").as_string()}});
    }
    return error;
  }
  static client::Reply reply_of(const apiserver::Response& response) {
    if (!response.ok()) return std::unexpected(error_of(response));
    client::Answer answer;
    answer.code = response.code;
    answer.body = response.body;
    return answer;
  }
  void establish() {
    auto request = request_for(
        {
            {"apiextensions.k8s.io", "v1", ""},
            "customresourcedefinitions"
    },
        "");
    request.verb = apiserver::Verb::Patch;
    request.name = "boats.sea.example.com";
    request.subresource = "status";
    request.content_type = "application/merge-patch+json";
    request.body = R"({"status":{
      "acceptedNames":{"plural":"boats","singular":"boat","kind":"Boat","listKind":"BoatList"},
      "storedVersions":["v1"],"conditions":[
      {"type":"NamesAccepted","status":"True","reason":"a","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"},
      {"type":"Established","status":"True","reason":"a","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
    const auto response = run(request);
    EXPECT_TRUE(response.ok()) << json::to_text(response.body);
  }
};

// An operator made of what a test gives it: by default one ConfigMap a boat and a status.
class TestOperator : public Operator {
 public:
  TestOperator() {
    declared.name = "boats";
    declared.watches.push_back({.role = WatchRole::Primary, .collection = {.resource = kBoats}});
    declared.watches.push_back({.role = WatchRole::Owned, .collection = {.resource = kMaps}});
    declared.watches.push_back({.role = WatchRole::Owned, .collection = {.resource = kRoles}});
  }

  struct Seen {
    json::Value primary;
    std::vector<json::Value> maps;
    json::Value extra;
  };
  static const Seen& seen(const Facts& facts) { return *static_cast<const Seen*>(facts.get()); }
  static json::Value map(std::string_view name, json::Draft data) {
    json::Draft object = json::Draft::object();
    object["apiVersion"] = "v1";
    object["kind"] = "ConfigMap";
    object.object_at("metadata")["name"] = name;
    object["data"] = std::move(data);
    return object.freeze();
  }
  static json::Value color_map(const Seen& seen) {
    json::Draft data = json::Draft::object();
    data["color"] = seen.primary.get("spec", "color");
    return map(std::string{seen.primary.get("metadata", "name").as_string()} + "-map", data);
  }

  const Declaration& declaration() const override { return declared; }
  kube::FieldErrors check(json::View object) const override { return on_check(object); }
  Result<Facts> observe(const Reader& reader, Probes& probes, const kube::Key&) const override {
    ++std::atomic_ref(observed);  // a verifier observes on several threads
    auto seen = std::make_shared<Seen>();
    seen->primary = json::Value(reader.primary());
    for (const json::View view : reader.owned(kMapKind)) seen->maps.emplace_back(view);
    if (on_observe) {
      FP_TRY(extra, on_observe(reader, probes));
      seen->extra = extra;
    }
    return Facts{std::move(seen)};
  }
  Plan decide(const Facts& facts, Instant) const override { return on_decide(seen(facts)); }
  Plan cleanup(const Facts& facts, Instant) const override { return on_cleanup(seen(facts)); }
  Conclusion conclude(const Facts& facts, const Outcomes& outcomes) const override {
    return on_conclude(seen(facts), outcomes);
  }
  Samples samples(const Facts& facts) const override {
    return on_samples ? on_samples(seen(facts)) : Samples{};
  }

  Declaration declared;
  mutable int observed = 0;
  std::function<kube::FieldErrors(json::View)> on_check = [](json::View) {
    return kube::FieldErrors{};
  };
  std::function<Result<json::Value>(const Reader&, Probes&)> on_observe;
  std::function<Plan(const Seen&)> on_decide = [](const Seen& seen) {
    Plan plan;
    plan.apply(color_map(seen));
    return plan;
  };
  std::function<Samples(const Seen&)> on_samples;
  std::function<Plan(const Seen&)> on_cleanup = [](const Seen&) { return Plan{}; };
  std::function<Conclusion(const Seen&, const Outcomes&)> on_conclude =
      [](const Seen&, const Outcomes& outcomes) {
        Conclusion conclusion;
        const bool good = outcomes.all_succeeded();
        conclusion.status = json::Draft::object({
                                                    {"phase", good ? "Ready" : "Failed"}
        })
                                .freeze();
        conclusion.conditions.push_back({.type = "Ready",
                                         .is_true = good,
                                         .reason = good ? "Applied" : outcomes.problem()->reason,
                                         .message = good ? "" : outcomes.problem()->message});
        return conclusion;
      };
};

}  // namespace fixpoint::runtime
