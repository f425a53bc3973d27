// SPDX-License-Identifier: Apache-2.0
#include "client/http/outgoing.h"

#include "json/draft.h"
#include "json/print.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fixpoint::client {
namespace {

constexpr std::string_view kMetadataOnly =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::string_view kMetadataOnlyList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

apiserver::Verb core_verb(Verb verb) {
  switch (verb) {
    case Verb::Get: return apiserver::Verb::Get;
    case Verb::Create: return apiserver::Verb::Create;
    case Verb::Update: return apiserver::Verb::Update;
    case Verb::Patch:
    case Verb::Apply: return apiserver::Verb::Patch;
    case Verb::Delete: return apiserver::Verb::Delete;
    case Verb::DeleteCollection: return apiserver::Verb::DeleteCollection;
  }
  std::unreachable();
}

std::string_view method_of(apiserver::Verb verb) {
  switch (verb) {
    case apiserver::Verb::Get:
    case apiserver::Verb::List:
    case apiserver::Verb::Watch: return "GET";
    case apiserver::Verb::Create: return "POST";
    case apiserver::Verb::Update: return "PUT";
    case apiserver::Verb::Patch: return "PATCH";
    case apiserver::Verb::Delete:
    case apiserver::Verb::DeleteCollection: return "DELETE";
  }
  std::unreachable();
}

std::string_view content_type_of(const Call& call) {
  if (call.verb == Verb::Apply) return "application/apply-patch+yaml";
  if (call.verb != Verb::Patch) return "application/json";
  switch (call.patch_type) {
    case PatchType::Json: return "application/json-patch+json";
    case PatchType::Merge: return "application/merge-patch+json";
    case PatchType::Strategic: return "application/strategic-merge-patch+json";
  }
  std::unreachable();
}

std::string_view spelled(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::ServerDefault: return "";
    case FieldValidation::Ignore: return "Ignore";
    case FieldValidation::Warn: return "Warn";
    case FieldValidation::Strict: return "Strict";
  }
  std::unreachable();
}

std::string_view spelled(Propagation propagation) {
  switch (propagation) {
    case Propagation::ServerDefault: return "";
    case Propagation::Background: return "Background";
    case Propagation::Foreground: return "Foreground";
    case Propagation::Orphan: return "Orphan";
  }
  std::unreachable();
}

void add(apiserver::Query& query, std::string_view name, std::string_view value) {
  if (!value.empty()) query.emplace_back(name, value);
}

apiserver::Request about(const Resource& resource, std::string_view ns) {
  apiserver::Request request;
  request.resource = {resource.kind.group, resource.kind.version, resource.plural};
  if (resource.scope == Scope::Namespaced) request.ns = ns;
  return request;
}

bool deletes(Verb verb) {
  return verb == Verb::Delete || verb == Verb::DeleteCollection;
}

// Nothing is sent where everything is as the server would have it anyway.
std::string delete_options(const Call& call) {
  auto options = json::Draft::object();
  const auto& [uid, version] = call.preconditions;
  if (!uid.empty()) options.object_at("preconditions")["uid"] = uid;
  if (!version.empty()) options.object_at("preconditions")["resourceVersion"] = version;
  if (const auto policy = spelled(call.propagation); !policy.empty()) {
    options["propagationPolicy"] = policy;
  }
  if (call.grace_seconds) options["gracePeriodSeconds"] = *call.grace_seconds;
  if (call.dry_run == DryRun::Yes) options["dryRun"] = json::Draft::array({"All"});
  if (options.empty()) return {};
  options["kind"] = "DeleteOptions";
  options["apiVersion"] = "v1";
  const auto frozen = options.freeze();
  return json::to_text(frozen);
}

void add_selector(apiserver::Query& query, const Selector& selector) {
  add(query, "labelSelector", selector.labels);
  add(query, "fieldSelector", selector.fields);
}

void add_write_options(apiserver::Query& query, const Call& call) {
  add(query, "fieldManager", call.field_manager);
  add(query, "fieldValidation", spelled(call.field_validation));
  if (call.dry_run == DryRun::Yes) add(query, "dryRun", "All");
  if (call.verb == Verb::Apply && call.force == Force::Yes) add(query, "force", "true");
}

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (unreserved(c)) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', kHex[byte >> 4U], kHex[byte & 0xFU]});
    }
  }
  return out;
}

Outgoing sent(const apiserver::Request& request) {
  Outgoing out;
  out.method = method_of(request.verb);
  out.target = target_of(request);
  out.verb = apiserver::to_string(request.verb);
  if (!request.body.empty()) out.content_type = request.content_type;
  out.body = request.body;
  return out;
}

std::int64_t whole_seconds(Duration duration) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

apiserver::Request request_of(const Call& call) {
  auto request = about(call.resource, call.key.ns);
  request.verb = core_verb(call.verb);
  request.name = call.key.name;
  request.subresource = call.subresource;
  request.content_type = content_type_of(call);
  if (call.verb == Verb::Get) {
    add(request.query, "resourceVersion", call.resource_version);
  } else if (deletes(call.verb)) {
    request.body = delete_options(call);
    if (call.verb == Verb::DeleteCollection) add_selector(request.query, call.selector);
  } else {
    request.body = json::to_text(call.body);
    add_write_options(request.query, call);
  }
  for (const auto& [name, value] : call.query) request.query.emplace_back(name, value);
  return request;
}

apiserver::Request request_of(const ListCall& call) {
  auto request = about(call.collection.resource, call.collection.ns);
  request.verb = apiserver::Verb::List;
  add_selector(request.query, call.collection.selector);
  if (call.limit > 0) add(request.query, "limit", std::to_string(call.limit));
  add(request.query, "continue", call.continue_token);
  // A continue token says of which version the rest is; asking for another beside it is refused.
  if (call.continue_token.empty()) {
    add(request.query, "resourceVersion", call.resource_version);
    add(request.query, "resourceVersionMatch", call.resource_version_match);
  }
  return request;
}

apiserver::Request request_of(const WatchCall& call) {
  auto request = about(call.collection.resource, call.collection.ns);
  request.verb = apiserver::Verb::Watch;
  add(request.query, "watch", "true");
  add_selector(request.query, call.collection.selector);
  add(request.query, "allowWatchBookmarks", "true");
  if (call.streaming == Streaming::FromEmpty) {
    add(request.query, "sendInitialEvents", "true");
    add(request.query, "resourceVersionMatch", "NotOlderThan");
  }
  add(request.query, "resourceVersion", call.resource_version);
  add(request.query, "timeoutSeconds", std::to_string(whole_seconds(call.timeout)));
  return request;
}

std::string escape_path(std::string_view segment) {
  return escaped(segment);
}

std::string escape_query(std::string_view text) {
  return escaped(text);
}

std::string target_of(const apiserver::Request& request) {
  const auto& [group, version, resource] = request.resource;
  auto path = group.empty() ? "/api/" + escape_path(version)
                            : "/apis/" + escape_path(group) + "/" + escape_path(version);
  if (!request.ns.empty()) path += "/namespaces/" + escape_path(request.ns);
  path += "/" + escape_path(resource);
  if (!request.name.empty()) path += "/" + escape_path(request.name);
  // Each part on its own: "proxy/metrics" is two segments.
  if (!request.subresource.empty()) {
    auto rest = std::string_view{request.subresource};
    while (!rest.empty()) {
      const auto slash = std::min(rest.find('/'), rest.size());
      path += "/" + escape_path(rest.substr(0, slash));
      rest.remove_prefix(std::min(slash + 1, rest.size()));
    }
  }
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    path += std::exchange(separator, '&') + escape_query(name) + "=" + escape_query(value);
  }
  return path;
}

Outgoing outgoing(const Call& call) {
  auto out = sent(request_of(call));
  out.verb = to_string(call.verb);
  // Logs are text, and an error about them is JSON.
  if (call.subresource == "log" || call.subresource.starts_with("proxy")) out.accept = "*/*";
  out.as_user = call.as_user;
  out.as_groups = call.as_groups;
  return out;
}

Outgoing outgoing(const ListCall& call) {
  auto out = sent(request_of(call));
  if (call.collection.metadata_only) out.accept = kMetadataOnlyList;
  return out;
}

Outgoing outgoing(const WatchCall& call) {
  auto out = sent(request_of(call));
  if (call.collection.metadata_only) out.accept = kMetadataOnly;
  return out;
}

Outgoing get_of(std::string target) {
  Outgoing out;
  out.method = "GET";
  out.verb = "get";
  out.target = std::move(target);
  return out;
}

}  // namespace fixpoint::client
