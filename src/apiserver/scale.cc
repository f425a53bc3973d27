// SPDX-License-Identifier: Apache-2.0
#include "apiserver/scale.h"

#include "apiserver/decode.h"
#include "apiserver/media_type.h"
#include "json/merge_patch.h"
#include "json/parse.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "kinds/schema_table.h"
#include "kube/label_selector.h"
#include "kube/metadata.h"
#include "kube/scale_fields.h"
#include "kube/typed.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

constexpr std::int64_t kReplicasMax = 2147483647;

// ".spec.replicas" as steps.
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('.'), path.size());
    steps.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return steps;
}

json::View at(json::View object, const std::vector<std::string>& steps) {
  for (const auto& step : steps) object = object.get(step);
  return object;
}

kube::ScalePaths paths_of(const Resource& resource) {
  if (const auto* version = resource.custom_version()) return *version->scale;
  return {.spec_replicas = ".spec.replicas",
          .status_replicas = ".status.replicas",
          .label_selector = {}};
}

std::string selector_text(const Resource& resource, json::View object,
                          const kube::ScalePaths& paths) {
  if (resource.builtin == nullptr) {
    if (paths.label_selector.empty()) return {};
    return std::string{at(object, steps_of(paths.label_selector)).as_string()};
  }
  const json::View selector = object.get("spec", "selector");
  if (resource.kind.kind == "ReplicationController") {
    return kube::LabelSelector::from_labels(selector).to_string();
  }
  auto parsed = kube::LabelSelector::from_object(selector);
  return parsed ? parsed->to_string() : std::string{};
}

Answer<json::Value> decode_scale(WriteCall& call) {
  auto body = parse_unchecked(call.request, {"autoscaling", "v1", "Scale"});
  if (!body) return std::unexpected(kube::bad_request(body.error().message));
  return *std::move(body);
}

Answer<json::Value> patched_scale(const WriteCall& call, const json::Value& scale) {
  const auto type = media_type(call.request.content_type);
  if (type != MediaType::JsonPatch && type != MediaType::MergePatch &&
      type != MediaType::StrategicPatch && type != MediaType::ApplyPatch) {
    auto status = kube::unsupported_media_type("415: Unsupported Media Type");
    status.details.emplace();
    return std::unexpected(std::move(status));
  }
  auto patch = media_type(call.request.content_type) == MediaType::ApplyPatch
                   ? json::parse_yaml(call.request.body)
                   : json::parse(call.request.body);
  if (!patch) {
    return std::unexpected(kube::bad_request("error decoding patch: " + patch.error().message));
  }
  if (media_type(call.request.content_type) == MediaType::JsonPatch) {
    auto patched = json::apply_patch(scale, *patch);
    if (!patched) return std::unexpected(kube::bad_request(patched.error().message));
    return *std::move(patched);
  }
  return json::apply_merge_patch(scale, *patch);
}

// A value of the wrong type must not read as zero replicas.
Answer<json::Value> typed_scale(const json::Value& scale) {
  if (!scale.is_object()) return std::unexpected(kube::bad_request("a Scale is an object"));
  auto typed = kube::decode_typed(*kinds::schema_of("autoscaling.v1.Scale"), scale);
  if (!typed) return std::unexpected(kube::bad_request(typed.error().message));
  return std::move(typed->value);
}

kube::FieldErrors validate_scale(json::View scale) {
  const auto replicas = scale.get("spec", "replicas").as_int();
  if (replicas >= 0) return {};
  return {kube::invalid(kube::FieldPath{"spec"}.child("replicas"), scale.get("spec", "replicas"),
                        "must be greater than or equal to 0")};
}

kube::ReplicasPaths replicas_paths(const Resource& resource) {
  kube::ReplicasPaths paths;
  if (!resource.custom) {
    paths[resource.kind.group_version().api_version()] = {"spec", "replicas"};
    return paths;
  }
  for (const auto& version : resource.custom->facts.versions) {
    const kube::GroupVersion served{resource.kind.group, version.name};
    paths[served.api_version()] =
        version.scale ? steps_of(version.scale->spec_replicas) : std::vector<std::string>{};
  }
  return paths;
}

// Who owns the replicas is decided on the Scale, then written into the object behind it.
Answer<void> own_replicas(const WriteCall& call, json::View live, std::int64_t replicas,
                          json::Draft& object) {
  const auto paths = replicas_paths(call.resource);
  const json::View owners = live.get("metadata", "managedFields");
  auto scale_owners = kube::scale_managed_fields(owners, paths);
  if (!scale_owners) return std::unexpected(scale_owners.error());

  auto before = scale_of(call.resource, live);
  json::Draft scale{before ? *before : json::Value::empty_object()};
  scale.object_at("metadata")["managedFields"] = *scale_owners;
  const json::Value live_scale = scale.freeze();
  scale.object_at("spec")["replicas"] = replicas;
  auto writer = call.writer();
  writer.schema = kinds::schema_of("autoscaling.v1.Scale");
  writer.kind = {"autoscaling", "v1", "Scale"};
  writer.reset_fields.clear();
  writer.api_versions.clear();
  if (auto ok = kube::track_update(writer, live_scale, scale); !ok) return ok;

  const json::Value tracked = scale.freeze();
  auto parent = kube::parent_managed_fields(owners, tracked.get("metadata", "managedFields"),
                                            call.resource.kind.group_version(), paths);
  if (!parent) return std::unexpected(parent.error());
  object.object_at("metadata")["managedFields"] = *std::move(parent);
  return {};
}

Answer<json::Value> try_write_scale(WriteCall& call) {
  const bool is_patch = call.request.verb == Verb::Patch;
  auto options = parse_write_options(call.request, is_patch ? "PatchOptions" : "UpdateOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);

  const auto current = call.store.latest().find(call.key());
  if (!current) {
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  const json::Value live = in_version(call.resource, current->body);
  auto old_scale = scale_of(call.resource, live);
  // kubectl scale works on a custom resource whose field is still absent.
  const json::Value base = old_scale ? *old_scale : json::Value::empty_object();
  auto given = is_patch ? patched_scale(call, base) : decode_scale(call);
  if (!given) return std::unexpected(given.error());
  auto scale = typed_scale(*given);
  if (!scale) return std::unexpected(scale.error());

  const json::Draft wanted{*scale};
  if (!is_patch) {
    if (auto ok = check_name(call, wanted); !ok) return std::unexpected(ok.error());
  }
  if (auto ok = check_preconditions(call, live, wanted);
      !ok && !kube::resource_version_of(*scale).empty()) {
    return std::unexpected(ok.error());
  }
  if (const auto errors = validate_scale(*scale); !errors.empty()) {
    return std::unexpected(kube::invalid({"autoscaling", "Scale"}, call.request.name, errors));
  }
  json::Draft object{live};
  const auto steps = steps_of(paths_of(call.resource).spec_replicas);
  json::Draft* parent = &object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) parent = &parent->object_at(steps[i]);
  const auto replicas = std::min(scale->get("spec", "replicas").as_int(), kReplicasMax);
  (*parent)[steps.back()] = replicas;
  if (auto ok = own_replicas(call, live, replicas, object); !ok) {
    return std::unexpected(ok.error());
  }
  auto written = finish_update(call, current, std::move(object));
  if (!written) return std::unexpected(written.error());
  return scale_of(call.resource, written->object);
}

}  // namespace

Answer<json::Value> scale_of(const Resource& resource, json::View object) {
  const auto paths = paths_of(resource);
  const json::View replicas = at(object, steps_of(paths.spec_replicas));
  if (replicas.is_null() && resource.builtin == nullptr) {
    return std::unexpected(kube::internal_error("the spec replicas field \"" + paths.spec_replicas +
                                                "\" does not exist"));
  }
  const json::View old = object.get("metadata");
  json::Draft metadata = json::Draft::object();
  for (const auto key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const auto value = old.find(key)) metadata[key] = json::Draft{*value};
  }
  json::Draft spec = json::Draft::object();
  if (replicas.as_int() != 0) spec["replicas"] = replicas.as_int();
  json::Draft status = json::Draft::object();
  status["replicas"] = at(object, steps_of(paths.status_replicas)).as_int();
  if (const auto selector = selector_text(resource, object, paths); !selector.empty()) {
    status["selector"] = selector;
  }
  return json::Draft::object({
                                 {"kind",       "Scale"            },
                                 {"apiVersion", "autoscaling/v1"   },
                                 {"metadata",   std::move(metadata)},
                                 {"spec",       std::move(spec)    },
                                 {"status",     std::move(status)  }
  })
      .freeze();
}

Response get_scale(const Request& request, const Resource& resource, const store::Store& store) {
  const auto record = store.latest().find(resource.key(request.ns, request.name));
  if (!record) return failure(kube::not_found(resource.group_resource(), request.name));
  const json::Value object = in_version(resource, record->body);
  auto scale = scale_of(resource, object);
  if (!scale) return failure(scale.error());
  Response response;
  response.body = *std::move(scale);
  response.visible = record->modified;
  return response;
}

Response write_scale(WriteCall call) {
  auto written = try_write_scale(call);
  if (!written) return failure(written.error());
  Response response;
  response.body = *std::move(written);
  response.warnings = std::move(call.warnings);
  response.visible = call.store.revision();
  return response;
}

}  // namespace fixpoint::apiserver
