// SPDX-License-Identifier: Apache-2.0
//
// PATCH: JSON, merge and strategic patches onto the current object, and server-side apply.
#include "apiserver/decode.h"
#include "apiserver/media_type.h"
#include "apiserver/patched.h"
#include "apiserver/write.h"
#include "json/merge_patch.h"
#include "kube/metadata.h"

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

kube::Status unsupported(const Resource& resource) {
  std::string types = "application/json-patch+json, application/merge-patch+json, ";
  if (resource.builtin != nullptr) types += "application/strategic-merge-patch+json, ";
  types += "application/apply-patch+yaml";
  return kube::unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: " + types);
}

kube::Status unknown_media_type() {
  auto status = kube::unsupported_media_type("415: Unsupported Media Type");
  status.details.emplace();
  return status;
}

Answer<Written> try_patch(WriteCall& call) {
  if (media_type(call.request.content_type) == MediaType::StrategicPatch &&
      call.resource.builtin == nullptr &&
      call.environment.weakness != Weakness::AllowsStrategicPatchOfCustom) {
    return std::unexpected(unsupported(call.resource));
  }
  const auto current = call.store.latest().find(call.key());
  if (!current) {
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  const json::Value live = in_version(call.resource, current->body);
  auto patched = patched_object(call, live);
  if (!patched) return std::unexpected(patched.error());

  json::Draft object{*patched};
  if (auto ok = check_name(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_patched_type(call, *patched); !ok) return std::unexpected(ok.error());
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_preconditions(call, live, object); !ok) return std::unexpected(ok.error());
  dedup_owners(call, object);
  if (auto ok = track(call, live, object); !ok) return std::unexpected(ok.error());
  return finish_update(call, current, std::move(object));
}

// --- server-side apply ---

Answer<json::Value> parse_apply(const WriteCall& call, std::vector<std::string>& duplicates) {
  auto parsed = parse_yaml_body(call.request.body);
  if (!parsed) {
    return std::unexpected(kube::bad_request(
        "error decoding YAML: error converting YAML to JSON: " + parsed.error().message));
  }
  if (!parsed->duplicates.empty() && call.options.validation == FieldValidation::Strict) {
    return std::unexpected(
        kube::bad_request("error strict decoding YAML: error converting YAML to JSON: " +
                          parsed->duplicates.front()));
  }
  duplicates = std::move(parsed->duplicates);
  return std::move(parsed->value);
}

Answer<void> check_apply_type(const WriteCall& call, json::View config) {
  const auto gvk = kube::gvk_of(config);
  if (gvk.group == call.resource.kind.group && gvk.kind == call.resource.kind.kind &&
      gvk.version == call.resource.kind.version) {
    return {};
  }
  return std::unexpected(kube::bad_request("invalid object type: " + gvk.group + "/" + gvk.version +
                                           ", Kind=" + gvk.kind));
}

Answer<void> check_apply_uid(const WriteCall& call, json::View config,
                             const store::RecordRef& current) {
  const auto uid = kube::uid_of(config);
  if (uid.empty() || current) return {};
  if (call.environment.weakness == Weakness::ApplyIgnoresUidOfAbsent) return {};
  return std::unexpected(kube::conflict(call.resource.group_resource(), call.request.name,
                                        "uid mismatch: the provided object specified uid " +
                                            std::string{uid} +
                                            ", and no existing object was found"));
}

Answer<Written> create_by_apply(WriteCall& call, const json::Value& merged) {
  auto normal = normalise(call.resource, merged, call.environment.weakness);
  if (!normal) return std::unexpected(kube::unreasoned(500, normal.error().message));
  json::Draft object{with_defaults(call.resource, normal->object, call.environment.weakness)};
  object.object_at("metadata").erase("resourceVersion");
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  return finish_create(call, std::move(object));
}

kube::Force force_of(const WriteCall& call) {
  switch (call.environment.weakness) {
    case Weakness::ApplyNeverConflicts: return kube::Force::Yes;
    case Weakness::IgnoresForce: return kube::Force::No;
    default: return call.options.force ? kube::Force::Yes : kube::Force::No;
  }
}

Answer<Written> try_apply(WriteCall& call) {
  std::vector<std::string> duplicates;
  auto config = parse_apply(call, duplicates);
  if (!config) return std::unexpected(config.error());
  if (call.options.validation == FieldValidation::Warn) call.warnings = std::move(duplicates);
  if (auto ok = check_apply_type(call, *config); !ok) return std::unexpected(ok.error());
  const json::Draft body{*config};
  // An apply to an object that exists may leave its name out.
  if (!kube::name_of(*config).empty() || !call.store.latest().find(call.key())) {
    if (auto ok = check_name(call, body); !ok) return std::unexpected(ok.error());
  }
  const auto ns = kube::namespace_of(*config);
  if (!ns.empty() && ns != call.request.ns) {
    return std::unexpected(kube::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  const auto current = call.store.latest().find(call.key());
  if (auto ok = check_apply_uid(call, *config, current); !ok) return std::unexpected(ok.error());
  if (!current && (!call.request.subresource.empty() ||
                   call.environment.weakness == Weakness::ApplyDoesNotCreate)) {
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  const json::Value live = current ? in_version(call.resource, current->body) : json::Value{};
  if (current) {
    if (auto ok = check_preconditions(call, live, body);
        !ok && !kube::resource_version_of(*config).empty()) {
      return std::unexpected(ok.error());
    }
  }
  auto merged = kube::apply(call.writer(), live, *config, force_of(call));
  if (!merged) return std::unexpected(merged.error());
  if (call.environment.weakness == Weakness::ApplyKeepsOmittedFields && current) {
    json::Draft kept{json::apply_merge_patch(live, *config)};
    kept.object_at("metadata")["managedFields"] = merged->get("metadata", "managedFields");
    merged = kept.freeze();
  }
  if (!current) return create_by_apply(call, *merged);

  auto normal = normalise(call.resource, *merged, call.environment.weakness);
  if (!normal) return std::unexpected(kube::unreasoned(500, normal.error().message));
  json::Draft object{with_defaults(call.resource, normal->object, call.environment.weakness)};
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  return finish_update(call, current, std::move(object));
}

Answer<Written> dispatch_patch(WriteCall& call) {
  const auto type = media_type(call.request.content_type);
  if (type == MediaType::Json || type == MediaType::Yaml || type == MediaType::Protobuf ||
      type == MediaType::Other) {
    return std::unexpected(unknown_media_type());
  }
  auto options = parse_write_options(call.request, "PatchOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);
  return type == MediaType::ApplyPatch ? try_apply(call) : try_patch(call);
}

}  // namespace

Response patch(WriteCall call) {
  auto written = dispatch_patch(call);
  return answer_to(call, std::move(written));
}

}  // namespace fixpoint::apiserver
