// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/strategy.h"

#include "apiserver/definition.h"
#include "apiserver/write/status_fields.h"
#include "kinds/part_hooks.h"
#include "kinds/validation/metadata_checks.h"
#include "kube/crd/crd.h"
#include "kube/errors/error_words.h"
#include "kube/meta/metadata.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"
#include "kube/schema/validate.h"
#include "kube/typed/typed.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace fixpoint::apiserver {
namespace {

using kube::FieldErrors;
using kube::FieldPath;

kube::NameCheck name_check(const Resource& resource) {
  if (resource.builtin == nullptr) return kube::name_is_dns_subdomain;
  switch (resource.builtin->name_rule) {
    case kinds::NameRule::DnsSubdomain: return kube::name_is_dns_subdomain;
    case kinds::NameRule::DnsLabel: return kube::name_is_dns_label;
    case kinds::NameRule::DnsLabel1035: return kube::name_is_dns1035_label;
    case kinds::NameRule::PathSegment:
      // Roles look at the beginning of a name as if it were whole.
      if (resource.kind.group != "rbac.authorization.k8s.io") return kube::name_is_path_segment;
      return [](std::string_view name, kube::NamePart) {
        return kube::name_is_path_segment(name, kube::NamePart::Whole);
      };
  }
  std::unreachable();
}

// Puts a member back to what it was, absence included.
void restore(json::Draft& object, json::View old_object, std::string_view key) {
  if (const auto old = old_object.find(key)) {
    object[key] = json::Draft{*old};
  } else {
    object.erase(key);
  }
}

// Everything but apiVersion, kind, metadata and, where it is its own endpoint, status.
bool counts_for_generation(const Resource& resource, std::string_view key) {
  return key != "apiVersion" && key != "kind" && key != "metadata" &&
         !(key == "status" && resource.has_status);
}

bool spec_changed(const Resource& resource, json::View object, json::View old_object) {
  if (resource.builtin != nullptr && resource.builtin->generation_changes != nullptr) {
    return resource.builtin->generation_changes(object, old_object);
  }
  const auto differs = [&](json::View a, json::View b) {
    return std::ranges::any_of(a.members().begin(), a.members().end(), [&](const json::Member& m) {
      return counts_for_generation(resource, m.key) && b.find(m.key) != std::optional{m.value};
    });
  };
  return differs(object, old_object) || differs(old_object, object);
}

bool generation_moves(const Resource& resource, json::View object, json::View old_object,
                      Weakness weakness) {
  switch (weakness) {
    case Weakness::NeverBumpsGeneration: return false;
    case Weakness::BumpsGenerationOnMetadata:
      if (object.get("metadata", "labels") != old_object.get("metadata", "labels")) return true;
      break;
    case Weakness::BumpsGenerationOnStatus:
      if (object.get("status") != old_object.get("status")) return true;
      break;
    case Weakness::StatusFieldDoesNotCount:
    case Weakness::DeploymentIgnoresAnnotations:
      return object.get("spec") != old_object.get("spec");
    default: break;
  }
  return spec_changed(resource, object, old_object);
}

void set_generation(const Resource& resource, json::Draft& object, json::View old_object,
                    Weakness weakness) {
  auto& metadata = object.object_at("metadata");
  const json::Value now = object.freeze();
  if (!resource.tracks_generation) {
    restore(metadata, old_object.get("metadata"), "generation");
    // Some begin at none, or at what their creator says, and count from there.
    const bool counts = resource.builtin != nullptr &&
                        resource.builtin->generation_changes != nullptr &&
                        resource.builtin->generation_changes(now, old_object);
    if (counts) metadata["generation"] = kube::generation_of(old_object) + 1;
    return;
  }
  const auto old = kube::generation_of(old_object);
  const auto given = kube::generation_of(now);
  if (weakness == Weakness::LetsClientSetGeneration && given != 0 && given != old) return;
  metadata["generation"] = old + (generation_moves(resource, now, old_object, weakness) ? 1 : 0);
}

// Identity and stamps are the server's: the times come back in any case, the rest when it is
// missing; validation refuses other values.
void keep_system_fields(json::Draft& object, json::View old_object, Weakness weakness) {
  auto& metadata = object.object_at("metadata");
  const json::View old = old_object.get("metadata");
  const auto missing = [&](std::string_view key) {
    const json::Draft* member = metadata.find(key);
    return member == nullptr || member->is_null() ||
           (member->is_string() && member->as_string().empty());
  };
  if (weakness != Weakness::MainWriteChangesCreationTime) {
    restore(metadata, old, "creationTimestamp");
  }
  if (missing("uid")) restore(metadata, old, "uid");
  if (weakness != Weakness::RemovesDeletionTimestamp) {
    if (old.contains("deletionTimestamp")) restore(metadata, old, "deletionTimestamp");
    if (missing("deletionGracePeriodSeconds")) restore(metadata, old, "deletionGracePeriodSeconds");
  }
}

// A status write of a custom resource changes only status; of a built-in kind it may also touch
// metadata, but nothing else.
void keep_all_but_status(const Resource& resource, json::Draft& object, json::View old_object,
                         Weakness weakness) {
  json::Draft kept{old_object};
  if (json::Draft* spec = object.find("spec");
      spec != nullptr && weakness == Weakness::StatusWriteChangesSpec) {
    kept["spec"] = std::move(*spec);
  }
  if (json::Draft* status = object.find("status")) {
    kept["status"] = std::move(*status);
  } else {
    kept.erase("status");
  }
  auto& metadata = object.object_at("metadata");
  const bool takes_metadata = resource.builtin != nullptr
                                  ? weakness != Weakness::StatusWriteDropsMetadata
                                  : weakness == Weakness::StatusWriteChangesMetadata;
  if (takes_metadata) {
    for (const auto key : metadata_kept_by_status(resource.prefix)) {
      restore(metadata, old_object.get("metadata"), key);
    }
    kept["metadata"] = std::move(metadata);
  } else {
    // Their absence too: what cannot be tracked has no owners.
    const json::Draft* fields = metadata.find("managedFields");
    auto& kept_metadata = kept.object_at("metadata");
    if (fields != nullptr) {
      kept_metadata["managedFields"] = *fields;
    } else {
      kept_metadata.erase("managedFields");
    }
  }
  object = std::move(kept);
}

// What preparing took away or added has the form its Go type gives it: an absent status is printed
// as {}, and so on. Custom resources have no such type.
void retype(const Resource& resource, json::Draft& object) {
  if (resource.builtin == nullptr) return;
  const json::Value frozen = object.freeze();
  auto typed = kube::decode_typed(*resource.schema, frozen);
  // It was of its type before the hooks; where they broke that, validation speaks.
  if (typed) object = json::Draft{std::move(typed->value)};
}

// The same after a write of the status, where nothing else can have lost its form: the spec is the
// stored one, and of metadata every list and map that is empty was left out by decoding.
void retype_status(const Resource& resource, json::Draft& object) {
  const auto* property =
      resource.builtin != nullptr ? resource.schema->property("status") : nullptr;
  json::Draft* status = object.find("status");
  if (property == nullptr || status == nullptr || !status->is_object()) {
    return retype(resource, object);
  }
  const json::Value frozen = status->freeze();
  auto typed = kube::decode_typed(*property->schema, frozen);
  // Whether an empty one is printed is for the object to say.
  if (!typed || typed->value.empty()) return retype(resource, object);
  *status = json::Draft{std::move(typed->value)};
}

std::optional<kube::ScalePaths> scale_paths(const Resource& resource) {
  return resource.custom_version()->scale;
}

// `errors`: what is wrong with the metadata. It too may keep the rules from being looked at.
FieldErrors validate_custom(const Resource& resource, const kube::Change& change,
                            std::string_view subresource, FieldErrors errors,
                            std::vector<std::string>* warnings) {
  const auto& schema = resource.custom->schemas[resource.version];
  const auto validate = subresource == "status" ? kube::validate_custom_resource_status
                                                : kube::validate_custom_resource;
  errors = validate(change, schema, scale_paths(resource), std::move(errors));
  const auto& rules = resource.custom->rules[resource.version];
  if (rules == nullptr || kube::blocks_rules(errors)) return errors;
  auto found = rules->check(change);
  kube::append(errors, std::move(found.errors));
  if (warnings != nullptr) std::ranges::move(found.warnings, std::back_inserter(*warnings));
  return errors;
}

FieldErrors validate_type(const Resource& resource, json::View object) {
  FieldErrors errors;
  const std::string expected = resource.kind.group_version().api_version();
  if (object.get("kind").as_string() != resource.kind.kind) {
    errors.push_back(
        kube::invalid(FieldPath{"kind"}, object.get("kind"), "must be " + resource.kind.kind));
  }
  if (object.get("apiVersion").as_string() != expected) {
    errors.push_back(
        kube::invalid(FieldPath{"apiVersion"}, object.get("apiVersion"), "must be " + expected));
  }
  return errors;
}

FieldErrors validate_whole_meta(const Resource& resource, json::View object,
                                kube::NameCheck check) {
  const auto scope = resource.namespaced ? kube::Scope::Namespaced : kube::Scope::Cluster;
  return kube::validate_object_meta(object, check, scope, FieldPath{"metadata"});
}

// What a built-in kind's own validation finds in the metadata once more.
FieldErrors repeated_meta_errors(const Resource& resource, std::string_view subresource,
                                 json::View object, json::View old_object) {
  const auto checks = kinds::metadata_checks(*resource.builtin, subresource);
  FieldErrors errors;
  const auto with_finalizers = [&](FieldErrors found) {
    kube::append(errors, std::move(found));
    if (checks.finalizers) kube::append(errors, kinds::finalizer_errors(object));
  };
  for (const char one : checks.order) {
    if (one == 'N') {
      kube::append(errors, validate_create(resource, object));
      continue;
    }
    with_finalizers(
        one == 'W' ? validate_whole_meta(resource, object, name_check(resource))
                   : kube::validate_object_meta_update(object, old_object, FieldPath{"metadata"}));
  }
  return errors;
}

// How a write through a subresource of a built-in kind differs; null: not at all.
const kinds::PartHooks* part_of(const Resource& resource, std::string_view subresource) {
  if (resource.builtin == nullptr || subresource.empty()) return nullptr;
  return kinds::part_hooks(*resource.builtin, subresource);
}

bool same_kind(const kube::GroupVersionKind& a, const kube::GroupVersionKind& b) {
  return a.kind == b.kind && a.group == b.group;
}

}  // namespace

void prepare_create(const Resource& resource, json::Draft& object, const Environment& environment,
                    std::vector<std::string>& warnings) {
  // A node is created by the kubelet that already knows its status.
  if (resource.has_status && resource.prefix != "nodes/" &&
      environment.weakness != Weakness::KeepsStatusOnCreate) {
    object.erase("status");
  }
  auto& metadata = object.object_at("metadata");
  // Where nobody counts generations, a client's number stays.
  if (resource.tracks_generation && environment.weakness != Weakness::KeepsGenerationOnCreate) {
    metadata["generation"] = 1;
  }
  if (resource.builtin != nullptr && resource.builtin->prepare != nullptr) {
    resource.builtin->prepare(object, {}, {.now = environment.now, .warnings = &warnings});
  }
  // Nothing prepares an Event, and it has no list or map that is printed when it is empty.
  if (resource.prefix != "events/") retype(resource, object);
}

void prepare_update(const Resource& resource, std::string_view subresource, json::Draft& object,
                    json::View old_object, const Environment& environment) {
  const auto weakness = environment.weakness;
  const auto* part = part_of(resource, subresource);
  keep_system_fields(object, old_object, weakness);
  if (subresource == "status") {
    keep_all_but_status(resource, object, old_object, weakness);
  } else if (part == nullptr) {
    if (resource.has_status && weakness != Weakness::MainWriteChangesStatus) {
      restore(object, old_object, "status");
    }
    if (resource.builtin != nullptr && resource.builtin->prepare != nullptr) {
      resource.builtin->prepare(object, old_object, {.now = environment.now});
    }
  }
  if (part != nullptr) part->prepare(object, old_object, {.now = environment.now});
  // Of the hooks that know a status, that of pods looks at nothing else.
  const bool only_status =
      subresource == "status" && (part == nullptr || resource.prefix == "pods/");
  if (only_status) {
    retype_status(resource, object);
  } else {
    retype(resource, object);
  }
  if (subresource == "status" && weakness != Weakness::BumpsGenerationOnStatus) {
    restore(object.object_at("metadata"), old_object.get("metadata"), "generation");
  } else {
    set_generation(resource, object, old_object, weakness);
  }
}

FieldErrors validate_create(const Resource& resource, json::View object) {
  FieldErrors errors;
  if (resource.builtin == nullptr) errors = validate_type(resource, object);
  if (!errors.empty()) return errors;
  if (resource.builtin != nullptr && !kinds::checks_metadata(*resource.builtin)) {
    errors = resource.builtin->validate(object);
    if (errors.empty()) errors = validate_whole_meta(resource, object, kube::name_is_path_segment);
    kube::word_by_type(*resource.schema, errors);
    return errors;
  }
  errors = validate_whole_meta(resource, object, name_check(resource));
  if (resource.builtin == nullptr) {
    return validate_custom(resource, {.now = object, .old = std::nullopt}, "", std::move(errors),
                           nullptr);
  }
  if (resource.builtin->validate != nullptr) {
    kube::append(errors, resource.builtin->validate(object));
  }
  kube::word_by_type(*resource.schema, errors);
  return errors;
}

FieldErrors validate_update(const Resource& resource, std::string_view subresource,
                            json::View object, json::View old_object,
                            std::vector<std::string>& warnings) {
  const FieldPath metadata{"metadata"};
  FieldErrors errors = validate_whole_meta(resource, object, kube::name_is_path_segment);
  kube::append(errors, kube::validate_object_meta_update(object, old_object, metadata));
  if (resource.builtin == nullptr) {
    auto type_errors = validate_type(resource, object);
    if (!type_errors.empty()) {
      kube::append(errors, std::move(type_errors));
      return errors;
    }
    auto again = kube::validate_object_meta_update(object, old_object, metadata);
    kube::append(errors, validate_custom(resource, {.now = object, .old = old_object}, subresource,
                                         std::move(again), &warnings));
    return errors;
  }
  const auto& kind = *resource.builtin;
  kube::append(errors, repeated_meta_errors(resource, subresource, object, old_object));
  const auto* part = part_of(resource, subresource);
  auto validate = subresource == "status" ? kind.validate_status_update : kind.validate_update;
  if (part != nullptr && part->validate_update != nullptr) validate = part->validate_update;
  if (validate != nullptr) kube::append(errors, validate(object, old_object));
  kube::word_by_type(*resource.schema, errors);
  return errors;
}

void note_warnings(const Resource& resource, json::View object, json::View old_object,
                   std::vector<std::string>& warnings) {
  if (resource.builtin != nullptr) {
    const auto& kind = *resource.builtin;
    std::vector<std::string> texts;
    if (!old_object.is_null() && kind.update_warnings != nullptr) {
      texts = kind.update_warnings(object, old_object);
    } else if (kind.warnings != nullptr) {
      texts = kind.warnings(object);
    }
    // What was there before is no news.
    if (resource.prefix == kDefinitionPrefix) texts = kube::crd_warnings(object, old_object);
    std::ranges::move(texts, std::back_inserter(warnings));
    return;
  }
  for (auto& text : kube::custom_resource_warnings(object, old_object)) {
    warnings.push_back(std::move(text));
  }
}

void note_status_warnings(const Resource& resource, json::View object,
                          std::vector<std::string>& warnings) {
  if (resource.builtin == nullptr || resource.builtin->status_warnings == nullptr) return;
  std::ranges::move(resource.builtin->status_warnings(object), std::back_inserter(warnings));
}

std::vector<std::vector<std::string>> reset_fields(const Resource& resource,
                                                   std::string_view subresource) {
  if (!resource.has_status) return {};
  const bool certificates = resource.prefix == "certificatesigningrequests.certificates.k8s.io/";
  if (certificates && subresource == "status")
    return {
        {"spec"},
        {"status", "conditions"}
    };
  if (certificates && subresource == "approval")
    return {
        {"spec"},
        {"status", "certificate"}
    };
  if (subresource == "status") {
    return resource.builtin == nullptr ? std::vector<std::vector<std::string>>{{"spec"}}
                                       : fields_reset_by_status(resource.prefix);
  }
  // Writers of a part of a pod own what they sent, even where it was put back.
  if (subresource == "scale" || (resource.prefix == "pods/" && !subresource.empty())) return {};
  if (certificates) return {{"spec"}, {"status"}};
  return {{"status"}};
}

std::vector<kube::Writer::Form> version_forms(const Resource& resource) {
  for (const auto& kind : kinds::all()) {
    if (kind.to_stored == nullptr || !same_kind(kind.gvk, resource.kind)) continue;
    const auto* stored = kinds::find(kind.stored_as);
    FP_CHECK(stored != nullptr);
    return {
        {stored->gvk.group_version().api_version(), stored->schema(), kind.to_stored  },
        {kind.gvk.group_version().api_version(),    kind.schema(),    kind.from_stored}
    };
  }
  return {};
}

std::vector<std::string> served_api_versions(const Resource& resource) {
  std::vector<std::string> versions;
  if (!resource.custom) {
    for (const auto& kind : kinds::all()) {
      if (same_kind(kind.gvk, resource.kind)) {
        versions.push_back(kind.gvk.group_version().api_version());
      }
    }
    return versions;
  }
  for (const auto& version : resource.custom->facts.versions) {
    versions.push_back(kube::GroupVersion{resource.kind.group, version.name}.api_version());
  }
  return versions;
}

}  // namespace fixpoint::apiserver
