// SPDX-License-Identifier: Apache-2.0
//
// Request and Response: one call of the Kubernetes API, without any transport around it.
//
// The HTTP front makes Requests out of URLs; tests, the built-in controllers and the verifier make
// them directly. Nothing here knows about sockets, threads or time.
#pragma once

#include "apiserver/weakness.h"
#include "base/clock.h"
#include "base/rng.h"
#include "json/value.h"
#include "kube/errors/status.h"
#include "kube/meta/gvk.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::apiserver {

enum class Verb : std::uint8_t {
  Get,
  List,
  Watch,
  Create,
  Update,
  Patch,
  Delete,
  DeleteCollection,
};

// As RBAC rules and messages spell it: "get", "deletecollection", …
std::string_view to_string(Verb verb);

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  bool in_group(std::string_view group) const;
};

// The user that the built-in controllers act as; bypasses nothing but authorization.
const User& system_user();

using Query = std::vector<std::pair<std::string, std::string>>;

struct Request {
  Verb verb = Verb::Get;
  kube::GroupVersionResource resource;
  std::string ns;
  bool empty_namespace = false;  // the path has a place for one with nothing in it
  std::string name;
  std::string subresource;
  Query query;  // decoded
  std::string content_type;
  std::string body;
  std::string user_agent;
  User user;

  // The first value of a query parameter, or nothing. An empty value is one, too.
  std::optional<std::string_view> given(std::string_view key) const;
  // The same where nothing and empty mean the same.
  std::string_view parameter(std::string_view key) const { return given(key).value_or(""); }
};

// Kubernetes' rule for query booleans that are given: anything but "0" and "false" is true, the
// empty value included.
bool query_truth(std::string_view value);

// What a call may use besides the request and the store.
struct Environment {
  Instant now;
  Rng& rng;
  Weakness weakness = Weakness::None;
};

// A list is not copied into one tree: the front prints the items one by one from the snapshot.
struct ListPage {
  kube::GroupVersionKind item_kind;  // the version asked for
  std::string list_kind;             // "ConfigMapList"
  store::Revision revision;
  std::string continue_token;
  std::optional<std::int64_t> remaining_item_count;
  // Typed lists carry no kind and apiVersion in their items, lists of custom resources do.
  bool items_carry_kind = false;
  std::vector<store::RecordRef> items;  // stored form; see resource.h: in_version
};

struct Response {
  int code = 200;
  json::Value body;  // object or Status; null when `list` is set
  std::optional<ListPage> list;
  std::vector<std::string> warnings;
  // Nothing of this may be told to anyone before this revision is durable.
  store::Revision visible;

  bool ok() const { return code < 400; }
};

Response failure(const kube::Status& status, std::vector<std::string> warnings = {});

}  // namespace fixpoint::apiserver
