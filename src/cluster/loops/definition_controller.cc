// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/definition_controller.h"

#include "apiserver/definition.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/crd/names.h"
#include "kube/meta/metadata.h"

namespace fixpoint::cluster {
namespace {

using apiserver::kDefinitionFinalizer;
using apiserver::kDefinitionPrefix;
using apiserver::Verb;

bool is_leaving_definition(json::View definition) {
  return kube::being_deleted(definition) && kube::has_finalizer(definition, kDefinitionFinalizer);
}

// The instances' key prefix, whichever version is served.
std::string instances_of(json::View definition) {
  return apiserver::key_prefix(definition.get("spec", "group").as_string(),
                               definition.get("spec", "names", "plural").as_string());
}

// Any served version will do to ask for a deletion, and the stored one if there is none.
std::optional<apiserver::Resource> served(Api& api, json::View definition) {
  for (const std::string_view flag : {"served", "storage"}) {
    for (const json::View version : definition.get("spec", "versions").elements()) {
      if (!version.get(flag).as_bool()) continue;
      return api.kinds().find(
          api.latest(), kube::GroupVersionResource{
                            std::string{definition.get("spec", "group").as_string()},
                            std::string{version.get("name").as_string()},
                            std::string{definition.get("spec", "names", "plural").as_string()}});
    }
  }
  return std::nullopt;
}

void delete_instances(Api& api, json::View definition) {
  const auto resource = served(api, definition);
  if (!resource) return;
  std::vector<store::RecordRef> instances;
  api.latest().scan(instances_of(definition), {}, [&](const store::RecordRef& record) {
    instances.push_back(record);
    return true;
  });
  std::size_t asked = 0;
  for (const auto& record : instances) {
    if (kube::being_deleted(record->body)) continue;
    const auto answer = api.call(request_for(
        *resource, Verb::Delete, kube::namespace_of(record->body), kube::name_of(record->body)));
    // Refused or already gone: the next look counts what is left. When there is more, the events of
    // what was deleted bring the definition back here.
    if (answer.ok() && ++asked == kDeletesPerStep) return;
  }
}

void write_definition(Api& api, const apiserver::Resource& definitions, const json::Draft& object,
                      std::string_view subresource) {
  const json::Value body = object.freeze();
  auto request = request_for(definitions, Verb::Update, "", kube::name_of(body));
  request.subresource = std::string{subresource};
  request.body = json::to_text(body);
  request.user_agent = "kube-apiserver";  // this loop is part of the server itself
  (void)api.call(request);                // a conflict comes back as an event
}

}  // namespace

void DefinitionController::begin(Api& api) {
  api.latest().scan(kDefinitionPrefix, {}, [&](const store::RecordRef& record) {
    if (is_leaving_definition(record->body)) leaving_.add(record->key);
    return true;
  });
}

void DefinitionController::observe(const store::Event& event) {
  const auto parts = split_key(event.key());
  if (parts.prefix == kDefinitionPrefix) {
    if (event.after && is_leaving_definition(event.after->body)) leaving_.add(event.after->key);
  } else if (!event.after) {
    // An instance went; its definition's name is its resource and group.
    leaving_.add(std::string{kDefinitionPrefix} + "/" +
                 std::string{parts.prefix.substr(0, parts.prefix.size() - 1)});
  }
}

bool DefinitionController::step(Api& api) {
  const auto key = leaving_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (!record || !is_leaving_definition(record->body)) return true;
  const auto definitions = resource_of(api, record->body);
  FP_CHECK(definitions.has_value());

  if (api.latest().count(instances_of(record->body)) > 0) {
    json::Draft object{record->body};
    kube::set_crd_condition(object,
                            {.type = "Terminating",
                             .status = "True",
                             .reason = "InstanceDeletionInProgress",
                             .message = "CustomResource deletion is in progress"},
                            api.now());
    write_definition(api, *definitions, object, "status");
    const auto current = api.latest().find(*key);
    if (current) delete_instances(api, current->body);
    return true;
  }
  json::Draft object{record->body};
  auto& finalizers = object.object_at("metadata").array_at("finalizers");
  std::erase_if(finalizers.elements(),
                [](const json::Draft& one) { return one.as_string() == kDefinitionFinalizer; });
  write_definition(api, *definitions, object, "");
  return true;
}

}  // namespace fixpoint::cluster
