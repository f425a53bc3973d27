// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply: the configuration is the manager's whole intent. It is merged over the live
// object; what the manager stated last time and no longer states goes, unless someone else owns it;
// what others own is not changed without force.
#include "json/parse.h"
#include "json/print.h"
#include "kube/managed_fields_core.h"

#include <variant>

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

constexpr std::string_view kKubectl = "kubectl";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
// Kubernetes' bound on all annotations of an object.
constexpr std::size_t kAnnotationBytesMax = std::size_t{256} << 10U;

using Conflicts = std::vector<FieldConflict>;
using Refusal = std::variant<Status, Conflicts>;

struct Applied {
  json::Value object;
  Ownership ownership;
};

using Outcome = std::expected<Applied, Refusal>;

std::unexpected<Refusal> refuse(Status status) {
  return std::unexpected<Refusal>(std::move(status));
}

GroupVersionKind kind_of(json::View object) {
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
                     metadata.get("name").as_string(), kind_of(object).to_string());
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

FieldSet everything_owned(const Ownership& ownership) {
  FieldSet all;
  for (const Owner& owner : ownership.owners()) all = unite(all, owner.fields);
  return all;
}

// `merged` without what the manager stated last time, no longer states, and nobody else owns.
// `ownership` already has the manager's new statement.
Result<json::Value> prune(const Schema& schema, const json::Value& merged, const FieldSet& last,
                          const FieldSet& now, const Ownership& ownership) {
  if (subtract(last, now).empty()) return merged;
  FP_TRY(merged_fields, stated_fields(schema, merged));
  const FieldSet all = with_declared_parents(schema, merged_fields);
  const FieldSet stated_last = with_declared_parents(schema, last);
  const auto fields_of = [&](const json::Value& object) -> Result<FieldSet> {
    FP_TRY(fields, stated_fields(schema, object));
    return with_declared_parents(schema, fields);
  };

  // Take out all that was stated last time, with everything inside list items and maps …
  FP_TRY(bare, remove_fields(schema, merged, stated_last));
  FP_TRY(bare_fields, fields_of(bare));
  // … put back what has an owner …
  const FieldSet owned = with_declared_parents(schema, everything_owned(ownership));
  FP_TRY(pruned, remove_fields(schema, merged, subtract(all, unite(bare_fields, owned))));
  FP_TRY(pruned_fields, fields_of(pruned));
  // … and what was inside but never stated.
  return remove_fields(schema, merged, intersect(subtract(all, pruned_fields), stated_last));
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

Outcome apply_once(const Writer& writer, json::View live, json::View config, Ownership ownership,
                   Force force) {
  if (const auto claimed = claim_unowned(writer, live, ownership); !claimed)
    return refuse(failure("failed to create manager for existing fields", claimed.error()));
  if (auto refusal = refusal_of(writer, live, config)) return refuse(*std::move(refusal));
  refresh(writer, ownership);

  const json::Value before = live.is_null() ? json::Value::empty_object() : json::Value(live);
  const auto merged = merge_objects(*writer.schema, before, config);
  if (!merged) return refuse(failure("failed to merge config", merged.error()));
  const auto stated = stated_fields(*writer.schema, config);
  if (!stated) return refuse(failure("failed to get field set", stated.error()));

  const Owner self = identity_of(writer, writer.manager, Operation::Apply);
  Owner& owner = ownership.at(self);
  const FieldSet last = owner.fields;
  const std::string last_version = owner.api_version;
  const FieldSet now = without_reset(writer, *stated);
  owner.own(now);
  owner.api_version = self.api_version;

  if (const auto errors =
          shape_errors(schema_at(writer, last_version), *merged, Duplicates::Allowed);
      !last.empty() && !errors.empty()) {
    return refuse(unreasoned(
        500, "failed to prune fields: failed to convert merged object to last applied version: " +
                 errors));
  }
  auto after = prune(*writer.schema, *merged, last, now, ownership);
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

Outcome apply_resolving(const Writer& writer, json::View live, json::View config,
                        const Ownership& ownership, Force force) {
  Outcome outcome = apply_once(writer, live, config, ownership, force);
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
  if (const GroupVersionKind kind = kind_of(config); kind != writer.kind)
    return std::unexpected(bad_request("invalid object type: " + kind.to_string()));
  const auto ownership = decode_ownership(live.get("metadata", "managedFields"), Source::Stored);
  if (!ownership)
    return std::unexpected(failure("failed to decode managed fields", ownership.error()));
  Outcome outcome = apply_resolving(writer, live, config, *ownership, force);
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
