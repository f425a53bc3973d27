// SPDX-License-Identifier: Apache-2.0
#include "kube/errors/status.h"

#include "json/draft.h"
#include "kube/go/text.h"

#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using json::Draft;

StatusDetails details_of(const GroupResource& resource, std::string_view name) {
  StatusDetails details;
  details.name = name;
  details.group = resource.group;
  details.kind = resource.resource;
  return details;
}

void set_if(Draft& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Draft cause_json(const StatusCause& cause) {
  Draft out = Draft::object();
  set_if(out, "reason", cause.reason);
  set_if(out, "message", cause.message);
  set_if(out, "field", cause.field);
  return out;
}

Draft details_json(const StatusDetails& details) {
  Draft out = Draft::object();
  set_if(out, "name", details.name);
  set_if(out, "group", details.group);
  set_if(out, "kind", details.kind);
  set_if(out, "uid", details.uid);
  for (const auto& cause : details.causes) out.array_at("causes").push_back(cause_json(cause));
  if (details.retry_after_seconds != 0) out["retryAfterSeconds"] = details.retry_after_seconds;
  return out;
}

// Equal texts are said once; several stand in brackets.
std::string aggregated(const FieldErrors& errors) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const auto& error : errors) {
    if (auto text = error.to_string(); seen.insert(text).second) texts.push_back(std::move(text));
  }
  return go_aggregate(texts);
}

Status plain(int code, std::string_view reason, std::string message) {
  return {code, std::string{reason}, std::move(message), std::nullopt};
}

// What a real server answers before it knows a resource carries details, and they are empty.
Status with_empty_details(int code, std::string_view reason, std::string message) {
  return {code, std::string{reason}, std::move(message), StatusDetails{}};
}

}  // namespace

json::Value to_json(const Status& status) {
  Draft out = Draft::object();
  out["kind"] = "Status";
  out["apiVersion"] = "v1";
  out["metadata"] = Draft::object();
  out["status"] = "Failure";
  set_if(out, "message", status.message);
  set_if(out, "reason", status.reason);
  if (status.details) out["details"] = details_json(*status.details);
  out["code"] = status.code;
  return out.freeze();
}

Status not_found(const GroupResource& resource, std::string_view name) {
  return {404, "NotFound", fmt::format("{} {} not found", resource.to_string(), go_quoted(name)),
          details_of(resource, name)};
}

Status not_found_path() {
  return with_empty_details(404, "NotFound", "the server could not find the requested resource");
}

Status already_exists(const GroupResource& resource, std::string_view name) {
  return {409, "AlreadyExists",
          fmt::format("{} {} already exists", resource.to_string(), go_quoted(name)),
          details_of(resource, name)};
}

Status conflict(const GroupResource& resource, std::string_view name, std::string_view why) {
  return {409, "Conflict",
          fmt::format("Operation cannot be fulfilled on {} {}: {}", resource.to_string(),
                      go_quoted(name), why),
          details_of(resource, name)};
}

Status conflict_modified(const GroupResource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Status invalid(const GroupKind& kind, std::string_view name, const FieldErrors& errors) {
  Status status{422, "Invalid", fmt::format("{} {} is invalid", kind.to_string(), go_quoted(name)),
                details_of({kind.group, kind.kind}, name)};
  if (!errors.empty()) status.message += ": " + aggregated(errors);
  for (const auto& error : errors) {
    status.details->causes.push_back(
        {std::string{cause_reason(error.kind)}, error.body(), error.field});
  }
  return status;
}

Status bad_request(std::string message) {
  return plain(400, "BadRequest", std::move(message));
}

Status forbidden(const GroupResource& resource, std::string_view name, std::string_view why) {
  std::string message;
  if (resource.group.empty() && resource.resource.empty()) {
    message = fmt::format("forbidden: {}", why);
  } else if (name.empty()) {
    message = fmt::format("{} is forbidden: {}", resource.to_string(), why);
  } else {
    message = fmt::format("{} {} is forbidden: {}", resource.to_string(), go_quoted(name), why);
  }
  return {403, "Forbidden", std::move(message), details_of(resource, name)};
}

Status unauthorized() {
  return plain(401, "Unauthorized", "Unauthorized");
}

Status method_not_supported(const GroupResource& resource, std::string_view action) {
  return {405, "MethodNotAllowed",
          fmt::format("{} is not supported on resources of kind {}", action,
                      go_quoted(resource.to_string())),
          details_of(resource, {})};
}

Status method_not_allowed() {
  return with_empty_details(405, "MethodNotAllowed",
                            "the server does not allow this method on the requested resource");
}

Status expired(std::string message) {
  return plain(410, "Expired", std::move(message));
}

Status gone(std::string message) {
  return plain(410, "Gone", std::move(message));
}

Status timeout(std::string message, int retry_after_seconds) {
  Status status = with_empty_details(504, "Timeout", "Timeout: " + std::move(message));
  status.details->retry_after_seconds = retry_after_seconds;
  return status;
}

Status too_large_resource_version(std::uint64_t wanted, std::uint64_t current,
                                  int retry_after_seconds) {
  Status status =
      timeout(fmt::format("Too large resource version: {}, current: {}", wanted, current),
              retry_after_seconds);
  status.details->causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return status;
}

Status request_entity_too_large(std::string message) {
  return plain(413, "RequestEntityTooLarge", "Request entity too large: " + std::move(message));
}

Status unsupported_media_type(std::string message) {
  return plain(415, "UnsupportedMediaType", std::move(message));
}

Status not_acceptable(std::string message) {
  return plain(406, "NotAcceptable", std::move(message));
}

Status too_many_requests(std::string message, int retry_after_seconds) {
  Status status = with_empty_details(429, "TooManyRequests", std::move(message));
  status.details->retry_after_seconds = retry_after_seconds;
  return status;
}

Status internal_error(std::string message) {
  Status status = with_empty_details(500, "InternalError", "Internal error occurred: " + message);
  status.details->causes.push_back({"", std::move(message), ""});
  return status;
}

Status unreasoned(int code, std::string message) {
  return plain(code, "", std::move(message));
}

}  // namespace fixpoint::kube
