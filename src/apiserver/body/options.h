// SPDX-License-Identifier: Apache-2.0
//
// The options of a call (query parameters, and the DeleteOptions body), checked in Kubernetes'
// words.
#pragma once

#include "apiserver/request.h"
#include "kube/errors/status.h"
#include "kube/selectors/field_selector.h"
#include "kube/selectors/label_selector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::apiserver {

enum class FieldValidation : std::uint8_t { Ignore, Warn, Strict };

// Of create, update and patch alike.
struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::Warn;
  std::string field_manager;  // as given; empty means "from the user agent"
  bool force = false;         // apply only

  // What managedFields will call this writer.
  std::string manager(const Request& request) const;
};

enum class Propagation : std::uint8_t { Default, Orphan, Background, Foreground };

struct DeleteOptions {
  bool dry_run = false;
  Propagation propagation = Propagation::Default;
  bool cascade_asked = false;  // orphanDependents=false was said: what stays is answered with 202
  std::optional<std::int64_t> grace_seconds;
  std::optional<std::string> uid;
  std::optional<std::string> resource_version;
};

enum class VersionMatch : std::uint8_t { Unset, Exact, NotOlderThan };

struct ListOptions {
  kube::LabelSelector labels;
  kube::FieldSelector fields;
  std::int64_t limit = 0;
  std::string continue_token;
  std::string resource_version;
  VersionMatch match = VersionMatch::Unset;
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<std::int64_t> timeout_seconds;
};

// `kind` is the options type that errors name: "CreateOptions", "UpdateOptions", "PatchOptions".
kube::Answer<WriteOptions> parse_write_options(const Request& request, std::string_view kind);
kube::Answer<DeleteOptions> parse_delete_options(const Request& request);
// A DeleteOptions inside of another object, decoded as its type.
kube::Answer<DeleteOptions> delete_options_in(json::View object);
kube::Answer<ListOptions> parse_list_options(const Request& request);

// A number among the query parameters, or nothing; the 400 is Go's sentence.
kube::Answer<std::optional<std::int64_t>> parse_int_parameter(const Request& request,
                                                              std::string_view key);

// The ports to forward, "80,81" of each parameter `ports`; the 400 is Go's sentence.
kube::Answer<std::vector<std::uint16_t>> parse_ports(const Query& query);

// A resourceVersion as a number; "" is 0.
kube::Answer<store::Revision> parse_list_revision(std::string_view text);

}  // namespace fixpoint::apiserver
