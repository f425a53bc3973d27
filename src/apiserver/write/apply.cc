// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/apply.h"

#include "apiserver/body/decode.h"
#include "json/patch/merge_patch.h"
#include "kube/meta/metadata.h"
#include "kube/typed/convert.h"

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

Answer<void> check_uid_of_absent(const WriteCall& call, json::View merged) {
  const auto uid = kube::uid_of(merged);
  if (uid.empty() || call.environment.weakness == Weakness::ApplyIgnoresUidOfAbsent) return {};
  return std::unexpected(kube::conflict(call.resource.group_resource(), call.request.name,
                                        "uid mismatch: the provided object specified uid " +
                                            std::string{uid} +
                                            ", and no existing object was found"));
}

// "ns/name; apps/v1, Kind=Deployment"
std::string named(json::View config) {
  return std::string{kube::namespace_of(config)} + "/" + std::string{kube::name_of(config)} + "; " +
         kube::gvk_of(config).to_string();
}

// The merged tree as an object of its kind. A custom resource is not pruned here, and keeps the
// nulls that were applied: validation refuses them.
Answer<json::Value> converted(const WriteCall& call, json::View config, const json::Value& merged) {
  const auto& resource = call.resource;
  const auto weakness = call.environment.weakness;
  if (resource.builtin == nullptr) return with_defaults(resource, merged, weakness);
  const auto refuse = [&](const std::string& why) {
    return std::unexpected(
        kube::unreasoned(500, "failed to convert new object (" + named(config) +
                                  ") to proper version: unable to convert unstructured object to " +
                                  kube::gvk_of(config).to_string() + ": " + why));
  };
  auto tree = kube::convert_tree(*resource.schema, merged);
  if (!tree) return refuse(tree.error().message);
  auto normal = normalise(resource, tree->object.freeze(), weakness);
  if (!normal) return refuse(normal.error().message);
  return with_defaults(resource, normal->object, weakness);
}

// Whether an apply changed anything but who owns what, and the note that kubectl keeps of it.
bool says_nothing_new(json::View live, json::View merged) {
  const auto bare = [](json::View object) {
    json::Draft draft{object};
    auto& metadata = draft.object_at("metadata");
    metadata.erase("managedFields");
    if (json::Draft* annotations = metadata.find("annotations");
        annotations != nullptr && annotations->is_object()) {
      annotations->erase("kubectl.kubernetes.io/last-applied-configuration");
    }
    return draft;
  };
  return live.is_object() && bare(live) == bare(merged);
}

json::Value keep_omitted(const json::Value& live, json::View config, json::View merged) {
  json::Draft kept{json::apply_merge_patch(live, config)};
  kept.object_at("metadata")["managedFields"] = merged.get("metadata", "managedFields");
  return kept.freeze();
}

}  // namespace

Answer<ApplyBody> parse_apply_body(const WriteCall& call) {
  auto parsed = parse_yaml_body(call.request.body);
  if (!parsed) {
    return std::unexpected(kube::bad_request(
        "error decoding YAML: error converting YAML to JSON: " + parsed.error().message));
  }
  const json::View config = parsed->value;
  if (!config.is_object() && !config.is_null()) {
    const auto type = config.is_bool()     ? "bool"
                      : config.is_number() ? "number"
                                           : json::to_string(config.type());
    return std::unexpected(kube::bad_request(
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
        "unmarshal " +
        std::string{type} + " into Go value of type map[string]interface {}"));
  }
  return ApplyBody{.config = config.is_null() ? json::Value::empty_object() : parsed->value,
                   .duplicates = std::move(parsed->duplicates)};
}

Answer<void> tell_duplicates(WriteCall& call, ApplyBody body) {
  if (body.duplicates.empty()) return {};
  if (call.options.validation == FieldValidation::Strict) {
    return std::unexpected(kube::bad_request(
        "error strict decoding YAML: error converting YAML to JSON: " + body.duplicates.front()));
  }
  if (call.options.validation == FieldValidation::Warn) {
    add_warnings(std::move(body.duplicates), call.warnings);
  }
  return {};
}

kube::Force force_of(const WriteCall& call) {
  switch (call.environment.weakness) {
    case Weakness::ApplyNeverConflicts: return kube::Force::Yes;
    case Weakness::IgnoresForce: return kube::Force::No;
    default: return call.options.force ? kube::Force::Yes : kube::Force::No;
  }
}

Answer<Written> try_apply(WriteCall& call) {
  const auto current = call.store.latest().find(call.key());
  const bool creates = call.request.subresource.empty() || creates_when_absent(call);
  if (!current && (!creates || call.environment.weakness == Weakness::ApplyDoesNotCreate)) {
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  auto body = parse_apply_body(call);
  if (!body) return std::unexpected(body.error());
  const json::Value config = body->config;
  const json::Value live = current ? in_version(call.resource, current->body) : json::Value{};
  auto merged = kube::apply(call.writer(), live, config, force_of(call));
  if (!merged) return std::unexpected(merged.error());
  if (call.environment.weakness == Weakness::ApplyKeepsOmittedFields && current) {
    merged = keep_omitted(live, config, *merged);
  }
  // What stays as it is gets no defaults either: a version may have some that the stored one lacks.
  auto wanted = says_nothing_new(live, *merged) ? *merged : converted(call, config, *merged);
  if (!wanted) return std::unexpected(wanted.error());
  if (auto ok = tell_duplicates(call, *std::move(body)); !ok) return std::unexpected(ok.error());

  json::Draft object{*wanted};
  if (!current) {
    if (auto ok = check_uid_of_absent(call, *wanted); !ok) return std::unexpected(ok.error());
  }
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_name(call, object); !ok) return std::unexpected(ok.error());
  if (!current) {
    if (auto version = version_in(object); !version) return std::unexpected(version.error());
    return finish_create(call, std::move(object));
  }
  // Who names a version, even none, means it.
  if (config.get("metadata").contains("resourceVersion")) {
    if (auto ok = check_preconditions(call, live, object); !ok) return std::unexpected(ok.error());
  }
  call.given = *merged;
  return finish_update(call, current, std::move(object));
}

}  // namespace fixpoint::apiserver
