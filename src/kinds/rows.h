// SPDX-License-Identifier: Apache-2.0
//
// Row: the facts of one built-in kind in one line; Kind (kind.h) is what a Row becomes.
//
// Facts are those of a real server's discovery and of its registry strategies; a test compares them
// with tests' fact table. One rows_*.cc per family of groups.
#pragma once

#include "kinds/kind.h"
#include "kinds/schema_table.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace fixpoint::kinds {

enum Trait : std::uint16_t {
  kPlain = 0,
  kCluster = 1U << 0U,         // cluster-scoped
  kStatus = 1U << 1U,          // has a status subresource
  kScale = 1U << 2U,           // has a scale subresource
  kGeneration = 1U << 3U,      // metadata.generation is kept
  kCreateOnUpdate = 1U << 4U,  // PUT creates
  kNeedsVersion = 1U << 5U,    // PUT without resourceVersion is refused
  kOrphans = 1U << 6U,         // DELETE orphans dependents unless told otherwise
  kReview = 1U << 7U,          // create only, answered and never stored
  kReadOnly = 1U << 8U,        // get and list only
  kNoCollection = 1U << 9U,    // no deletecollection
  kShowsDeleted = 1U << 10U,   // DELETE answers with the object, even when it is gone at once
};

using SchemaFunction = const kube::Schema* (*)();

struct Row {
  std::string_view kind;
  std::string_view resource;
  std::string_view short_names;  // comma-separated
  std::string_view categories;   // comma-separated
  unsigned traits;
  SchemaFunction schema;
  // "name:verbs[:group/version/Kind]", separated by spaces; status and scale come from the traits.
  std::string_view subresources = {};
  NameRule name_rule = NameRule::DnsSubdomain;
};

// A string that can be a template argument.
template <std::size_t N>
struct TypeText {
  char text[N];
  constexpr TypeText(const char (&from)[N]) { std::copy_n(from, N, text); }  // NOLINT
};

// The schema of a type, found once: one function per type, because Kind holds plain pointers.
template <TypeText Type>
const kube::Schema* schema() {
  static const kube::Schema* const found = schema_of(Type.text);
  return found;
}

// Appends a Kind for every row.
void append_rows(const kube::GroupVersion& version, std::span<const Row> rows,
                 std::vector<Kind>& to);

// The families, each appending its groups in discovery order within itself.
void append_core(std::vector<Kind>& to);
void append_apps(std::vector<Kind>& to);
void append_autoscaling(std::vector<Kind>& to);
void append_batch(std::vector<Kind>& to);
void append_networking(std::vector<Kind>& to);
void append_policy(std::vector<Kind>& to);
void append_rbac(std::vector<Kind>& to);
void append_storage(std::vector<Kind>& to);
void append_admission(std::vector<Kind>& to);
void append_reviews(std::vector<Kind>& to);
void append_events(std::vector<Kind>& to);
void append_api_registration(std::vector<Kind>& to);
void append_api_extensions(std::vector<Kind>& to);
void append_certificates(std::vector<Kind>& to);
void append_scheduling(std::vector<Kind>& to);
void append_coordination(std::vector<Kind>& to);
void append_nodes(std::vector<Kind>& to);
void append_discovery(std::vector<Kind>& to);
void append_devices(std::vector<Kind>& to);
void append_flow_control(std::vector<Kind>& to);

}  // namespace fixpoint::kinds
