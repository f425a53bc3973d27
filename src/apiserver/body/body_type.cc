// SPDX-License-Identifier: Apache-2.0
#include "apiserver/body/body_type.h"

#include "kinds/schema_table.h"
#include "kube/go/text.h"
#include "kube/typed/read.h"
#include "kube/typed/typed.h"

#include <algorithm>
#include <array>

namespace fixpoint::apiserver {
namespace {

// Go's name for the anonymous struct that reads apiVersion and kind; clients see it.
constexpr std::string_view kTypeMetaGoType =
    "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
    "\"json:\\\"kind,omitempty\\\"\" }";

// apiVersion and kind alone, as Go reads them first.
const kube::Schema& type_meta_schema() {
  static const auto arena = make_ref<kube::SchemaArena>();
  static const auto* const schema = [] {
    auto* text = arena->make();
    text->go_kind = kube::GoKind::String;
    text->go_type = "string";
    auto* made = arena->make();
    made->go_kind = kube::GoKind::Struct;
    made->definition = kTypeMetaGoType;
    for (const auto* name : {"apiVersion", "kind"}) {
      kube::Property property;
      property.name = name;
      property.schema = text;
      made->properties.push_back(std::move(property));
    }
    return made;
  }();
  return *schema;
}

}  // namespace

Result<json::Value> read_type_meta(std::string_view text) {
  FP_TRY(read, kube::read_object(type_meta_schema(), text));
  return read.object.freeze();
}

std::optional<std::string> type_meta_problem(json::View body) {
  const auto refuse = [](json::View found, const std::string& where) {
    const auto type = found.is_bool()     ? "bool"
                      : found.is_number() ? "number"
                                          : json::to_string(found.type());
    return "couldn't get version/kind; json parse error: json: cannot unmarshal " +
           std::string{type} + " into Go " + where;
  };
  if (body.is_null()) return std::nullopt;  // Go reads null as an empty object
  if (!body.is_object()) return refuse(body, "value of type " + std::string{kTypeMetaGoType});
  for (const auto key : {"apiVersion", "kind"}) {
    const json::View member = body.get(key);
    if (member.is_null() || member.is_string()) continue;
    return refuse(member, "struct field ." + std::string{key} + " of type string");
  }
  return std::nullopt;
}

std::string internal_group(const Resource& resource) {
  const auto& kind = *resource.builtin;
  const auto& group = kind.stored_as.resource.empty() ? resource.kind.group : kind.stored_as.group;
  return group.empty() ? "core" : group.substr(0, group.find('.'));
}

namespace {

bool knows_version(const kube::GroupVersion& version) {
  return std::ranges::any_of(kinds::all(), [&](const kinds::Kind& kind) {
    return kind.gvk.group == version.group && kind.gvk.version == version.version;
  });
}

// Kinds of the API itself: some belong to every version there is, some to no version at all.
bool registered_everywhere(const kube::GroupVersion& version, std::string_view kind) {
  static constexpr std::array<std::string_view, 5> kUnversioned{
      "Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"};
  static constexpr std::array<std::string_view, 7> kOfEach{
      "WatchEvent",    "ListOptions",   "GetOptions",  "DeleteOptions",
      "CreateOptions", "UpdateOptions", "PatchOptions"};
  if (std::ranges::count(kUnversioned, kind) > 0) return true;
  return std::ranges::count(kOfEach, kind) > 0 && knows_version(version);
}

// Kinds of subresources, such as Scale, are known too.
const kube::Schema* known_schema(const kube::GroupVersionKind& kind) {
  if (!knows_version(kind.group_version()) ||
      registered_everywhere(kind.group_version(), kind.kind)) {
    return nullptr;
  }
  return kinds::find_schema(kind);
}

bool is_list_kind(const kube::GroupVersion& version, std::string_view kind) {
  if (!kind.ends_with("List")) return false;
  const auto item = kind.substr(0, kind.size() - 4);
  if (item.empty()) return version.group.empty() && version.version == "v1";
  return kinds::find(kube::GroupVersionKind{version.group, version.version, std::string{item}}) !=
         nullptr;
}

}  // namespace

std::optional<std::string> builtin_type_problem(const Resource& resource, json::View body) {
  const auto kind = body.get("kind").as_string();
  const auto api_version = body.get("apiVersion").as_string();
  const std::string expected = resource.kind.group_version().api_version();
  // A group that is empty may be followed by its slash.
  const auto given = kube::parse_group_version(api_version);
  const bool same_version =
      given && (given->version.empty() ||
                (given->group == resource.kind.group && given->version == resource.kind.version));
  const bool same_kind = kind.empty() || kind == resource.kind.kind;
  if (same_kind && same_version) return std::nullopt;

  const std::string shown_kind{kind.empty() ? std::string_view{resource.kind.kind} : kind};
  const bool unversioned = given && given->version.empty();
  const std::string shown_version{unversioned ? std::string_view{expected} : api_version};
  auto parsed = kube::parse_group_version(shown_version);
  if (!parsed) return parsed.error().message;
  const auto* other = known_schema({parsed->group, parsed->version, shown_kind});
  const auto unconvertible = [&](std::string_view type_version) {
    return "converting (" + std::string{type_version} + "." + shown_kind + ") to (" +
           internal_group(resource) + "." + resource.kind.kind + "): unknown conversion";
  };
  if (other == nullptr) {
    if (registered_everywhere(*parsed, shown_kind)) return unconvertible("v1");
    if (is_list_kind(*parsed, shown_kind)) return unconvertible(parsed->version);
    return "no kind " + kube::go_quoted(shown_kind) + " is registered for version " +
           kube::go_quoted(parsed->api_version()) + " in scheme \"pkg/runtime/scheme.go:110\"";
  }
  // It is decoded as what it says it is before anyone finds it out of place.
  if (auto typed = kube::decode_typed(*other, body); !typed) return typed.error().message;
  return unconvertible(parsed->version);
}

}  // namespace fixpoint::apiserver
