// SPDX-License-Identifier: Apache-2.0
#include "apiserver/definition.h"

#include "apiserver/write/write.h"
#include "base/rfc3339.h"
#include "kinds/kind.h"
#include "kube/crd/names.h"
#include "kube/meta/metadata.h"
#include "kube/ownership/managed_fields.h"

#include <algorithm>
#include <vector>

namespace fixpoint::apiserver {

void stamp_definition(json::Draft& object, json::View old_object, Instant now) {
  auto& metadata = object.object_at("metadata");
  if (kube::being_deleted(old_object)) {
    metadata["deletionGracePeriodSeconds"] = 0;
    return;
  }
  metadata["deletionTimestamp"] = format_seconds(now);
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

namespace {

// Whoever asks who wrote the status is told what a real server says.
void track_status(json::View live, json::Draft& definition, Instant now) {
  static const auto* const kind =
      kinds::find(kube::GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"});
  const kube::Writer writer{
      .schema = kind->schema(),
      .kind = kind->gvk,
      .manager = "kube-apiserver",
      .subresource = "status",
      .now = now,
      .reset_fields = {{"metadata"}, {"spec"}},
      .api_versions = {}
  };
  // The names and conditions are ours and of their type.
  FP_CHECK(kube::track_update(writer, live, definition).has_value());
}

}  // namespace

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
    track_status(record->body, definition, now);
    const json::Value settled = put_object(store, record->key, std::move(definition));
    used.add(settled);
  }
}

}  // namespace fixpoint::apiserver
