// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/scale.h"

#include "apiserver/body/decode.h"
#include "apiserver/body/media_type.h"
#include "apiserver/write/apply.h"
#include "apiserver/write/patched.h"
#include "kinds/schema_table.h"
#include "kube/meta/metadata.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"
#include "kube/ownership/scale_fields.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <limits>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

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

bool has_replicas(const Resource& resource, json::View object) {
  return resource.builtin != nullptr ||
         !at(object, steps_of(paths_of(resource).spec_replicas)).is_null();
}

json::Value shown_scale(const Resource& resource, json::View object) {
  const auto paths = paths_of(resource);
  const json::View replicas = at(object, steps_of(paths.spec_replicas));
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

// The Scale of a resource's objects as a resource: what decodes and patches any other kind does so
// here too.
Resource as_scale(const Resource& parent) {
  static const kinds::Kind kKind = [] {
    kinds::Kind kind;
    kind.gvk = {"autoscaling", "v1", "Scale"};
    kind.schema = [] { return kinds::schema_of("autoscaling.v1.Scale"); };
    return kind;
  }();
  Resource scale = parent;
  scale.kind = kKind.gvk;
  scale.builtin = &kKind;
  scale.custom = {};
  scale.schema = kKind.schema();
  scale.has_status = false;
  scale.tracks_generation = false;
  return scale;
}

// Built-in kinds look at a Scale themselves, a custom one's schema looks at the number later.
Answer<void> validate_scale(const WriteCall& call, json::View live, json::View scale) {
  if (call.resource.builtin == nullptr) return {};
  auto errors = kube::validate_object_meta(scale, kube::name_is_dns_subdomain,
                                           kube::Scope::Namespaced, kube::FieldPath{"metadata"});
  if (const auto replicas = scale.get("spec", "replicas"); replicas.as_int() < 0) {
    errors.push_back(kube::invalid(kube::FieldPath{"spec"}.child("replicas"), replicas,
                                   "must be greater than or equal to 0"));
  }
  if (!errors.empty()) {
    return std::unexpected(kube::invalid({"autoscaling", "Scale"}, call.request.name, errors));
  }
  const auto uid = kube::uid_of(scale);
  if (uid.empty() || uid == kube::uid_of(live)) return {};
  auto resource = call.resource.group_resource();
  resource.resource += "/scale";
  return std::unexpected(
      kube::conflict(resource, call.request.name,
                     "Precondition failed: UID in precondition: " + std::string{uid} +
                         ", UID in object meta: " + std::string{kube::uid_of(live)}));
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

// What a custom resource says of replicas that it does not have; no client can mean it.
constexpr std::int64_t kNoReplicas = std::numeric_limits<std::int32_t>::min();

// The Scale of `live` with its share of the owners.
Answer<json::Value> live_scale(const Resource& resource, json::View live,
                               const kube::ReplicasPaths& paths) {
  auto owners = kube::scale_managed_fields(live.get("metadata", "managedFields"), paths);
  if (!owners) return std::unexpected(owners.error());
  json::Draft scale{shown_scale(resource, live)};
  if (!has_replicas(resource, live)) scale.object_at("spec")["replicas"] = kNoReplicas;
  if (!owners->empty()) scale.object_at("metadata")["managedFields"] = *std::move(owners);
  return scale.freeze();
}

kube::Writer scale_writer(const WriteCall& call) {
  auto writer = call.writer();
  writer.schema = kinds::schema_of("autoscaling.v1.Scale");
  writer.kind = {"autoscaling", "v1", "Scale"};
  writer.reset_fields.clear();
  writer.api_versions.clear();
  return writer;
}

// Kubernetes cannot convert the result of an apply back to the Scale of a custom resource.
kube::Status inconvertible(std::string_view doing, std::string_view object) {
  return kube::unreasoned(
      500, std::string{doing} + " (" + std::string{object} +
               "; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an "
               "invalid group/version: autoscaling/v1");
}

Answer<json::Value> applied_scale(WriteCall& scale_call, const WriteCall& call,
                                  const json::Value& live) {
  auto body = parse_apply_body(call);
  if (!body) return std::unexpected(body.error());
  const json::Value config = body->config;
  const bool owned = !live.get("metadata", "managedFields").empty();
  const bool custom = call.resource.builtin == nullptr;
  if (custom && !owned && kube::gvk_of(config) == scale_writer(call).kind) {
    return std::unexpected(inconvertible(
        "failed to create manager for existing fields: failed to convert live object", "/"));
  }
  auto merged = kube::apply(scale_writer(call), live, config, force_of(call));
  if (!merged) return merged;
  if (auto ok = tell_duplicates(scale_call, *std::move(body)); !ok)
    return std::unexpected(ok.error());
  if (!custom) return merged;
  json::Draft bare{*merged};
  json::Draft before{live};
  bare.object_at("metadata").erase("managedFields");
  before.object_at("metadata").erase("managedFields");
  if (bare == before) return merged;
  return std::unexpected(inconvertible(
      "failed to convert new object",
      std::string{kube::namespace_of(config)} + "/" + std::string{kube::name_of(config)}));
}

// A custom resource's routes do not know the type of the Scale that they could not read.
kube::Status undecodable_scale(const WriteCall& call, kube::Status status) {
  const bool read = status.code != 400 || status.message.starts_with("strict decoding error") ||
                    status.message.starts_with("the API version in the data");
  if (call.resource.builtin != nullptr || read) return status;
  return kube::bad_request(
      "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:110\"");
}

// What the client wants the Scale to be, with the owners of its fields.
Answer<json::Value> wanted_scale(WriteCall& scale_call, const WriteCall& call,
                                 const json::Value& live) {
  if (call.request.verb == Verb::Patch &&
      media_type(call.request.content_type) == MediaType::ApplyPatch) {
    return applied_scale(scale_call, call, live);
  }
  const bool is_patch = call.request.verb == Verb::Patch;
  auto given = is_patch ? patched_object(scale_call, live)
                        : decode_body(scale_call.resource, call.request, call.options.validation,
                                      call.environment.weakness, scale_call.warnings);
  if (!given) {
    return std::unexpected(is_patch ? given.error() : undecodable_scale(call, given.error()));
  }
  json::Draft scale{*given};
  if (auto ok = adopt_namespace(call, scale); !ok) return std::unexpected(ok.error());
  if (auto ok = kube::track_update(scale_writer(call), live, scale); !ok) {
    return std::unexpected(ok.error());
  }
  return scale.freeze();
}

Answer<void> check_scale(const WriteCall& call, json::View live, const json::Value& scale) {
  const json::Draft wanted{scale};
  if (auto ok = check_name(call, wanted); !ok) return ok;
  // The storage layer holds the uid of a PUT against the object's, the scale itself that of a
  // patch.
  if (call.request.verb != Verb::Patch) {
    if (auto ok = check_uid(call, live, wanted); !ok) return ok;
  }
  if (auto ok = validate_scale(call, live, scale); !ok) return ok;
  if (kube::resource_version_of(scale).empty()) return {};
  return check_preconditions(call, live, wanted);
}

Answer<json::Value> try_write_scale(WriteCall& call) {
  const bool is_patch = call.request.verb == Verb::Patch;
  if (is_patch) {
    if (auto ok = check_patch_media(call); !ok) return std::unexpected(ok.error());
  }
  auto options = parse_write_options(call.request, is_patch ? "PatchOptions" : "UpdateOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);

  const auto current = call.store.latest().find(call.key());
  const auto resource = as_scale(call.resource);
  if (!current) {
    // A body that says nothing is found out before that nothing is there.
    if (!is_patch) {
      auto body = decode_body(resource, call.request, call.options.validation,
                              call.environment.weakness, call.warnings);
      if (!body) return std::unexpected(undecodable_scale(call, body.error()));
    }
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  const json::Value live = in_version(call.resource, current->body);
  const auto paths = replicas_paths(call.resource);
  auto before = live_scale(call.resource, live, paths);
  if (!before) return before;
  WriteCall scale_call{call.request, resource,         call.kinds,       call.holdings,
                       call.store,   call.environment, call.certificates};
  scale_call.options = call.options;
  auto scale = wanted_scale(scale_call, call, *before);
  call.warnings = std::move(scale_call.warnings);
  if (!scale) return scale;
  if (auto ok = check_scale(call, live, *scale); !ok) return std::unexpected(ok.error());

  const auto replicas = scale->get("spec", "replicas").as_int();
  const auto& path = paths_of(call.resource).spec_replicas;
  if (call.resource.builtin == nullptr && replicas == kNoReplicas) {
    return std::unexpected(
        kube::bad_request("the spec replicas field \"" + path + "\" cannot be empty"));
  }
  json::Draft object{live};
  const auto steps = steps_of(path);
  json::Draft* parent = &object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) parent = &parent->object_at(steps[i]);
  (*parent)[steps.back()] = replicas;
  auto owners = kube::parent_managed_fields(live.get("metadata", "managedFields"),
                                            scale->get("metadata", "managedFields"),
                                            call.resource.kind.group_version(), paths);
  if (!owners) return std::unexpected(owners.error());
  if (owners->empty()) {
    object.object_at("metadata").erase("managedFields");
  } else {
    object.object_at("metadata")["managedFields"] = *std::move(owners);
  }
  auto written = finish_update(call, current, std::move(object));
  if (!written) return std::unexpected(written.error());
  return shown_scale(call.resource, written->object);
}

}  // namespace

Answer<json::Value> scale_of(const Resource& resource, json::View object) {
  if (!has_replicas(resource, object)) {
    return std::unexpected(kube::internal_error(
        "the spec replicas field \"" + paths_of(resource).spec_replicas + "\" does not exist"));
  }
  return shown_scale(resource, object);
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
  if (!written) return failure(written.error(), std::move(call.warnings));
  Response response;
  response.body = *std::move(written);
  response.warnings = std::move(call.warnings);
  response.visible = call.store.revision();
  return response;
}

}  // namespace fixpoint::apiserver
