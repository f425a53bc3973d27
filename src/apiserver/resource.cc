// SPDX-License-Identifier: Apache-2.0
#include "apiserver/resource.h"

#include "apiserver/definition.h"
#include "json/draft.h"
#include "json/parsing/reread.h"
#include "kube/crd/coerce.h"
#include "kube/meta/metadata.h"
#include "kube/schema/default.h"
#include "kube/schema/prune.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

constexpr std::string_view kDefinitions = kDefinitionPrefix;

Resource builtin_resource(const kinds::Kind& kind) {
  Resource resource;
  resource.kind = kind.gvk;
  resource.path = {kind.gvk.group, kind.gvk.version, kind.resource};
  resource.list_kind = kind.gvk.kind + "List";
  resource.namespaced = kind.namespaced;
  resource.builtin = &kind;
  resource.schema = kind.schema != nullptr ? kind.schema() : nullptr;
  resource.has_status = kind.has_status;
  resource.tracks_generation = kind.tracks_generation;
  resource.unconditional_update = kind.unconditional_update;
  resource.create_on_update = kind.create_on_update;
  const auto& stored = kind.stored_as;
  if (stored.resource.empty()) {
    resource.stored_api_version = kind.gvk.group_version().api_version();
    resource.prefix = key_prefix(kind.gvk.group, kind.resource);
  } else {
    resource.stored_api_version = kube::GroupVersion{stored.group, stored.version}.api_version();
    resource.prefix = key_prefix(stored.group, stored.resource);
  }
  return resource;
}

Resource custom_resource(Ref<const CustomKind> custom, std::size_t version) {
  const auto& facts = custom->facts;
  const auto& served = facts.versions[version];
  Resource resource;
  resource.kind = {facts.group, served.name, facts.names.kind};
  resource.path = {facts.group, served.name, facts.names.plural};
  resource.list_kind = facts.names.list_kind;
  resource.namespaced = facts.scope == kube::Scope::Namespaced;
  resource.version = version;
  resource.schema = custom->schemas[version].typed;
  resource.has_status = served.has_status;
  resource.tracks_generation = true;
  resource.unconditional_update = false;
  resource.stored_api_version =
      kube::GroupVersion{facts.group, facts.versions[custom->storage].name}.api_version();
  resource.prefix = key_prefix(facts.group, facts.names.plural);
  resource.custom = std::move(custom);
  return resource;
}

std::optional<std::size_t> served_version(const kube::CustomResource& facts,
                                          std::string_view version) {
  // What goes while nothing is served still answers for what is stored: its instances have to be
  // deleted by somebody.
  const bool unserved =
      facts.terminating && std::ranges::none_of(facts.versions, &kube::CustomVersion::served);
  for (std::size_t i = 0; i < facts.versions.size(); ++i) {
    const auto& one = facts.versions[i];
    if ((one.served || (unserved && one.storage)) && one.name == version) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string key_prefix(std::string_view group, std::string_view resource) {
  std::string prefix{resource};
  if (!group.empty()) {
    prefix += '.';
    prefix += group;
  }
  prefix += '/';
  return prefix;
}

std::string Resource::key(std::string_view ns, std::string_view name) const {
  std::string key;
  key.reserve(prefix.size() + ns.size() + 1 + name.size());
  key += prefix;
  key += ns;
  key += '/';
  key += name;
  return key;
}

kube::GroupKind Resource::error_kind() const {
  const bool elsewhere = builtin != nullptr && !builtin->stored_as.resource.empty();
  return {elsewhere ? builtin->stored_as.group : kind.group, kind.kind};
}

const kube::CustomVersion* Resource::custom_version() const {
  return custom ? &custom->facts.versions[version] : nullptr;
}

bool Resource::supports(std::string_view verb) const {
  if (builtin == nullptr) return true;
  return std::ranges::find(builtin->verbs, verb) != builtin->verbs.end();
}

bool Resource::has_subresource(std::string_view name) const {
  if (builtin != nullptr) return builtin->subresource(name) != nullptr;
  if (name == "status") return has_status;
  return name == "scale" && custom_version()->scale.has_value();
}

std::string_view Resource::deprecation() const {
  if (custom) {
    return custom_version()->deprecated ? custom_version()->deprecation_warning
                                        : std::string_view{};
  }
  if (!path.group.empty()) return {};
  if (path.resource == "endpoints") {
    return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  }
  if (path.resource == "componentstatuses") return "v1 ComponentStatus is deprecated in v1.19+";
  return {};
}

bool established(json::View definition) {
  return kube::condition_is_true(definition, "Established");
}

namespace {

// A version of a built-in group is that group's alone, whatever else is defined in it.
bool is_builtin_version(std::string_view group, std::string_view version) {
  return std::ranges::any_of(kinds::all(), [&](const kinds::Kind& kind) {
    return kind.gvk.group == group && kind.gvk.version == version;
  });
}

}  // namespace

Ref<const CustomKind> CustomKinds::compiled(const json::Value& definition) {
  const json::Block* identity = definition.view().block();
  if (const auto known = compiled_.find(identity); known != compiled_.end()) return known->second;

  auto custom = make_ref<CustomKind>();
  custom->definition = definition;
  custom->facts = kube::read_custom_resource(definition);
  for (std::size_t i = 0; i < custom->facts.versions.size(); ++i) {
    auto& version = custom->facts.versions[i];
    if (is_builtin_version(custom->facts.group, version.name)) version.served = false;
    auto schema = kube::compile_schema(version.schema);
    // Validation refused what does not compile before it was stored; a schema that got here by an
    // older binary is served without one rather than not at all.
    custom->schemas.push_back(schema ? *std::move(schema) : kube::schemaless());
    custom->rules.push_back(cel::ResourceRules::compile(version.schema, custom->schemas.back()));
    if (version.storage) custom->storage = i;
  }
  if (compiled_.size() >= kRememberedMax) compiled_.clear();
  Ref<const CustomKind> result = custom;
  compiled_.emplace(identity, result);
  return result;
}

std::optional<Resource> CustomKinds::find(const store::Snapshot& snapshot,
                                          const kube::GroupVersionResource& path) {
  if (const kinds::Kind* kind = kinds::find(path)) return builtin_resource(*kind);
  if (path.group.empty()) return std::nullopt;
  const auto record =
      snapshot.find(std::string{kDefinitions} + "/" + path.resource + "." + path.group);
  if (!record || !established(record->body)) return std::nullopt;
  auto custom = compiled(record->body);
  // "foos.example" of "com" has the same key as "foos" of "example.com".
  if (custom->facts.group != path.group || custom->facts.names.plural != path.resource) {
    return std::nullopt;
  }
  const auto version = served_version(custom->facts, path.version);
  if (!version) return std::nullopt;
  return custom_resource(std::move(custom), *version);
}

std::optional<Resource> CustomKinds::find(const store::Snapshot& snapshot,
                                          const kube::GroupVersionKind& kind) {
  if (const kinds::Kind* row = kinds::find(kind)) return builtin_resource(*row);
  std::optional<Resource> found;
  snapshot.scan(kDefinitions, {}, [&](const store::RecordRef& record) {
    if (record->body.get("spec", "group").as_string() != kind.group) return true;
    if (record->body.get("spec", "names", "kind").as_string() != kind.kind) return true;
    if (!established(record->body)) return true;
    auto custom = compiled(record->body);
    if (const auto version = served_version(custom->facts, kind.version)) {
      found = custom_resource(std::move(custom), *version);
    }
    return !found.has_value();
  });
  return found;
}

std::vector<Resource> CustomKinds::all(const store::Snapshot& snapshot) {
  std::vector<Resource> resources;
  for (const auto& kind : kinds::all()) resources.push_back(builtin_resource(kind));
  snapshot.scan(kDefinitions, {}, [&](const store::RecordRef& record) {
    if (!established(record->body)) return true;
    auto custom = compiled(record->body);
    for (std::size_t i = 0; i < custom->facts.versions.size(); ++i) {
      if (custom->facts.versions[i].served) resources.push_back(custom_resource(custom, i));
    }
    return true;
  });
  return resources;
}

namespace {

// Whether the text is "group/version", without building that: it is asked of every object read.
bool is_api_version(std::string_view text, std::string_view group, std::string_view version) {
  if (!group.empty()) {
    if (!text.starts_with(group) || !text.substr(group.size()).starts_with('/')) return false;
    text.remove_prefix(group.size() + 1);
  }
  return text == version;
}

bool is_in_version(const Resource& resource, json::View object) {
  const auto& kind = resource.kind;
  return is_api_version(object.get("apiVersion").as_string(), kind.group, kind.version);
}

}  // namespace

const kube::CompiledSchema* Resource::schema_of(std::string_view api_version) const {
  if (!custom) return nullptr;
  for (std::size_t i = 0; i < custom->schemas.size(); ++i) {
    if (is_api_version(api_version, kind.group, custom->facts.versions[i].name)) {
      return &custom->schemas[i];
    }
  }
  return nullptr;
}

namespace {

json::Value coerced(const json::Value& object, const kube::CompiledSchema* schema) {
  if (schema == nullptr) return object;
  auto made = kube::coerce_resource(object, *schema, kube::BadMeta::Drop);
  if (!made) return object;
  return std::move(made->value);
}

json::Value relabelled(const json::Value& object, std::string_view api_version) {
  if (object.get("apiVersion").as_string() == api_version) return object;
  json::Draft draft{object};
  draft["apiVersion"] = api_version;
  return draft.freeze();
}

// What was stored gets the defaults that its version has by now; another version shows only what it
// knows.
json::Value custom_in_version(const Resource& resource, const json::Value& stored) {
  const auto* stored_schema = resource.schema_of(stored.get("apiVersion").as_string());
  auto object = coerced(stored, stored_schema);
  if (stored_schema != nullptr) object = kube::set_defaults(object, *stored_schema->declared);
  if (is_in_version(resource, object)) return object;
  const auto wanted = resource.kind.group_version().api_version();
  return coerced(relabelled(object, wanted), resource.schema_of(wanted));
}

}  // namespace

json::Value in_version(const Resource& resource, const json::Value& stored) {
  if (resource.custom) return custom_in_version(resource, stored);
  if (is_in_version(resource, stored)) return stored;
  json::Draft draft{stored};
  draft["apiVersion"] = resource.kind.group_version().api_version();
  draft["kind"] = resource.kind.kind;
  if (resource.builtin->from_stored != nullptr) resource.builtin->from_stored(draft);
  return draft.freeze();
}

json::Value shown(const Resource& resource, json::Value object) {
  if (resource.builtin == nullptr || resource.builtin->as_shown == nullptr) return object;
  json::Draft draft{std::move(object)};
  resource.builtin->as_shown(draft);
  return draft.freeze();
}

json::Value to_stored(const Resource& resource, const json::Value& object) {
  if (resource.custom) {
    auto text = json::reread(object);
    if (object.get("apiVersion").as_string() == resource.stored_api_version) return text;
    // What the storage version does not know is lost when another version wrote it.
    return coerced(relabelled(text, resource.stored_api_version),
                   resource.schema_of(resource.stored_api_version));
  }
  if (object.get("apiVersion").as_string() == resource.stored_api_version) return object;
  json::Draft draft{object};
  // Conversions look at the version they come from.
  if (resource.builtin->to_stored != nullptr) resource.builtin->to_stored(draft);
  draft["apiVersion"] = resource.stored_api_version;
  return draft.freeze();
}

}  // namespace fixpoint::apiserver
