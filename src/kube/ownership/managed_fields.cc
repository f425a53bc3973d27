// SPDX-License-Identifier: Apache-2.0
//
// Ordinary writes: the manager takes what it changed, and nobody is asked.
#include "kube/ownership/managed_fields.h"

#include "kube/ownership/managed_fields_core.h"
#include "kube/ownership/new_ownership.h"

#include <algorithm>
#include <map>

namespace fixpoint::kube {

namespace {

// Kubernetes' bound on entries of ordinary writers; the oldest are merged beyond it.
constexpr std::size_t kUpdateManagersMax = 10;
constexpr std::string_view kAncientChanges = "ancient-changes";

Path fields_path(const std::vector<std::string>& names) {
  Path path;
  for (const std::string& name : names) path.push_back(PathElement::field(name));
  return path;
}

const FieldSet& server_fields() {
  static const FieldSet* const fields = [] {
    auto* set = new FieldSet;  // kept for the life of the process
    for (const char* name : {"apiVersion", "kind", "metadata"}) set->insert(fields_path({name}));
    for (const char* name : {"name", "namespace", "creationTimestamp", "selfLink", "uid",
                             "clusterName", "generation", "managedFields", "resourceVersion"})
      set->insert(fields_path({"metadata", name}));
    return set;
  }();
  return *fields;
}

FieldSet reset_set(const Writer& writer) {
  FieldSet reset;
  for (const auto& names : writer.reset_fields) reset.insert(fields_path(names));
  return reset;
}

Comparison change_without_reset(const Writer& writer, Comparison change) {
  const FieldSet reset = reset_set(writer);
  change.removed = subtract_tree(std::move(change.removed), reset);
  change.modified = subtract_tree(std::move(change.modified), reset);
  change.added = subtract_tree(std::move(change.added), reset);
  return change;
}

// The updaters' ids, oldest first.
std::vector<std::string> updaters_by_age(const Ownership& ownership) {
  std::vector<std::pair<std::int64_t, std::string>> aged;
  for (const Owner& owner : ownership.owners())
    if (!owner.applied()) aged.emplace_back(owner.seconds(), owner.id());
  std::ranges::sort(aged);
  std::vector<std::string> ids;
  for (auto& [age, id] : aged) ids.push_back(std::move(id));
  return ids;
}

// Merges the fields of `id` into the entry of the same version that collects old changes.
void merge_into_bucket(Ownership& ownership, const std::string& first, const std::string& id) {
  const Owner merged = *ownership.find(id);
  Owner identity;
  identity.manager = kAncientChanges;
  identity.api_version = merged.api_version;
  const std::string bucket_id = identity.id();
  if (ownership.find(bucket_id) == nullptr) {
    FieldSet fields = ownership.find(first)->fields;
    ownership.erase(first);
    ownership.at(identity).own(std::move(fields));
  }
  ownership.erase(id);
  Owner& bucket = *ownership.find(bucket_id);
  bucket.own(unite(merged.fields, bucket.fields));
  bucket.time = merged.time;  // the later of the two
}

void cap_updaters(Ownership& ownership) {
  if (ownership.owners().size() <= kUpdateManagersMax) return;
  const std::vector<std::string> ids = updaters_by_age(ownership);
  std::size_t count = ids.size();
  std::map<std::string, std::string> first_of_version;
  for (const std::string& id : ids) {
    if (count <= kUpdateManagersMax) return;
    const Owner* owner = ownership.find(id);
    const auto [first, fresh] = first_of_version.emplace(owner->api_version, id);
    if (fresh || owner->manager == kAncientChanges) continue;
    merge_into_bucket(ownership, first->second, id);
    --count;
  }
}

bool asks_for_reset(const Writer& writer, json::View sent) {
  if (!sent.is_array()) return false;
  // Decoding a custom resource does not tell an empty list from none.
  if (sent.empty()) return writer.schema->go_kind != GoKind::None;
  return sent.size() == 1 && sent[0].is_object() && sent[0].empty();
}

Ownership stored_ownership(json::View live) {
  // What we stored decodes; anything else counts as nothing, as it does for Kubernetes.
  auto stored = decode_ownership(live.get("metadata", "managedFields"), Source::Stored);
  return stored ? *std::move(stored) : Ownership{};
}

// The entries a write starts from. Clients may edit them, but not lose them by not knowing them.
Ownership starting_ownership(const Writer& writer, json::View live, json::View sent) {
  if (!writer.subresource.empty() || sent == live.get("metadata", "managedFields"))
    return stored_ownership(live);
  if (asks_for_reset(writer, sent)) return {};
  auto wanted = decode_ownership(sent, Source::Sent);
  if (!wanted || wanted->empty()) return stored_ownership(live);
  return *std::move(wanted);
}

}  // namespace

Owner identity_of(const Writer& writer, std::string_view manager, Operation operation) {
  Owner owner;
  owner.manager = manager.empty() ? "unknown" : manager;
  owner.operation = operation;
  owner.api_version = writer.kind.group_version().api_version();
  owner.subresource = writer.subresource;
  return owner;
}

FieldSet without_reset(const Writer& writer, FieldSet fields) {
  return subtract_tree(std::move(fields), reset_set(writer));
}

FieldSet without_server_fields(FieldSet fields) {
  return subtract(std::move(fields), server_fields());
}

Result<void> refresh(const Writer& writer, json::View live, Ownership& ownership) {
  // Of a built-in kind the owners of a version that is no more are forgotten. A custom object
  // cannot be converted to such a version, and then nobody's fields can be told.
  if (!writer.api_versions.empty() && writer.version_schemas.empty()) {
    std::erase_if(ownership.owners(), [&](const Owner& owner) {
      return std::ranges::find(writer.api_versions, owner.api_version) == writer.api_versions.end();
    });
  }
  for (const Owner& owner : ownership.owners()) {
    FP_TRY_VOID(check_fits(writer, owner.api_version, live));
  }
  for (Owner& owner : ownership.owners()) {
    if (fit_to_schema(schema_at(writer, owner.api_version), owner.fields)) owner.stored = {};
  }
  return {};
}

Result<void> check_fits(const Writer& writer, std::string_view api_version, json::View object) {
  if (writer.version_schemas.empty()) return {};
  if (api_version == writer.kind.group_version().api_version()) return {};
  if (std::ranges::find(writer.api_versions, api_version) == writer.api_versions.end()) {
    return fail(ErrorKind::Invalid,
                "request to convert CR to an invalid group/version: " + std::string{api_version});
  }
  auto errors = shape_errors(schema_at(writer, api_version), object, Duplicates::Refused);
  if (errors.empty()) return {};
  return fail(ErrorKind::Invalid, std::move(errors));
}

const Schema& schema_at(const Writer& writer, std::string_view api_version) {
  for (std::size_t i = 0; i < writer.version_schemas.size(); ++i) {
    if (writer.api_versions[i] == api_version) return *writer.version_schemas[i];
  }
  const auto form = std::ranges::find(writer.forms, api_version, &Writer::Form::api_version);
  return form == writer.forms.end() ? *writer.schema : *form->schema;
}

json::Value in_form(const Writer& writer, json::View object, std::string_view from,
                    std::string_view to) {
  const auto form = std::ranges::find(writer.forms, to, &Writer::Form::api_version);
  if (from == to || form == writer.forms.end()) return json::Value{object};
  json::Draft converted{object};
  form->convert(converted);
  return converted.freeze();
}

Result<Changes> changes_between(const Writer& writer, json::View before, json::View after,
                                const Ownership& ownership, std::string_view self) {
  Changes changes;
  auto own = compare_objects(*writer.schema, before, after);
  if (!own) return fail(ErrorKind::Invalid, "failed to compare objects: " + own.error().message);
  const auto written_in = writer.kind.group_version().api_version();
  changes.emplace(written_in, change_without_reset(writer, *std::move(own)));
  for (const Owner& owner : ownership.owners()) {
    if (changes.contains(owner.api_version) || owner.id() == self) continue;
    if (const auto fits = check_fits(writer, owner.api_version, after); !fits) {
      return fail(ErrorKind::Invalid, "failed to convert new object: " + fits.error().message);
    }
    const auto old_form = in_form(writer, before, written_in, owner.api_version);
    const auto new_form = in_form(writer, after, written_in, owner.api_version);
    FP_TRY(theirs, compare_objects(schema_at(writer, owner.api_version), old_form, new_form));
    changes.emplace(owner.api_version, change_without_reset(writer, std::move(theirs)));
  }
  return changes;
}

std::vector<FieldConflict> conflicts_of(const Ownership& ownership, const Changes& changes,
                                        std::string_view self) {
  std::vector<FieldConflict> out;
  for (const Owner& owner : ownership.owners()) {
    if (owner.id() == self) continue;
    const Comparison& change = changes.at(owner.api_version);
    const FieldSet touched = unite(change.modified, change.added);
    for (Path& path : intersect(owner.fields, touched).paths())
      out.push_back(FieldConflict{owner.shown(), std::move(path)});
  }
  return out;
}

void take_fields(Ownership& ownership, const Changes& changes, std::string_view self) {
  for (Owner& owner : ownership.owners()) {
    if (!self.empty() && owner.id() == self) continue;
    const Comparison& change = changes.at(owner.api_version);
    owner.lose(change.modified);
    owner.lose(change.added);
    owner.lose(change.removed);
  }
  ownership.drop_empty();
}

Result<void> record_update(const Writer& writer, std::string_view manager, json::View before,
                           json::View after, Ownership& ownership) {
  // Built-in objects are of their type; a custom one may not fit the schema of its own version, or
  // say that it is of another kind.
  if (!writer.version_schemas.empty()) {
    if (after.get("kind").as_string() != writer.kind.kind) {
      return fail(ErrorKind::Invalid, "no corresponding type for the new object");
    }
    for (const auto& [object, name] : {
             std::pair{after,  "new" },
             std::pair{before, "live"}
    }) {
      const auto errors = shape_errors(*writer.schema, object, Duplicates::Allowed);
      if (errors.empty()) continue;
      return fail(ErrorKind::Invalid,
                  "failed to convert " + std::string{name} + " object to smd typed: " + errors);
    }
  }
  FP_TRY_VOID(refresh(writer, before, ownership));
  FP_TRY(changes, changes_between(writer, before, after, ownership, {}));
  const Owner self = identity_of(writer, manager, Operation::Update);
  // The writer's own entry loses what it wrote as well and gets it back below: what matters is
  // whether it wrote anything, for only then its time moves.
  take_fields(ownership, changes, {});
  Comparison& change = changes.at(self.api_version);
  FieldSet written =
      without_server_fields(unite(std::move(change.modified), std::move(change.added)));
  if (!written.empty()) {
    Owner& owner = ownership.at(self);
    owner.gain(std::move(written));
    owner.time = writer.now;
  }
  cap_updaters(ownership);
  return {};
}

void set_managed_fields(json::Draft& object, const Ownership& ownership) {
  json::Draft entries = encode_ownership(ownership);
  if (!entries.is_null()) {
    object.object_at("metadata")["managedFields"] = std::move(entries);
  } else if (json::Draft* metadata = object.find("metadata"); metadata != nullptr) {
    metadata->erase("managedFields");
  }
}

namespace {

// Of an object that is new: all of it is its maker's.
Ownership ownership_of_new(const Writer& writer, const json::Value& object) {
  const Hash128 shape = shape_of_new(writer, object);
  Ownership ownership;
  if (auto fields = remembered_fields(shape)) {
    Owner& owner = ownership.at(identity_of(writer, writer.manager, Operation::Update));
    owner.stored = *std::move(fields);
    owner.time = writer.now;
    return ownership;
  }
  const json::Value nothing = empty_object(*writer.schema);
  if (!record_update(writer, writer.manager, nothing, object, ownership)) return {};
  if (ownership.owners().size() == 1) {
    Owner& owner = ownership.owners().front();
    owner.stored = to_fields_v1(owner.fields);
    remember_fields(shape, owner.stored);
  }
  return ownership;
}

}  // namespace

Answer<void> track_update(const Writer& writer, json::View live, json::Draft& object) {
  FP_CHECK(writer.schema != nullptr);
  json::Value sent;
  if (const json::Draft* fields = std::as_const(object).find("metadata", "managedFields"))
    sent = fields->freeze();
  Ownership ownership = starting_ownership(writer, live, sent);
  const bool exists = !live.get("metadata", "uid").as_string().empty();
  if (ownership.empty() && exists) {
    set_managed_fields(object, {});
    return {};
  }
  const json::Value after = object.freeze();
  // What a custom object owns may depend on its other versions.
  if (live.is_null() && ownership.empty() && writer.version_schemas.empty()) {
    set_managed_fields(object, ownership_of_new(writer, after));
    return {};
  }
  const json::Value before = live.is_null() ? empty_object(*writer.schema) : json::Value(live);
  // An object that does not fit its schema cannot be tracked; it keeps no ownership rather than a
  // wrong one. Validation refuses such an object anyway.
  if (!record_update(writer, writer.manager, before, after, ownership)) ownership = {};
  set_managed_fields(object, ownership);
  return {};
}

void keep_unchanged_times(json::View live, json::Draft& object) {
  const json::View old_entries = live.get("metadata", "managedFields");
  json::Draft* entries = object.find("metadata", "managedFields");
  if (entries == nullptr || !entries->is_array() || entries->empty()) return;
  if (!old_entries.is_array() || entries->size() != old_entries.size()) return;
  if (*entries == json::Draft(old_entries)) return;
  json::Draft candidate = object;
  auto& fresh = candidate.find("metadata", "managedFields")->elements();
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const auto time = old_entries[i].find("time");
    if (time) {
      fresh[i]["time"] = json::Draft(*time);
    } else {
      fresh[i].erase("time");
    }
  }
  if (candidate == json::Draft(live)) object = std::move(candidate);
}

}  // namespace fixpoint::kube
