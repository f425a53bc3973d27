// SPDX-License-Identifier: Apache-2.0
#include "apiserver/definition.h"

#include "apiserver/write.h"
#include "base/rfc3339.h"
#include "kube/crd_names.h"
#include "kube/metadata.h"

#include <algorithm>
#include <vector>

namespace fixpoint::apiserver {

void stamp_definition(json::Draft& object, json::View old_object, Instant now) {
  if (kube::being_deleted(old_object)) return;
  auto& metadata = object.object_at("metadata");
  metadata["deletionTimestamp"] = format_seconds(now);
  metadata["deletionGracePeriodSeconds"] = 0;
  metadata["generation"] = kube::generation_of(old_object) + 1;
  if (!kube::has_finalizer(old_object, kDefinitionFinalizer)) {
    metadata.array_at("finalizers").push_back(kDefinitionFinalizer);
  }
  kube::set_crd_condition(object,
                          {.type = "Terminating",
                           .status = "True",
                           .reason = "InstanceDeletionPending",
                           .message = "CustomResourceDefinition marked for deletion; "
                                      "CustomResource deletion will begin soon"},
                          now);
}

void settle_definitions(store::Store& store, std::string_view group, Instant now) {
  std::vector<store::RecordRef> definitions;
  kube::NamesInUse used;
  store.latest().scan(kDefinitionPrefix, {}, [&](const store::RecordRef& record) {
    if (record->body.get("spec", "group").as_string() == group) {
      definitions.push_back(record);
      used.add(record->body);
    }
    return true;
  });
  // Who asked first is considered first: a name is not taken from the one that has it.
  std::ranges::sort(definitions, {}, [](const auto& record) { return record->created; });
  for (const auto& record : definitions) {
    json::Draft definition{record->body};
    const bool names = kube::consider_names(definition, used, now);
    const bool served = kube::establish(definition, now);
    const bool approval = kube::consider_approval(definition, now);
    if (!names && !served && !approval) continue;
    const json::Value settled = put_object(store, record->key, std::move(definition));
    used.add(settled);
  }
}

}  // namespace fixpoint::apiserver
