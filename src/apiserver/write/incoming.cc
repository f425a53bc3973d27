// SPDX-License-Identifier: Apache-2.0
//
// The first half of write.h: what is asked of an object as it comes in, before it is known what
// will be stored. Where it belongs, what it is called, which version of the present object it
// replaces, and whose its fields are from now on.
#include "apiserver/write/strategy.h"
#include "apiserver/write/write.h"
#include "kube/crd/schema.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fixpoint::apiserver {

using kube::Answer;

namespace {

// Of lists without declared keys.
const kube::Schema* without_list_keys() {
  static const auto kSchema = kube::schemaless();
  return kSchema.typed;
}

// As it would come back from the store, but for defaults.
json::Value reread(const Resource& resource, const json::Value& object) {
  return in_version(resource, to_stored(resource, object));
}

bool unconditional(const WriteCall& call) {
  switch (call.environment.weakness) {
    case Weakness::AllowsUnversionedUpdateOfCustom: return true;
    case Weakness::RefusesUnversionedUpdate: return false;
    default: return call.resource.unconditional_update;
  }
}

bool overlooks_version(const WriteCall& call) {
  const bool patches = call.request.verb == Verb::Patch;
  return call.environment.weakness == (patches ? Weakness::IgnoresResourceVersionOnPatch
                                               : Weakness::IgnoresResourceVersionOnUpdate);
}

// Where a real server keeps objects of this kind in its store; some have kept their first names.
std::string registry_path(const Resource& resource) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFirstNames{
      {{"services", "services/specs"},
       {"endpoints", "services/endpoints"},
       {"replicationcontrollers", "controllers"},
       {"nodes", "minions"},
       {"ingresses", "ingress"}}
  };
  const auto& path = resource.path;
  const bool grouped = resource.builtin == nullptr || path.group == "apiextensions.k8s.io" ||
                       path.group == "apiregistration.k8s.io";
  if (grouped) return path.group + "/" + path.resource;
  for (const auto& [name, first] : kFirstNames) {
    if (path.resource == name) return std::string{first};
  }
  return path.resource;
}

}  // namespace

kube::Writer WriteCall::writer() const {
  kube::Writer writer{.schema = resource.schema,
                      .kind = resource.kind,
                      .manager = options.manager(request),
                      .subresource = request.subresource,
                      .now = environment.now,
                      .reset_fields = reset_fields(resource, request.subresource),
                      .api_versions = served_api_versions(resource),
                      .version_schemas = {}};
  if (resource.custom) {
    for (const auto& schema : resource.custom->schemas) {
      writer.version_schemas.push_back(schema.typed);
    }
  } else {
    writer.forms = version_forms(resource);
  }
  if (environment.weakness == Weakness::ApplyReplacesLists) writer.schema = without_list_keys();
  if (environment.weakness == Weakness::StatusApplySharesOwnership) writer.subresource.clear();
  if (environment.weakness == Weakness::OwnsResetFields) writer.reset_fields.clear();
  return writer;
}

Answer<void> adopt_namespace(const WriteCall& call, json::Draft& object) {
  auto& metadata = object.object_at("metadata");
  const json::Draft* ns = metadata.find("namespace");
  const std::string_view given = ns == nullptr ? std::string_view{} : ns->as_string();
  const std::string_view wanted = call.resource.namespaced ? call.request.ns : std::string_view{};
  if (given.empty() && !wanted.empty()) {
    metadata["namespace"] = wanted;
    return {};
  }
  // What lives in no namespace forgets the one it names, and so does what is sent to none.
  if (!call.resource.namespaced || call.request.empty_namespace) {
    metadata.erase("namespace");
    return {};
  }
  if (given != wanted) {
    return std::unexpected(kube::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  return {};
}

Answer<void> check_name(const WriteCall& call, const json::Draft& object) {
  const auto name = name_in(object);
  if (name == call.request.name) return {};
  if (name.empty()) {
    return std::unexpected(kube::bad_request("the name of the object (" + call.request.name +
                                             " based on URL) was undeterminable: name must be "
                                             "provided"));
  }
  return std::unexpected(kube::bad_request("the name of the object (" + std::string{name} +
                                           ") does not match the name on the URL (" +
                                           call.request.name + ")"));
}

void dedup_owners(WriteCall& call, json::Draft& object) {
  json::Draft* owners = object.find("metadata", "ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  std::vector<json::Draft> kept;
  std::string twice;
  std::erase_if(owners->elements(), [&](const json::Draft& owner) {
    if (std::ranges::find(kept, owner) == kept.end()) {
      kept.push_back(owner);
      return false;
    }
    const json::Draft* uid = owner.find("uid");
    if (!twice.empty()) twice += ", ";
    if (uid != nullptr) twice += uid->as_string();
    return true;
  });
  if (twice.empty()) return;
  // A patch is only looked at after admission.
  const bool patches = call.request.verb == Verb::Patch;
  call.warnings.push_back(
      ".metadata.ownerReferences contains duplicate entries" +
      std::string{patches ? " after mutating admission happens" : ""} +
      "; API server dedups owner references in "
      "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "
      "UID(s) observed: " +
      twice);
}

Answer<void> track(const WriteCall& call, json::View live, json::Draft& object) {
  if (call.environment.weakness == Weakness::UpdateTakesNoOwnership && !live.is_null()) {
    object.object_at("metadata")["managedFields"] = live.get("metadata", "managedFields");
    return {};
  }
  if (call.resource.builtin == nullptr || call.resource.builtin->to_stored == nullptr) {
    return kube::track_update(call.writer(), live, object);
  }
  // Owned is what will come back: the stored version may say more in this one than was sent.
  json::Draft seen{reread(call.resource, object.freeze())};
  const auto copy_fields = [](json::Draft& from, json::Draft& to) {
    const json::Draft* fields = from.find("metadata", "managedFields");
    auto& metadata = to.object_at("metadata");
    if (fields != nullptr) {
      metadata["managedFields"] = *fields;
    } else {
      metadata.erase("managedFields");
    }
  };
  copy_fields(object, seen);
  auto tracked = kube::track_update(call.writer(), live, seen);
  copy_fields(seen, object);
  return tracked;
}

std::string_view name_in(const json::Draft& object) {
  const json::Draft* name = object.find("metadata", "name");
  return name == nullptr ? std::string_view{} : name->as_string();
}

Answer<std::uint64_t> version_in(const json::Draft& object) {
  const json::Draft* version = object.find("metadata", "resourceVersion");
  const auto given = version == nullptr ? std::string_view{} : version->as_string();
  if (given.empty()) return 0;
  std::uint64_t number = 0;
  const auto read = std::from_chars(given.data(), given.data() + given.size(), number);
  const bool digits = given.find_first_not_of("0123456789") == std::string_view::npos;
  if (digits && read.ec == std::errc{}) return number;
  const std::string why = digits ? "value out of range" : "invalid syntax";
  return std::unexpected(
      kube::unreasoned(500, "strconv.ParseUint: parsing " + kube::shown(given) + ": " + why));
}

Answer<void> check_preconditions(const WriteCall& call, json::View current,
                                 const json::Draft& object) {
  const auto given = version_in(object);
  if (!given) return std::unexpected(given.error());
  if (*given == 0) {
    if (unconditional(call)) return {};
    // Kubernetes names the resource here where a kind belongs.
    const auto resource = call.resource.group_resource();
    return std::unexpected(
        kube::invalid({resource.group, resource.resource}, call.request.name,
                      {kube::invalid(kube::FieldPath{"metadata"}.child("resourceVersion"),
                                     std::string{"0"}, "must be specified for an update")}));
  }
  if (std::to_string(*given) == kube::resource_version_of(current) || overlooks_version(call)) {
    return {};
  }
  return std::unexpected(
      kube::conflict_modified(call.resource.group_resource(), call.request.name));
}

kube::Status precondition_failed(const WriteCall& call, const Resource& resource,
                                 std::string_view name, const std::string& why) {
  // A dry run asks above the layer that knows where in the store things are.
  std::string key = call.options.dry_run ? "/" : "/registry/";
  key += registry_path(resource) + "/";
  if (!call.request.ns.empty()) key += call.request.ns + "/";
  key += name;
  return kube::conflict(
      resource.group_resource(), name,
      "StorageError: invalid object, Code: 4, Key: " + key +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + why);
}

Answer<void> check_uid(const WriteCall& call, json::View current, const json::Draft& object) {
  const json::Draft* uid = object.find("metadata", "uid");
  const auto given = uid == nullptr ? std::string_view{} : uid->as_string();
  if (given.empty() || given == kube::uid_of(current)) return {};
  if (call.environment.weakness == Weakness::IgnoresUidOnUpdate) return {};
  return std::unexpected(
      precondition_failed(call, call.resource, call.request.name,
                          "UID in precondition: " + std::string{given} +
                              ", UID in object meta: " + std::string{kube::uid_of(current)}));
}

bool creates_when_absent(const WriteCall& call) {
  return call.resource.create_on_update &&
         (call.request.subresource.empty() || call.request.subresource == "status");
}

}  // namespace fixpoint::apiserver
