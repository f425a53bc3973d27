// SPDX-License-Identifier: Apache-2.0
#include "cluster/storage/reclaim.h"

#include "cluster/decision.h"
#include "cluster/storage/names.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

namespace fixpoint::cluster::storage {
namespace {

using json::Draft;

bool is_to_go(json::View volume) {
  const auto phase = volume.get("status", "phase").as_string();
  return (phase == "Released" || phase == "Failed") &&
         volume.get("spec", "persistentVolumeReclaimPolicy").as_string() == "Delete" &&
         kube::annotation_of(volume, kProvisionedBy) == kLocalDirectory &&
         !kube::being_deleted(volume);
}

json::Value local_class() {
  return Draft::object(
             {
                 {"metadata",
                  Draft::object({{"name", kLocalClass},
                                 {"annotations", Draft::object({{kDefaultClass, "true"}})}})},
                 {"provisioner",          kLocalDirectory                                   },
                 {"reclaimPolicy",        "Delete"                                          },
                 {"volumeBindingMode",    "WaitForFirstConsumer"                            },
                 {"allowVolumeExpansion", true                                              }
  })
      .freeze();
}

}  // namespace

void VolumeReclaim::begin(Api& api) {
  // Made once: a person who deletes or changes it, or has classes of their own, meant it.
  class_known_ = api.latest().count(kClasses) > 0;
  api.latest().scan(kVolumes, {}, [&](const store::RecordRef& record) {
    consider(record);
    return true;
  });
}

void VolumeReclaim::consider(const store::RecordRef& record) {
  if (is_to_go(record->body)) queue_.add(record->key);
}

void VolumeReclaim::observe(const store::Event& event) {
  if (event.key().starts_with(kVolumes) && event.after) consider(event.after);
}

bool VolumeReclaim::step(Api& api) {
  if (!std::exchange(class_known_, true)) {
    const auto made = local_class();
    (void)api.call(create_request(kClassResource, made));  // refused: somebody was faster
    return true;
  }
  while (auto due = deadlines_.take(api.now())) queue_.add(*std::move(due));
  const auto key = queue_.take();
  if (!key) return false;
  reclaim(api, *key);
  return true;
}

void VolumeReclaim::reclaim(Api& api, const std::string& key) {
  const auto volume = api.latest().find(key);
  if (!volume || !is_to_go(volume->body)) return;
  const std::string path{volume->body.get("spec", "hostPath", "path").as_string()};
  const auto removed = remove_ && !path.empty() ? remove_(path) : Result<void>{};
  if (removed) {
    const auto response = api.call(delete_request(kVolumeResource, volume->body));
    if (!response.ok() && response.code != 404) deadlines_.set(key, api.now() + kTryAgain);
    return;
  }
  deadlines_.set(key, api.now() + kTryAgain);
  if (volume->body.get("status", "phase").as_string() == "Failed") return;
  const auto patch =
      Draft::object({
                        {"status", Draft::object({{"phase", "Failed"},
                                                  {"message", removed.error().message}})}
  })
          .freeze();
  auto request = patch_request(kVolumeResource, volume->body, patch);
  request.subresource = "status";
  (void)api.call(request);  // only said if it can be
  recorder_.tell(api, {.object = volume->body,
                       .type = Notice::Type::Warning,
                       .reason = "VolumeFailedDelete",
                       .message = removed.error().message});
}

}  // namespace fixpoint::cluster::storage
