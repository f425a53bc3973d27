// SPDX-License-Identifier: Apache-2.0
//
// Call and Reply: one request to a Kubernetes API and what came back, without any transport.
//
// A failed call says what the caller may conclude: the server refused it (and changed nothing), it
// surely never reached the server, or nobody knows. Only the last needs care: a write with an
// unknown fate may have been committed, and may even land later.
// Read next: client.h, which carries calls; collection.h for lists and watches.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "kube/errors/status.h"
#include "kube/meta/gvk.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::client {

enum class Verb : std::uint8_t { Get, Create, Update, Patch, Apply, Delete, DeleteCollection };
// As RBAC spells it; Apply is "patch".
std::string_view to_string(Verb verb);

enum class PatchType : std::uint8_t { Json, Merge, Strategic };
enum class FieldValidation : std::uint8_t { ServerDefault, Ignore, Warn, Strict };
enum class Propagation : std::uint8_t { ServerDefault, Background, Foreground, Orphan };
enum class Force : std::uint8_t { No, Yes };
enum class DryRun : std::uint8_t { No, Yes };
enum class Scope : std::uint8_t { Namespaced, Cluster };

// Where a kind is served. Operators know theirs; Client::resolve asks for any other.
struct Resource {
  kube::GroupVersionKind kind;
  std::string plural;
  Scope scope = Scope::Namespaced;

  auto operator<=>(const Resource&) const = default;
};

// 409 unless the object is still this one. Empty fields are not asked for.
struct Preconditions {
  std::string uid;
  std::string resource_version;
};

struct Selector {
  std::string labels;
  std::string fields;

  auto operator<=>(const Selector&) const = default;
};

// From `call` to the end of the answer, retries included.
inline constexpr Duration kCallDeadline = std::chrono::seconds(30);

struct Call {
  Verb verb = Verb::Get;
  Resource resource;
  kube::Key key;            // the name is empty for Create and DeleteCollection
  std::string subresource;  // "status", "scale", "log", …
  json::Value body;         // Create, Update, Patch, Apply
  PatchType patch_type = PatchType::Merge;
  std::string field_manager;
  Force force = Force::No;  // Apply: take fields from other managers
  DryRun dry_run = DryRun::No;
  FieldValidation field_validation = FieldValidation::ServerDefault;
  std::string resource_version;  // Get: "0" takes any, "" the newest
  Selector selector;             // DeleteCollection
  // Delete, DeleteCollection. Writes with a body carry theirs in the body's metadata.
  Preconditions preconditions;
  Propagation propagation = Propagation::ServerDefault;
  std::optional<std::int64_t> grace_seconds;
  std::string as_user;  // impersonation
  std::vector<std::string> as_groups;
  std::vector<std::pair<std::string, std::string>> query;  // what else a subresource takes
  Duration deadline = kCallDeadline;
};

struct Answer {
  int code = 200;
  json::Value body;  // null where the answer is no JSON
  std::string text;  // then this: pod logs
  std::vector<std::string> warnings;
};

enum class Fate : std::uint8_t {
  Refused,  // the server said no: `status` is its answer, nothing changed
  NotSent,  // the server surely never acted on it
  Unknown,  // it may have been acted upon, now or later
};
std::string_view to_string(Fate fate);

struct [[nodiscard]] CallError {
  Fate fate = Fate::NotSent;
  // Refused: the server's. Else code 0 and a message that says what was tried and what happened.
  kube::Status status;
  std::optional<Duration> retry_after;

  bool is(std::string_view reason) const { return status.is(reason); }
  bool not_found() const { return fate == Fate::Refused && status.code == 404; }
  bool conflict() const { return fate == Fate::Refused && status.code == 409; }
};

using Reply = std::expected<Answer, CallError>;

}  // namespace fixpoint::client
