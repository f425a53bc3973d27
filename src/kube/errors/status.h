// SPDX-License-Identifier: Apache-2.0
//
// Status: the error every Kubernetes API call can answer, with its code, reason, message, details.
//
// The texts are those of a real kube-apiserver: clients and people match on them.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/meta/gvk.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;
};

struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;  // for most errors the *resource*, as Kubernetes does
  std::string uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;
};

struct [[nodiscard]] Status {
  int code = 500;
  std::string reason;  // "NotFound", "AlreadyExists", …; may be empty, as some 500s are
  std::string message;
  std::optional<StatusDetails> details;

  bool is(std::string_view r) const { return reason == r; }
};

// kind: Status, apiVersion: v1, metadata: {}, status: Failure, …
json::Value to_json(const Status& status);

template <class T>
using Answer = std::expected<T, Status>;

Status not_found(const GroupResource& resource, std::string_view name);
Status not_found_path();  // "the server could not find the requested resource"
Status already_exists(const GroupResource& resource, std::string_view name);
Status conflict(const GroupResource& resource, std::string_view name, std::string_view why);
// The usual why: "the object has been modified; please apply your changes to the latest version and
// try again".
Status conflict_modified(const GroupResource& resource, std::string_view name);
Status invalid(const GroupKind& kind, std::string_view name, const FieldErrors& errors);
Status bad_request(std::string message);
Status forbidden(const GroupResource& resource, std::string_view name, std::string_view why);
Status unauthorized();
Status method_not_supported(const GroupResource& resource, std::string_view action);
Status
method_not_allowed();  // 405 "the server does not allow this method on the requested resource"
Status expired(std::string message);  // 410 Expired
Status gone(std::string message);     // 410 Gone
Status timeout(std::string message, int retry_after_seconds);
Status too_large_resource_version(std::uint64_t wanted, std::uint64_t current,
                                  int retry_after_seconds = 1);
Status request_entity_too_large(std::string message);
Status unsupported_media_type(std::string message);
Status not_acceptable(std::string message);
Status too_many_requests(std::string message, int retry_after_seconds);
Status internal_error(std::string message);        // "Internal error occurred: …"
Status unreasoned(int code, std::string message);  // a code and a message, no reason, no details

}  // namespace fixpoint::kube
