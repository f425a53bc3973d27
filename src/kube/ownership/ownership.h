// SPDX-License-Identifier: Apache-2.0
//
// Ownership: metadata.managedFields decoded, one entry per manager, operation and subresource (and,
// for updates, version).
//
// Invariant: no two entries have the same id, and entries are sorted by id, so results do not
// depend on the order in which entries came. Internal to managed_fields.cc and its siblings.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/draft.h"
#include "json/value.h"
#include "kube/ownership/field_set.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube {

enum class Operation : std::uint8_t { Apply, Update };

struct Owner {
  std::string manager;
  Operation operation = Operation::Update;
  std::string api_version;
  std::string subresource;
  std::optional<Instant> time;
  FieldSet fields;
  // The fields as they were stored, for writing back what did not change.
  json::Value stored;

  // The whole seconds of `time`, by which entries are ordered; 0 without one.
  std::int64_t seconds() const;
  bool applied() const { return operation == Operation::Apply; }
  void own(FieldSet set);  // from now on exactly this
  void gain(FieldSet more);
  void lose(const FieldSet& taken);
  // Kubernetes' own key of an entry. It orders conflicts and the merging of old managers. An
  // applier's has no version: applying in another version goes on with the same entry.
  std::string id() const;
  // As conflict messages name it: "kubectl-patch" using v1.
  std::string shown() const;
};

class Ownership {
 public:
  bool empty() const { return owners_.empty(); }
  std::vector<Owner>& owners() { return owners_; }
  const std::vector<Owner>& owners() const { return owners_; }

  Owner* find(std::string_view id);
  // The entry of this identity; one without fields is made if there is none.
  Owner& at(const Owner& identity);
  void erase(std::string_view id);
  // Entries that own nothing do not exist.
  void drop_empty();

 private:
  std::vector<Owner> owners_;
};

// What a client sent may be written in any order and is written back in ours.
enum class Source : std::uint8_t { Stored, Sent };

// An error for any entry that Kubernetes does not decode: the caller then takes other entries.
Result<Ownership> decode_ownership(json::View managed_fields, Source source);

// Sorted for the wire: appliers first, then by whole seconds, manager, version, subresource.
// Null when nobody owns anything.
json::Draft encode_ownership(const Ownership& ownership);

}  // namespace fixpoint::kube
