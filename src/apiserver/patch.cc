// SPDX-License-Identifier: Apache-2.0
//
// PATCH: JSON, merge and strategic patches onto the current object, and server-side apply.
#include "json/patch.h"

#include "apiserver/decode.h"
#include "apiserver/media_type.h"
#include "apiserver/write.h"
#include "json/merge_patch.h"
#include "json/parse.h"
#include "json/print.h"
#include "kube/metadata.h"
#include "kube/strategic_merge.h"

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

// A patch that is well-formed but does not apply, or whose result is no object of the kind.
kube::Status rejected(std::string shown_value, std::string why) {
  return kube::invalid(
      {}, "", {kube::invalid(kube::FieldPath{"patch"}, std::move(shown_value), std::move(why))});
}

Answer<json::Value> patch_with_json(const json::Value& target, std::string_view body) {
  auto patch = json::parse(body);
  if (!patch) {
    return std::unexpected(kube::bad_request("error decoding patch: " + patch.error().message));
  }
  auto patched = json::apply_patch(target, *patch);
  if (patched) return *std::move(patched);
  switch (patched.error().kind) {
    case ErrorKind::Invalid:
      return std::unexpected(kube::bad_request("error decoding patch: " + patched.error().message));
    case ErrorKind::Exhausted:
      return std::unexpected(kube::request_entity_too_large(patched.error().message));
    default: {
      kube::Status status;
      status.code = 422;
      status.reason = "Invalid";
      status.message = "the server rejected our request due to an error in our request";
      status.details.emplace();
      return std::unexpected(std::move(status));
    }
  }
}

Answer<json::Value> parse_patch_object(std::string_view body, std::string_view prefix) {
  auto patch = json::parse(body);
  if (!patch) {
    return std::unexpected(kube::bad_request(std::string{prefix} + patch.error().message));
  }
  if (!patch->is_object()) {
    const json::View view = *patch;
    const auto type = view.is_bool()     ? "bool"
                      : view.is_number() ? "number"
                                         : json::to_string(view.type());
    return std::unexpected(kube::bad_request(std::string{prefix} + "json: cannot unmarshal " +
                                             std::string{type} +
                                             " into Go value of type map[string]interface {}"));
  }
  return *std::move(patch);
}

Answer<json::Value> patched_object(const WriteCall& call, const json::Value& target) {
  switch (media_type(call.request.content_type)) {
    case MediaType::JsonPatch: return patch_with_json(target, call.request.body);
    case MediaType::MergePatch: {
      auto patch = parse_patch_object(call.request.body, "error decoding patch: ");
      if (!patch) return std::unexpected(patch.error());
      if (call.environment.weakness == Weakness::MergePatchMergesLists) {
        return kube::strategic_merge(*call.resource.schema, target, *patch);
      }
      return json::apply_merge_patch(target, *patch);
    }
    case MediaType::StrategicPatch: {
      auto patch = parse_patch_object(call.request.body, "");
      if (!patch) return std::unexpected(patch.error());
      return kube::strategic_merge(*call.resource.schema, target, *patch);
    }
    default: return std::unexpected(unknown_media_type());
  }
}

// The result of a patch as an object of the kind, unknown fields noted as for any body.
Answer<json::Value> decode_patched(WriteCall& call, const json::Value& patched) {
  if (call.resource.builtin == nullptr) {
    // The type is checked with the rest of the object; a metadata of the wrong shape cannot wait.
    const auto name = patched.get("metadata", "name").as_string();
    const auto gvk = kube::gvk_of(patched);
    const std::string expected = call.resource.kind.group_version().api_version();
    kube::FieldErrors errors;
    if (patched.get("apiVersion").as_string() != expected) {
      errors.push_back(kube::invalid(kube::FieldPath{"apiVersion"}, patched.get("apiVersion"),
                                     "must be " + expected));
    }
    if (gvk.kind != call.resource.kind.kind) {
      errors.push_back(kube::invalid(kube::FieldPath{"kind"}, patched.get("kind"),
                                     "must be " + call.resource.kind.kind));
    }
    if (!errors.empty()) return std::unexpected(kube::invalid(gvk.group_kind(), name, errors));
  }
  // A strategic patch goes into the typed object, which has no room for another type.
  const bool strategic = media_type(call.request.content_type) == MediaType::StrategicPatch;
  if (call.resource.builtin != nullptr && !strategic) {
    if (const auto problem = builtin_type_problem(call.resource, patched)) {
      return std::unexpected(rejected(kube::shown(json::to_text(patched)), *problem));
    }
  }
  auto normal = normalise(call.resource, patched, call.environment.weakness);
  if (!normal) {
    return std::unexpected(rejected(kube::shown(json::to_text(patched)), normal.error().message));
  }
  const auto problems = field_problems({}, normal->unknown_fields);
  if (!problems.empty()) {
    if (call.options.validation == FieldValidation::Strict) {
      return std::unexpected(rejected(kube::shown(json::to_text(patched)), strict_error(problems)));
    }
    if (call.options.validation == FieldValidation::Warn) {
      call.warnings.insert(call.warnings.end(), problems.begin(), problems.end());
    }
  }
  return with_defaults(call.resource, normal->object, call.environment.weakness);
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
  auto decoded = decode_patched(call, *patched);
  if (!decoded) return std::unexpected(decoded.error());

  json::Draft object{*decoded};
  if (auto ok = check_name(call, object); !ok) return std::unexpected(ok.error());
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

  auto decoded = decode_patched(call, *merged);
  if (!decoded) return std::unexpected(decoded.error());
  json::Draft object{*decoded};
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
