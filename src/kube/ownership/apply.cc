// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply: the configuration is the manager's whole intent. It is merged over the live
// object; what the manager stated last time and no longer states goes, unless someone else owns it;
// what others own is not changed without force.
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/validate_metadata.h"
#include "kube/ownership/managed_fields_core.h"

#include <algorithm>
#include <map>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

constexpr std::string_view kKubectl = "kubectl";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

using Conflicts = std::vector<FieldConflict>;
using Refusal = std::variant<Status, Conflicts>;

struct Applied {
  json::Value object;
  Ownership ownership;
};

using ApplyOutcome = std::expected<Applied, Refusal>;

std::unexpected<Refusal> refuse(Status status) {
  return std::unexpected<Refusal>(std::move(status));
}

GroupVersionKind stated_kind(json::View object) {
  GroupVersionKind kind;
  const std::string_view api_version = object.get("apiVersion").as_string();
  if (!api_version.empty()) {
    const auto parsed = parse_group_version(api_version);
    if (!parsed) return kind;
    kind.group = parsed->group;
    kind.version = parsed->version;
  }
  kind.kind = object.get("kind").as_string();
  return kind;
}

std::string named(json::View object) {
  const json::View metadata = object.get("metadata");
  return fmt::format("{}/{}; {}", metadata.get("namespace").as_string(),
                     metadata.get("name").as_string(), stated_kind(object).to_string());
}

Status typed_failure(std::string_view which, json::View object, std::string_view errors) {
  return unreasoned(
      500, fmt::format("failed to create typed {} object ({}): {}", which, named(object), errors));
}

Status failure(std::string_view doing, const Error& error) {
  return unreasoned(500, fmt::format("{}: {}", doing, error.message));
}

// Why `config` cannot be applied to anything, if so.
std::optional<Status> refusal_of(const Writer& writer, json::View live, json::View config) {
  if (config.get("metadata", "managedFields").is_array())
    return bad_request("metadata.managedFields must be nil");
  if (const auto errors = shape_errors(*writer.schema, config, Duplicates::Refused);
      !errors.empty())
    return typed_failure("patch", config, errors);
  if (live.is_null()) return std::nullopt;
  if (const auto errors = shape_errors(*writer.schema, live, Duplicates::Allowed); !errors.empty())
    return typed_failure("live", live, errors);
  return std::nullopt;
}

std::map<std::string, FieldSet> owned_by_version(const Ownership& ownership) {
  std::map<std::string, FieldSet> all;
  for (const Owner& owner : ownership.owners()) {
    FieldSet& fields = all[owner.api_version];
    fields = unite(fields, owner.fields);
  }
  return all;
}

// What a manager stated in its last apply, and the version it was written in.
struct Statement {
  FieldSet fields;
  std::string api_version;
};

// Takes from a merged object what the manager stated last time, no longer states, and nobody else
// owns. Each set of fields is looked at with the schema of the version it was written in; an object
// that does not fit one of these cannot be pruned.
class Pruning {
 public:
  Pruning(const Writer& writer, const json::Value& merged)
      : writer_(writer),
        own_version_(writer.kind.group_version().api_version()),
        merged_{merged, own_version_},
        pruned_{merged, own_version_} {}

  Result<json::Value> run(const Statement& last, const Ownership& ownership) {
    FP_TRY_VOID(convert(merged_, last.api_version,
                        "failed to convert merged object to last "
                        "applied version: "));
    const json::Value at_last = merged_.object;
    // Take out all that was stated last time, with everything inside list items and maps …
    const Schema& schema = schema_at(writer_, last.api_version);
    const FieldSet stated_last = with_declared_parents(schema, last.fields);
    FP_TRY(bare, remove_fields(schema, at_last, stated_last));
    pruned_ = {std::move(bare), last.api_version};
    // … put back what has an owner …
    auto owned = owned_by_version(ownership);
    if (const auto same = owned.find(last.api_version); same != owned.end()) {
      FP_TRY_VOID(put_back_owned(last.api_version, same->second));
      owned.erase(same);
    }
    for (const auto& [version, fields] : owned) FP_TRY_VOID(put_back_owned(version, fields));
    // … and what was inside but never stated.
    FP_TRY_VOID(convert(pruned_, last.api_version,
                        "failed add back dangling items: failed to convert pruned object to last "
                        "applied version: "));
    FP_TRY(all, fields_of(schema, at_last));
    FP_TRY(left, fields_of(schema, pruned_.object));
    FP_TRY(rest, remove_fields(schema, at_last, intersect(subtract(all, left), stated_last)));
    pruned_ = {std::move(rest), last.api_version};
    FP_TRY_VOID(convert(pruned_, own_version_, ""));
    return pruned_.object;
  }

 private:
  struct Versioned {
    json::Value object;
    std::string api_version;
  };

  Result<void> convert(Versioned& from, const std::string& version, const std::string& doing) {
    if (from.api_version == version) return {};
    from.object = in_form(writer_, from.object, from.api_version, version);
    from.api_version = version;
    if (writer_.version_schemas.empty()) return {};
    const auto errors = shape_errors(schema_at(writer_, version), from.object, Duplicates::Refused);
    if (errors.empty()) return {};
    return fail(ErrorKind::Invalid, doing + errors);
  }

  static Result<FieldSet> fields_of(const Schema& schema, const json::Value& object) {
    FP_TRY(fields, stated_fields(schema, object));
    return with_declared_parents(schema, fields);
  }

  Result<void> put_back_owned(const std::string& version, const FieldSet& owned) {
    const auto doing = [&](std::string_view which) {
      return fmt::format("failed add back owned items: failed to convert {} object at version {}: ",
                         which, version);
    };
    FP_TRY_VOID(convert(merged_, version, doing("merged")));
    FP_TRY_VOID(convert(pruned_, version, doing("pruned")));
    const Schema& schema = schema_at(writer_, version);
    FP_TRY(all, fields_of(schema, merged_.object));
    FP_TRY(left, fields_of(schema, pruned_.object));
    const FieldSet kept = unite(left, with_declared_parents(schema, owned));
    FP_TRY(rest, remove_fields(schema, merged_.object, subtract(all, kept)));
    pruned_.object = std::move(rest);
    return {};
  }

  const Writer& writer_;
  std::string own_version_;
  Versioned merged_;
  Versioned pruned_;
};

// `ownership` already has the manager's new statement.
Result<json::Value> prune_abandoned(const Writer& writer, const json::Value& merged,
                                    const Statement& last, const FieldSet& now,
                                    const Ownership& ownership) {
  if (last.fields.empty()) return merged;
  // With one version for all, what is stated again needs no second look.
  const auto same_version = [&](const Owner& owner) {
    return owner.api_version == last.api_version;
  };
  if (std::ranges::all_of(ownership.owners(), same_version) && subtract(last.fields, now).empty()) {
    return merged;
  }
  return Pruning{writer, merged}.run(last, ownership);
}

// An object that exists but belongs to nobody: until now everything was its writers'.
Result<void> claim_unowned(const Writer& writer, json::View live, Ownership& ownership) {
  if (!ownership.empty() || live.is_null()) return {};
  if (const auto errors = shape_errors(*writer.schema, live, Duplicates::Allowed);
      !errors.empty()) {
    return fail(
        ErrorKind::Invalid,
        fmt::format("failed to convert new object ({}) to smd typed: {}", named(live), errors));
  }
  const json::Value nothing = empty_object(*writer.schema);
  return record_update(writer, kBeforeFirstApply, nothing, live, ownership);
}

ApplyOutcome apply_once(const Writer& writer, json::View live, json::View config,
                        Ownership ownership, Force force) {
  if (const auto claimed = claim_unowned(writer, live, ownership); !claimed)
    return refuse(failure("failed to create manager for existing fields", claimed.error()));
  if (auto refusal = refusal_of(writer, live, config)) return refuse(*std::move(refusal));
  const Owner self = identity_of(writer, writer.manager, Operation::Apply);
  const Owner* earlier = ownership.find(self.id());
  // It stays even if the version that the fields were stated in is forgotten.
  const auto stated_at = earlier == nullptr ? std::nullopt : earlier->time;
  if (const auto fresh = refresh(writer, live, ownership); !fresh)
    return refuse(unreasoned(500, fresh.error().message));

  const json::Value before = live.is_null() ? json::Value::empty_object() : json::Value(live);
  const auto merged = merge_objects(*writer.schema, before, config);
  if (!merged) return refuse(failure("failed to merge config", merged.error()));
  const auto stated = stated_fields(*writer.schema, config);
  if (!stated) return refuse(failure("failed to get field set", stated.error()));

  Owner& owner = ownership.at(self);
  if (!owner.time) owner.time = stated_at;
  const Statement last{owner.fields, owner.api_version};
  const FieldSet now = without_reset(writer, *stated);
  owner.own(now);
  owner.api_version = self.api_version;

  auto after = prune_abandoned(writer, *merged, last, now, ownership);
  if (!after) return refuse(failure("failed to prune fields", after.error()));
  const auto changes = changes_between(writer, before, *after, ownership, self.id());
  if (!changes) return refuse(unreasoned(500, changes.error().message));
  if (force == Force::No) {
    if (auto conflicts = conflicts_of(ownership, *changes, self.id()); !conflicts.empty())
      return std::unexpected<Refusal>(std::move(conflicts));
  }
  take_fields(ownership, *changes, self.id());

  if (Owner* mine = ownership.find(self.id())) {
    mine->own(without_server_fields(mine->fields));
    if (*after != before) mine->time = writer.now;
  }
  ownership.drop_empty();
  return Applied{*std::move(after), std::move(ownership)};
}

// What a client-side apply wrote and nobody changed since: kubectl may take it without a conflict.
FieldSet fields_of_last_applied(const Writer& writer, json::View live) {
  const json::View text = live.get("metadata", "annotations", kLastApplied);
  if (text.as_string().empty()) return {};
  if (!shape_errors(*writer.schema, live, Duplicates::Refused).empty()) return {};
  const auto applied = json::parse(text.as_string());
  if (!applied || !applied->is_object()) return {};
  if (applied->get("apiVersion").as_string() != writer.kind.group_version().api_version())
    return {};
  if (!shape_errors(*writer.schema, *applied, Duplicates::Refused).empty()) return {};
  const auto fields = stated_fields(*writer.schema, *applied);
  const auto change = compare_objects(*writer.schema, *applied, live);
  if (!fields || !change) return {};
  return subtract(subtract(subtract(*fields, change->modified), change->added), change->removed);
}

ApplyOutcome apply_resolving(const Writer& writer, json::View live, json::View config,
                             const Ownership& ownership, Force force) {
  ApplyOutcome outcome = apply_once(writer, live, config, ownership, force);
  if (outcome || writer.manager != kKubectl) return outcome;
  const auto* conflicts = std::get_if<Conflicts>(&outcome.error());
  if (conflicts == nullptr) return outcome;
  const FieldSet allowed = fields_of_last_applied(writer, live);
  if (allowed.empty()) return outcome;
  Conflicts rest;
  for (const FieldConflict& conflict : *conflicts)
    if (!allowed.contains(conflict.path)) rest.push_back(conflict);
  if (!rest.empty()) return std::unexpected<Refusal>(std::move(rest));
  return apply_once(writer, live, config, ownership, Force::Yes);
}

std::string conflict_message(const Conflicts& conflicts) {
  if (conflicts.size() == 1)
    return fmt::format("Apply failed with 1 conflict: conflict with {}: {}", conflicts[0].owner,
                       to_string(conflicts[0].path));
  // Conflicts come owner by owner.
  std::string lines;
  std::string_view current;
  for (const FieldConflict& conflict : conflicts) {
    if (conflict.owner != current) {
      lines += fmt::format("{}conflicts with {}:", lines.empty() ? "" : "\n", conflict.owner);
      current = conflict.owner;
    }
    lines += "\n- " + to_string(conflict.path);
  }
  return fmt::format("Apply failed with {} conflicts: {}", conflicts.size(), lines);
}

Status conflict_status(const Conflicts& conflicts) {
  Status status;
  status.code = 409;
  status.reason = "Conflict";
  status.message = conflict_message(conflicts);
  status.details.emplace();
  for (const FieldConflict& conflict : conflicts)
    status.details->causes.push_back(StatusCause{
        "FieldManagerConflict", "conflict with " + conflict.owner, to_string(conflict.path)});
  return status;
}

std::size_t annotation_bytes(const json::Draft& annotations) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations.members())
    bytes += key.size() + value.as_string().size();
  return bytes;
}

// Keeps the annotation of client-side apply in step, so that one may go back to it.
void refresh_last_applied(json::View config, json::Draft& object) {
  json::Draft* annotations = object.find("metadata", "annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  const json::Draft* old = annotations->find(kLastApplied);
  if (old == nullptr || old->as_string().empty()) return;
  json::Draft bare = json::Draft(config);
  if (json::Draft* sent = bare.find("metadata", "annotations")) sent->erase(kLastApplied);
  const json::Value applied = bare.freeze();
  (*annotations)[kLastApplied] = json::Draft(json::to_text(applied) + "\n");
  if (annotation_bytes(*annotations) > kAnnotationBytesMax) annotations->erase(kLastApplied);
}

}  // namespace

Answer<json::Value> apply(const Writer& writer, json::View live, json::View config, Force force) {
  FP_CHECK(writer.schema != nullptr);
  if (const GroupVersionKind kind = stated_kind(config); kind != writer.kind)
    return std::unexpected(bad_request("invalid object type: " + kind.to_string()));
  const auto ownership = decode_ownership(live.get("metadata", "managedFields"), Source::Stored);
  if (!ownership)
    return std::unexpected(failure("failed to decode managed fields", ownership.error()));
  ApplyOutcome outcome = apply_resolving(writer, live, config, *ownership, force);
  if (!outcome) {
    if (const auto* conflicts = std::get_if<Conflicts>(&outcome.error()))
      return std::unexpected(conflict_status(*conflicts));
    return std::unexpected(std::get<Status>(std::move(outcome.error())));
  }
  json::Draft object(std::move(outcome->object));
  set_managed_fields(object, outcome->ownership);
  if (writer.manager == kKubectl) refresh_last_applied(config, object);
  return object.freeze();
}

}  // namespace fixpoint::kube
