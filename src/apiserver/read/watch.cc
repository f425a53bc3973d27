// SPDX-License-Identifier: Apache-2.0
#include "apiserver/read/watch.h"

#include "apiserver/definition.h"
#include "json/draft.h"
#include "kube/crd/simple_json_path.h"
#include "kube/meta/metadata.h"
#include "kube/typed/typed.h"

namespace fixpoint::apiserver {
namespace {

std::string field_value(const Resource& resource, json::View object, std::string_view field) {
  if (field == "metadata.name") return std::string{kube::name_of(object)};
  if (field == "metadata.namespace") return std::string{kube::namespace_of(object)};
  if (resource.builtin != nullptr) {
    for (const auto& selectable : resource.builtin->selectable_fields) {
      if (selectable.name == field) return selectable.value(object);
    }
    return {};
  }
  for (const auto& path : resource.custom_version()->selectable_fields) {
    if (std::string_view{path}.substr(1) != field) continue;
    const auto parsed = kube::SimpleJsonPath::parse(path);
    return parsed ? kube::selectable_value(*parsed, object) : std::string{};
  }
  return {};
}

}  // namespace

std::string_view to_string(WatchEventType type) {
  switch (type) {
    case WatchEventType::Added: return "ADDED";
    case WatchEventType::Modified: return "MODIFIED";
    case WatchEventType::Deleted: return "DELETED";
    case WatchEventType::Bookmark: return "BOOKMARK";
    case WatchEventType::Error: return "ERROR";
  }
  std::unreachable();
}

std::string Selection::prefix() const {
  // Objects without a namespace lie in an empty one: what follows the prefix is a name or NS/NAME.
  return ns.empty() && resource.namespaced ? resource.prefix : resource.prefix + ns + "/";
}

bool Selection::matches(const json::Value& stored_body) const {
  if (!labels.empty() && !labels.matches(kube::labels_of(stored_body))) return false;
  if (fields.empty()) return true;
  // A custom resource gets the defaults of today when it is read, and is selected by them, too.
  const json::Value shown = resource.custom ? in_version(resource, stored_body) : stored_body;
  return fields.matches(
      [&](std::string_view field) { return field_value(resource, shown, field); });
}

bool Selection::operator==(const Selection& other) const {
  // The definition, too: another one may show other columns and other fields.
  return resource.prefix == other.resource.prefix && resource.kind == other.resource.kind &&
         resource.custom == other.resource.custom && ns == other.ns && labels == other.labels &&
         fields == other.fields;
}

std::optional<WatchEvent> Watch::next(const store::Event& event) const {
  const std::string& key = event.key();
  if (!key.starts_with(selection.resource.prefix)) return std::nullopt;
  if (!selection.ns.empty() && !key.starts_with(selection.prefix())) return std::nullopt;

  const bool before = event.before && selection.matches(event.before->body);
  const bool after = event.after && selection.matches(event.after->body);
  if (!before && !after) return std::nullopt;
  if (after) {
    const bool known = before || (event.before && weakness == Weakness::EnteringIsModified);
    return WatchEvent{known ? WatchEventType::Modified : WatchEventType::Added,
                      shown(selection.resource, in_version(selection.resource, event.after->body))};
  }
  if (event.last) {
    if (weakness == Weakness::WatchForgetsDeletions) return std::nullopt;
    return WatchEvent{WatchEventType::Deleted,
                      shown(selection.resource, in_version(selection.resource, event.last->body))};
  }
  // It left the selection but lives on: the last selected state, at the revision of the change.
  json::Draft left{event.before->body};
  left.object_at("metadata")["resourceVersion"] = std::to_string(event.revision.value);
  const auto type =
      weakness == Weakness::LeavingIsModified ? WatchEventType::Modified : WatchEventType::Deleted;
  return WatchEvent{type, shown(selection.resource, in_version(selection.resource, left.freeze()))};
}

bool Watch::outlived_by(const store::Event& event) const {
  const auto& resource = selection.resource;
  // Who resumes is told of the past, too, but by what the definition says now.
  if (!resource.custom || event.revision <= opened) return false;
  std::string_view key = event.key();
  if (!key.starts_with(kDefinitionPrefix)) return false;
  key.remove_prefix(kDefinitionPrefix.size() + 1);  // and a namespace, which it has none of
  // The keys of its objects begin with the definition's name.
  if (key != std::string_view{resource.prefix}.substr(0, resource.prefix.size() - 1)) return false;
  if (!event.before || !event.after) return true;
  const json::View before = event.before->body;
  const json::View after = event.after->body;
  return before.get("spec") != after.get("spec") ||
         before.get("status", "acceptedNames") != after.get("status", "acceptedNames");
}

WatchEvent Watch::bookmark(store::Revision at) const {
  const auto& kind = selection.resource.kind;
  json::Draft object = json::Draft::object();
  object["kind"] = kind.kind;
  object["apiVersion"] = kind.group_version().api_version();
  object.object_at("metadata")["resourceVersion"] = std::to_string(at.value);
  json::Value made = object.freeze();
  // A built-in kind's bookmark is an object of its type, with what such a one always has.
  if (selection.resource.builtin != nullptr && selection.resource.schema != nullptr) {
    if (auto typed = kube::decode_typed(*selection.resource.schema, made)) {
      made = std::move(typed->value);
    }
    // Of these the server holds a number where others have nothing.
    if (selection.resource.has_subresource("scale")) {
      json::Draft counted{made};
      counted.object_at("spec")["replicas"] = 0;
      made = counted.freeze();
    }
  }
  return WatchEvent{WatchEventType::Bookmark, std::move(made)};
}

WatchEvent expired_event(std::string message) {
  return WatchEvent{WatchEventType::Error, kube::to_json(kube::expired(std::move(message)))};
}

}  // namespace fixpoint::apiserver
