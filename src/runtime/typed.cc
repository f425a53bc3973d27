// SPDX-License-Identifier: Apache-2.0
#include "runtime/typed.h"

#include "kinds/kind.h"
#include "kube/meta/metadata.h"

namespace fixpoint::runtime {

PrimaryObject primary_object(json::View object) {
  return {.key = kube::key_of(object),
          .uid = kube::Uid{std::string{kube::uid_of(object)}},
          .generation = kube::generation_of(object),
          .object = object};
}

client::Resource resource_of(const types::Kind& kind) {
  return {.kind = kind.gvk(),
          .plural = kind.plural,
          .scope = kind.scope == kube::Scope::Namespaced ? client::Scope::Namespaced
                                                         : client::Scope::Cluster};
}

client::Resource builtin(std::string_view api_version, std::string_view kind) {
  const auto group_version = kube::parse_group_version(api_version);
  FP_CHECK(group_version.has_value());
  const kube::GroupVersionKind wanted{group_version->group, group_version->version,
                                      std::string{kind}};
  const auto* found = kinds::find(wanted);
  FP_CHECK(found != nullptr);
  return {.kind = wanted,
          .plural = found->resource,
          .scope = found->namespaced ? client::Scope::Namespaced : client::Scope::Cluster};
}

Watch reconciles(const types::Kind& kind) {
  Watch watch;
  watch.role = WatchRole::Primary;
  watch.collection.resource = resource_of(kind);
  return watch;
}

Watch owns(std::string_view api_version, std::string_view kind) {
  Watch watch;
  watch.role = WatchRole::Owned;
  watch.collection.resource = builtin(api_version, kind);
  return watch;
}

Watch reads(std::string_view api_version, std::string_view kind) {
  auto watch = owns(api_version, kind);
  watch.role = WatchRole::Cached;
  return watch;
}

json::Draft object(Members members) {
  return json::Draft::object(members);
}

json::Draft list(std::initializer_list<json::Draft> elements) {
  return json::Draft::array(elements);
}

json::Value child(const kube::Key& place, std::string_view api_version, std::string_view kind,
                  Members rest) {
  auto made = json::Draft::object(rest);
  made["apiVersion"] = api_version;
  made["kind"] = kind;
  auto& metadata = made.object_at("metadata");
  if (!place.ns.empty()) metadata["namespace"] = place.ns;
  metadata["name"] = place.name;
  return made.freeze();
}

Condition ready(const Outcomes& outcomes, std::string waiting_for) {
  if (const auto* problem = outcomes.problem()) {
    return {.type = "Ready",
            .reason = problem->reason.empty() ? "NotDone" : problem->reason,
            .message = problem->what + ": " + problem->message};
  }
  if (!waiting_for.empty()) {
    return {.type = "Ready", .reason = "Progressing", .message = std::move(waiting_for)};
  }
  return {.type = "Ready", .is_true = true, .reason = "AsDesired", .message = "as the spec wants"};
}

}  // namespace fixpoint::runtime
